"""The embedded server answers every statement of the table as Cassandra 5.0.8 does."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import embedded  # noqa: E402
import statement_table  # noqa: E402

# Of the statements that the table must have at least.
COUNT_MIN = 400


@pytest.mark.parametrize("version", [4, 5])
def test_answers_as_cassandra(version):
    with embedded.running() as server:
        cases, _, answers = statement_table.run_all(server.address, server.port, version)
    differences = statement_table.compare(cases, answers)
    assert len(cases) >= COUNT_MIN
    assert not differences, f"{len(differences)} differ:\n" + "\n\n".join(differences)


def test_compare_finds_a_difference():
    cases, _ = statement_table.read_table(statement_table.TABLE)
    answers = [list(case.expected) for case in cases]
    assert not statement_table.compare(cases, answers)
    answers[5] = ["= error 0000"]
    assert len(statement_table.compare(cases, answers)) == 1
