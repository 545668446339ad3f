import logging
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import embedded  # noqa: E402
from program import program  # noqa: E402, F401

logging.getLogger("cassandra").setLevel(logging.CRITICAL)

BUILDS = Path(os.environ.get("CQLPERF_INTEROP_BUILDS", "/tmp/cqlperf-interop"))


@pytest.fixture(scope="session")
def builds():
    """Where the other drivers' programs are built; kept between runs."""
    BUILDS.mkdir(parents=True, exist_ok=True)
    return BUILDS


@pytest.fixture(scope="session")
def server():
    """The server under test; CQLPERF_INTEROP_SERVER names another one to try the tests on."""
    if other := os.environ.get("CQLPERF_INTEROP_SERVER"):
        address, _, port = other.partition(":")
        yield embedded.Embedded(None, address, int(port or 9042))
        return
    with embedded.running() as started:
        yield started
