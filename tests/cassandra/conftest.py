import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from program import BIN, program  # noqa: E402, F401
from servers import ADDRESSES, LOGIN_ADDRESS, Server, running  # noqa: E402

# CQLPERF_CASSANDRA names the version to test with; without it all of them are.
VERSIONS = [os.environ["CQLPERF_CASSANDRA"]] if "CQLPERF_CASSANDRA" in os.environ else ADDRESSES

logging.getLogger("cassandra").setLevel(logging.CRITICAL)


def warm_up(server):
    """A Java server that was just started is far slower than it is a few seconds later."""
    command = [BIN / "cqlperf", "run", "--duration", "8s", "--server", server.server]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


@pytest.fixture(scope="session", params=VERSIONS)
def started_server(request):
    with running(Server(request.param, ADDRESSES[request.param])) as server:
        warm_up(server)
        yield server


@pytest.fixture
def server(started_server):
    """A running Cassandra without any keyspace but its own."""
    yield started_server
    started_server.drop_keyspaces()


@pytest.fixture(scope="session")
def started_login_server():
    if "5.0.8" not in VERSIONS:
        pytest.skip("logins are tested on 5.0.8")
    with running(Server("5.0.8", LOGIN_ADDRESS, login=True)) as server:
        yield server


@pytest.fixture
def login_server(started_login_server):
    """A running Cassandra that asks for a login and checks permissions."""
    yield started_login_server
    started_login_server.drop_keyspaces()
