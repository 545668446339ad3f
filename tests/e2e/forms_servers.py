"""The servers of the tests of `cqlperf forms`."""

import embedded
import pytest


@pytest.fixture
def server():
    with embedded.running() as running:
        yield running


@pytest.fixture
def both():
    """A server that speaks Thrift too: (server, port of Thrift)."""
    with embedded.running("--thrift-port", "0") as running:
        line = running.process.stdout.readline()
        yield running, line.strip().rpartition(":")[2]
