"""The Java classes of Cassandra's RPC interface against the embedded server."""

import sys
from pathlib import Path

import embedded
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "thrift"))

from witness import Witness, build  # noqa: E402

THRIFT_READY_TEXT = "listening for Thrift on "


def thrift_port(server):
    """The port that it says in its second line, which comes with the first."""
    line = server.process.stdout.readline()
    assert line.startswith(THRIFT_READY_TEXT), line
    return int(line.rpartition(":")[2])


@pytest.fixture(scope="module")
def class_path(builds):
    return build(builds)


@pytest.fixture(scope="module")
def witness(class_path):
    with embedded.running("--thrift-port", "0", "--threads", "2") as server:
        yield Witness(class_path, server.address, server.port, thrift_port(server))


def test_what_each_side_writes_the_other_reads(witness):
    witness.check_data()


def test_forms(witness, program):
    witness.check_forms(program)


def test_schema(witness):
    witness.run("schema")


def test_errors(witness):
    witness.run("errors")


def test_login(class_path):
    with embedded.running("--thrift-port", "0", "--auth", "loader:secret") as server:
        login = Witness(class_path, server.address, server.port, thrift_port(server))
        login.run("login", "loader", "secret")
