"""gocql against the embedded server."""

import pytest
from other_program import BUILD_TIMEOUT_S, HERE, find, run


@pytest.fixture(scope="module")
def gocql(builds):
    program = builds / "gocql"
    run(find("go"), "build", "-trimpath", "-buildvcs=false", "-o", program, ".",
        cwd=HERE / "gocql", timeout_s=BUILD_TIMEOUT_S)
    return program


@pytest.mark.parametrize("compression", ["none", "snappy"])
@pytest.mark.parametrize("version", ["3", "4", "0"])
def test_gocql(server, gocql, version, compression):
    assert run(gocql, server.address, server.port, version, compression).strip() == "ok"
