"""The table of statements holds what Cassandra answers: the embedded server is held to the same."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "statements"))

import statement_table  # noqa: E402


@pytest.mark.parametrize("version", [4, 5])
def test_table_is_what_cassandra_answers(server, version):
    if server.version != "5.0.8":
        pytest.skip("the table is of 5.0.8")
    cases, _, answers = statement_table.run_all(server.address, 9042, version)
    differences = statement_table.compare(cases, answers)
    assert not differences, "\n\n".join(differences)
