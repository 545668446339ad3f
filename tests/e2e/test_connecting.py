"""Connecting: servers that are not there, are silent, are none; logins; contact points."""

import socket

import cql_wire as wire
import pytest
from cql_store import Peer
from mock_server import ErrorReply, Faults, MockCluster

# How long starting and ending the program may take on a slow machine.
SLACK_S = 4


@pytest.fixture
def dead_port():
    """A port of 127.0.0.1 on which nothing listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def test_nothing_listens(program, dead_port):
    finished = program.load(f"127.0.0.1:{dead_port}", code=3)
    assert f"127.0.0.1:{dead_port}" in finished.stderr and "refused" in finished.stderr
    assert finished.stdout == ""
    assert finished.seconds < SLACK_S


def test_an_unknown_name(program):
    finished = program.load("no-such-host.invalid", "--connect-timeout", "2s", code=3)
    assert "no-such-host.invalid" in finished.stderr


@pytest.mark.parametrize("faults", [Faults(silent=True), Faults(setup_delay_s=30)],
                         ids=["silent", "slow"])
def test_a_server_that_does_not_answer_in_time(program, mock, faults):
    mock.faults = faults
    finished = program.load(mock.server, "--connect-timeout", "1s", code=3)
    assert 1 <= finished.seconds < 1 + 2 + SLACK_S
    assert mock.server in finished.stderr


@pytest.mark.parametrize("faults", [
    Faults(close_at_accept=True), Faults(close_after_startup=True), Faults(http=True)],
    ids=["closes", "closes after STARTUP", "speaks HTTP"])
def test_a_server_that_is_none(program, mock, faults):
    mock.faults = faults
    finished = program.load(mock.server, "--connect-timeout", "2s", code=3)
    assert mock.server in finished.stderr
    assert finished.seconds < 2 + 2 + SLACK_S
    if faults.http:
        assert "CQL" in finished.stderr or "protocol" in finished.stderr, finished


@pytest.mark.parametrize("header", [5, 4, 3])
def test_version_4_is_refused(program, mock, header):
    """The error comes in the header of the server's newest, of the asked, or of the oldest."""
    mock.faults = Faults(max_version=3, refusal_version=header)
    program.load(mock.server, "--count", "10", "--serial")
    assert sorted(mock.log.writes) == list(range(10))
    assert mock.log.versions[3] > 10 and set(mock.log.versions) == {3, 4}


def test_version_3_is_asked_for(program, mock):
    program.load(mock.server, "--count", "10", "--protocol", "3")
    assert set(mock.log.versions) == {3}


def test_every_version_is_refused(program, mock):
    mock.faults = Faults(max_version=2, refusal_version=5)
    finished = program.load(mock.server, code=3)
    assert "Invalid or unsupported protocol version" in finished.stderr
    assert finished.seconds < SLACK_S


def test_a_good_login(program, mock_with_login):
    program.load(mock_with_login.server, "--count", "10", "--user", "loader",
                 environment={"CQLPERF_PASSWORD": "S3cret-Phrase"})
    assert len(mock_with_login.log.writes) == 10


@pytest.mark.parametrize("flags", [["--password", "wrong"], []], ids=["wrong", "none"])
def test_a_bad_login_ends_with_the_servers_text(program, mock_with_login, flags):
    finished = program.load(mock_with_login.server, "--user", "loader", *flags, code=3)
    assert "Provided username loader and/or password are incorrect" in finished.stderr
    assert finished.seconds < SLACK_S
    assert mock_with_login.log.connections <= 2  # it is not tried again and again


def test_a_login_that_is_asked_for_and_not_given(program, mock_with_login):
    finished = program.load(mock_with_login.server, code=3)
    assert "--user" in finished.stderr
    assert mock_with_login.log.auth_tokens == 0 and mock_with_login.log.connections <= 2


def test_no_permission(program, mock):
    mock.faults.ddl_error = ErrorReply(
        wire.UNAUTHORIZED, "User loader has no CREATE permission on <all keyspaces>")
    finished = program.load(mock.server, code=3)
    assert "has no CREATE permission" in finished.stderr
    assert len(mock.log.ddl("CREATE")) == 1  # DDL is not tried again
    assert finished.seconds < SLACK_S


def lines_with(text, word):
    return [line for line in text.splitlines() if word in line]


def test_one_of_two_contact_points_is_dead(program, mock, dead_port):
    # The living one is so slow that the other has been refused when it answers.
    mock.faults.setup_delay_s = 0.05
    dead = f"127.0.0.1:{dead_port}"
    for servers in ([f"{dead},{mock.server}"], [mock.server, dead]):
        flags = [word for server in servers[1:] for word in ("--server", server)]
        finished = program.load(servers[0], "--count", "10", *flags)
        assert finished.summary["operations"] == 10
        assert len(lines_with(finished.stderr, dead)) == 1, finished


def test_both_contact_points_are_dead(program, dead_port):
    dead = f"127.0.0.1:{dead_port}"
    finished = program.load(f"{dead},127.0.0.2:{dead_port}", code=3)
    assert dead in finished.stderr and f"127.0.0.2:{dead_port}" in finished.stderr


def test_version_6_of_ip(program):
    with MockCluster(addresses=("::1",)) as mock:
        finished = program.load(mock.server, "--count", "10")
        assert finished.summary["operations"] == 10
        assert finished.document["server"]["nodes"][0].startswith(mock.server)


def test_all_nodes_get_load(program):
    with MockCluster(addresses=("127.0.0.1", "127.0.0.2", "127.0.0.3")) as mock:
        finished = program.load(mock.server, "--count", "300")
        assert len(finished.document["server"]["nodes"]) == 3
        assert set(mock.log.connections_by_address) == {"127.0.0.1", "127.0.0.2", "127.0.0.3"}


def test_incomplete_peers_are_passed_over(program, mock):
    mock.extra_peers = [
        Peer("127.0.0.97"),
        Peer("127.0.0.98", rpc_address="127.0.0.98", data_center=None, rack=None),
        Peer("127.0.0.99", rpc_address=None, host_id="5d1ab9c4-0000-4000-8000-000000000000")]
    finished = program.load(mock.server, "--count", "10")
    assert len(finished.document["server"]["nodes"]) == 1
    assert "127.0.0.97" in finished.stderr and "127.0.0.99" in finished.stderr


def test_a_peer_that_is_down_is_gone_around(program, mock):
    mock.extra_peers = [Peer("127.0.0.98", mock.port, "127.0.0.98",
                             "5d1ab9c4-0000-4000-8000-000000000000",
                             schema_version="5d1ab9c4-0000-4000-8000-000000000001")]
    finished = program.load(mock.server, "--count", "50")
    assert finished.summary["operations"] == 50
    assert "127.0.0.98" in finished.stderr
