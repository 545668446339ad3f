"""The same answers to the Java classes of the RPC interface from a real Cassandra, the last that
spoke Thrift, as from the embedded server (tests/interop/test_thrift.py)."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interop" / "thrift"))

from witness import Witness, build  # noqa: E402

THRIFT_PORT = 9160


@pytest.fixture
def witness(server, tmp_path_factory):
    if server.version != "3.11.19":
        pytest.skip(f"Cassandra {server.version} has no Thrift")
    folder = tmp_path_factory.getbasetemp() / "thrift"
    return Witness(build(folder), server.address, 9042, THRIFT_PORT)


def test_thrift(witness):
    witness.check_data()
    witness.run("schema")
    witness.run("errors")


def test_forms(witness, program):
    witness.check_forms(program)
