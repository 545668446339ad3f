"""Protocol versions and compression: what is agreed on, what is said about it, what is refused."""

import pytest
from mock_server import Faults
from program import check_counts


@pytest.mark.parametrize(("version", "compression"), [
    (3, "none"), (3, "snappy"), (4, "none"), (4, "lz4"), (4, "snappy"), (5, "none"), (5, "lz4")])
def test_every_way_to_talk_to_a_server(program, version, compression):
    path = program.directory / "result.json"
    finished = program.run(
        "run", "mixed", "--embedded", "--keys", "200", "--count", "1000", "--protocol",
        str(version), "--compression", compression, "--json", path, json_path=path)
    check_counts(finished.summary)
    assert finished.summary["operations"] == 1000 and finished.summary["errors"] == 0
    for part in ("config", "server"):
        assert finished.document[part]["protocol"] == version
        assert finished.document[part]["compression"] == compression
    said = f"protocol v{version}" + ("" if compression == "none" else f" with {compression}")
    assert f"{said}: load goes to" in finished.stderr


@pytest.mark.parametrize(("newest", "header"), [(4, 4), (4, 5), (3, 5), (3, 3)])
def test_an_older_server_gets_the_newest_version_that_it_has(program, mock, newest, header):
    """The text of its refusal lists them, so that none is tried in vain."""
    mock.faults = Faults(max_version=newest, refusal_version=header)
    finished = program.load(mock.server, "--count", "10", "--serial", "--protocol", "5")
    assert sorted(mock.log.writes) == list(range(10))
    assert set(mock.log.versions) == {5, newest}
    assert finished.document["config"]["protocol"] == 5
    assert finished.document["server"]["protocol"] == newest


def test_a_compression_that_the_server_does_not_offer(program, mock):
    finished = program.load(mock.server, "--compression", "lz4", code=3)
    assert "does not offer the compression lz4, but none" in finished.stderr
    assert "--compression" in finished.stderr
    assert not mock.log.writes
