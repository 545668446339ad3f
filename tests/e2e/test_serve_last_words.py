"""Clients of `cqlperf serve` that end their own direction after the last request, as `nc` does."""

import socket

import embedded
import pytest
from serve_client import Client, prepare, query, segment

KEYSPACE = ("CREATE KEYSPACE IF NOT EXISTS k WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}")


@pytest.fixture(scope="module")
def server():
    with embedded.running("--fault", "delay=300ms,opcode=PREPARE") as started:
        yield started.server


def ask_and_end(server, requests, version=4):
    client = Client(server).start(version)
    client.send(segment(requests) if version >= 5 else requests)
    client.socket.shutdown(socket.SHUT_WR)
    return client


@pytest.mark.parametrize("version", [3, 4, 5])
def test_answers_come_all_the_same(server, version):
    count = 40
    client = ask_and_end(server, b"".join(
        query("SELECT key FROM system.local", version, stream) for stream in range(count)), version)
    assert sorted(client.receive().stream for _ in range(count)) == list(range(count))
    client.expect_end()


def test_answers_that_take_long(server):
    """A scan, a change of the schema, which has a thread of its own, and what is delayed."""
    text = "SELECT key FROM system.local"
    client = ask_and_end(server, query(KEYSPACE, stream=1) +
                         query("SELECT count(*) FROM system_schema.columns", stream=2) +
                         prepare(text, stream=3))
    assert sorted(client.receive().stream for _ in range(3)) == [1, 2, 3]
    client.expect_end()


def test_answers_that_the_client_takes_slowly(server):
    """More than the server keeps unsent, so that it stops reading in between."""
    count = 1500
    client = Client(server).start()
    client.send(b"".join(query("SELECT * FROM system_schema.columns", stream=stream)
                         for stream in range(count)))
    client.socket.shutdown(socket.SHUT_WR)
    assert sorted(client.receive().stream for _ in range(count)) == list(range(count))
    client.expect_end()


def test_half_a_request_at_the_end(server):
    whole = query("SELECT key FROM system.local", stream=1)
    client = ask_and_end(server, whole + whole[:-1])
    assert client.receive().stream == 1
    client.expect_end()


def test_nothing_asked(server):
    ask_and_end(server, b"").expect_end()
