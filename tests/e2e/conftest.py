import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from mock_server import MockCluster  # noqa: E402
from program import program  # noqa: E402, F401


@pytest.fixture
def mock():
    """A server without faults; turn them on in mock.faults."""
    with MockCluster() as cluster:
        yield cluster


@pytest.fixture
def mock_with_login():
    with MockCluster(user="loader", password="S3cret-Phrase") as cluster:
        yield cluster


@pytest.fixture
def mock_pair():
    """Two nodes."""
    with MockCluster(addresses=("127.0.0.1", "127.0.0.2")) as cluster:
        yield cluster
