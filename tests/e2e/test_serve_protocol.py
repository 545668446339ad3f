"""What `cqlperf serve` does with bytes: versions, the handshake, frames that are wrong, clients
that are slow."""

import random
import struct
import time

import cql_wire as wire
import embedded
import pytest
from serve_client import (Client, execute, login, prepare, query, request, segment, startup)

VERSIONS = (3, 4, 5)
# Longer than the server waits for a client to be let in.
HANDSHAKE_S = 30


@pytest.fixture(scope="module")
def server():
    with embedded.running("--threads", "2") as started:
        yield started.server


@pytest.fixture(scope="module")
def guarded():
    with embedded.running("--storage", "null", "--auth", "loader:S3cret") as started:
        yield started.server


@pytest.fixture
def other(server):
    """Another client, which must be served whatever the first one does."""
    client = Client(server).start()
    yield client
    assert client.query("SELECT cluster_name FROM system.local").kind == 2
    client.close()


@pytest.mark.parametrize("version", [1, 2, 6, 7, 65, 66, 127])
def test_other_versions_are_told_what_there_is(server, version):
    client = Client(server)
    answer = client.ask(request(version, wire.OPTIONS, stream=77))
    assert answer.error_code == wire.PROTOCOL_ERROR and answer.version == 5
    assert answer.error_text == (f"Invalid or unsupported protocol version ({version}); supported "
                                 "versions are (3/v3, 4/v4, 5/v5)")
    if version > 2:
        assert answer.stream == 77
    client.expect_end()


@pytest.mark.parametrize("version", VERSIONS)
def test_options_come_before_startup(server, version):
    client = Client(server)
    answer = client.ask(request(version, wire.OPTIONS, stream=5))
    assert (answer.opcode, answer.version, answer.stream) == (wire.SUPPORTED, version, 5)
    for text in (b"CQL_VERSION", b"COMPRESSION", b"lz4", b"snappy", b"PROTOCOL_VERSIONS", b"5/v5"):
        assert text in answer.body
    client.start(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_query_is_answered_in_its_version(server, version):
    client = Client(server).start(version)
    text = query("SELECT cluster_name FROM system.local", version, stream=300)
    answer = client.ask(segment(text) if version >= 5 else text)
    assert (answer.version, answer.stream, answer.kind) == (version, 300, 2)
    assert b"cqlperf" in answer.body


def test_many_requests_in_one_segment_and_one_over_many(server):
    client = Client(server).start(5)
    frames = b"".join(query("SELECT key FROM system.local", 5, stream) for stream in range(50))
    client.send(segment(frames))
    assert sorted(client.receive().stream for _ in range(50)) == list(range(50))
    large = query("SELECT key FROM system.local --" + "x" * 300_000, 5, stream=9)
    pieces = [large[at:at + 100_000] for at in range(0, len(large), 100_000)]
    client.send(b"".join(segment(piece, self_contained=False) for piece in pieces))
    answer = client.receive()
    assert (answer.stream, answer.kind) == (9, 2)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("opcode", [wire.QUERY, wire.PREPARE, wire.EXECUTE, wire.BATCH,
                                    wire.REGISTER, wire.AUTH_RESPONSE])
def test_nothing_but_options_comes_before_startup(server, other, version, opcode):
    client = Client(server)
    answer = client.ask(request(version, opcode, bytes(20), stream=3))
    assert answer.error_code == wire.PROTOCOL_ERROR and answer.stream == 3
    assert "STARTUP" in answer.error_text
    client.expect_end()


def test_startup_needs_a_cql_version(server):
    client = Client(server)
    answer = client.ask(request(4, wire.STARTUP, wire.short(0)))
    assert answer.error_code == wire.PROTOCOL_ERROR and "CQL_VERSION" in answer.error_text
    client.expect_end()


def test_unknown_startup_options_are_ignored(server):
    Client(server).start(4, DRIVER_NAME="x", THROW_ON_OVERLOAD="1", SCYLLA_SHARD="y")


def test_an_unknown_compression_is_refused(server):
    answer = Client(server).ask(startup(4, COMPRESSION="zip"))
    assert answer.error_code == wire.PROTOCOL_ERROR and "zip" in answer.error_text
    assert Client(server).ask(startup(5, COMPRESSION="snappy")).error_code == wire.PROTOCOL_ERROR


def broken_frames(version):
    """Name -> what follows a good handshake."""
    opcode_at = 4
    good = bytearray(query("SELECT key FROM system.local", version))
    unknown = bytearray(good)
    unknown[opcode_at] = 0x77
    answer = bytearray(good)
    answer[0] |= 0x80
    flags = bytearray(good)
    flags[1] = 0x80
    other_version = bytearray(good)
    other_version[0] = 3 if version != 3 else 4
    long = request(version, wire.QUERY, wire.int_(1000) + b"SELECT")
    return {
        "unknown opcode": bytes(unknown),
        "a response": bytes(answer),
        "unknown flags": bytes(flags),
        "another version": bytes(other_version),
        "a text beyond its end": long,
        "an empty query": request(version, wire.QUERY, b""),
        "bytes left over": request(
            version, wire.PREPARE, wire.int_(3) + b"abc" + bytes(50)),
        "a negative length": request(version, wire.QUERY, wire.int_(-5) + bytes(10)),
        "a second STARTUP": startup(version),
        "an unknown event": request(version, wire.REGISTER, wire.string_list(["WEATHER"])),
        "a batch of another kind": request(version, wire.BATCH, bytes([9]) + bytes(20)),
        "compressed without agreement": request(version, wire.QUERY, b"abcdef", flags=1),
    }


@pytest.mark.parametrize("name", broken_frames(4))
@pytest.mark.parametrize("version", VERSIONS)
def test_a_broken_frame_ends_its_connection_alone(server, other, version, name):
    if version == 5 and name == "compressed without agreement":
        pytest.skip("version 5 ignores the flag")
    client = Client(server).start(version)
    frame = broken_frames(version)[name]
    client.send(segment(frame) if version >= 5 else frame)
    assert client.receive().error_code == wire.PROTOCOL_ERROR
    client.expect_end()


def test_a_frame_that_is_too_large_is_refused_before_it_comes(server, other):
    client = Client(server).start()
    client.send(struct.pack(">BBhBI", 4, 0, 1, wire.QUERY, (256 << 20) + 1))
    assert client.receive().error_code == wire.PROTOCOL_ERROR
    client.expect_end()


@pytest.mark.parametrize("at", [0, 3, 8, -1])
def test_a_broken_segment_ends_its_connection_alone(server, other, at):
    client = Client(server).start(5)
    broken = bytearray(segment(query("SELECT key FROM system.local", 5)))
    broken[at] ^= 0x01
    client.send(bytes(broken) + bytes(200_000))
    assert client.receive().error_code == wire.PROTOCOL_ERROR
    client.expect_end()


@pytest.mark.parametrize("version", (0,) + VERSIONS)
def test_noise_ends_its_connection_alone(server, other, version):
    noise = random.Random(version)
    for _ in range(40):
        client = Client(server)
        if version:
            client.start(version)
        try:
            client.send(noise.randbytes(noise.randrange(1, 2000)))
            client.socket.shutdown(1)
            while client.socket.recv(65536):
                continue
        except (ConnectionResetError, BrokenPipeError):
            continue
        finally:
            client.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_frame_may_come_byte_by_byte(server, version):
    client = Client(server)
    for byte in startup(version):
        client.send(bytes([byte]))
    assert client.receive().opcode == wire.READY
    client.in_segments = version >= 5
    text = query("SELECT key FROM system.local", version)
    for byte in segment(text) if version >= 5 else text:
        client.send(bytes([byte]))
    assert client.receive().kind == 2


def test_values_are_counted(server):
    client = Client(server).start()
    client.query("CREATE KEYSPACE IF NOT EXISTS counted WITH replication = "
                 "{'class': 'SimpleStrategy', 'replication_factor': 1}")
    client.query("CREATE TABLE IF NOT EXISTS counted.t (a int PRIMARY KEY, b int)")
    prepared_id = client.ask(prepare("INSERT INTO counted.t (a, b) VALUES (?, ?)")).prepared_id
    answer = client.ask(execute(prepared_id, [wire.int_(1)]))
    assert answer.error_code == wire.INVALID
    assert answer.error_text == "there were 2 markers(?) in CQL but 1 bound variables"
    answer = client.query("INSERT INTO counted.t (a, b) VALUES (?, ?)")
    assert answer.error_text == "Invalid amount of bind variables"
    assert client.ask(execute(prepared_id, [wire.int_(1), wire.int_(2)])).kind == 1


def test_use_of_a_keyspace_that_is_not_there(server):
    answer = Client(server).start().query("USE nowhere")
    assert answer.error_code == wire.INVALID
    assert answer.error_text == "Keyspace 'nowhere' does not exist"


def test_schema_events_go_to_those_that_asked(server):
    watcher, idle, maker = (Client(server).start() for _ in range(3))
    assert watcher.ask(request(4, wire.REGISTER,
                               wire.string_list(["SCHEMA_CHANGE"]))).opcode == wire.READY
    maker.query("CREATE KEYSPACE watched WITH replication = "
                "{'class': 'SimpleStrategy', 'replication_factor': 1}")
    event = watcher.receive()
    assert (event.opcode, event.stream) == (wire.EVENT, -1)
    assert event.body == (wire.string("SCHEMA_CHANGE") + wire.string("CREATED") +
                          wire.string("KEYSPACE") + wire.string("watched"))
    maker.query("DROP KEYSPACE watched")
    assert b"DROPPED" in watcher.receive().body
    assert idle.query("SELECT key FROM system.local").kind == 2


def test_a_client_that_does_not_read_holds_up_nobody(server, other):
    slow = Client(server).start()
    count = 3000
    slow.send(b"".join(query("SELECT * FROM system_schema.columns", stream=stream)
                       for stream in range(count)))
    for _ in range(20):
        started = time.monotonic()
        assert other.query("SELECT key FROM system.local").kind == 2
        assert time.monotonic() - started < 20
    assert sorted(slow.receive().stream for _ in range(count)) == list(range(count))


def test_a_login_is_needed(guarded):
    client = Client(guarded)
    answer = client.ask(startup())
    assert answer.opcode == wire.AUTHENTICATE
    assert answer.body == wire.string("org.apache.cassandra.auth.PasswordAuthenticator")
    answer = client.ask(query("SELECT key FROM system.local"))
    assert answer.error_code == wire.PROTOCOL_ERROR
    client.expect_end()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_right_password_lets_in(guarded, version):
    client = Client(guarded)
    assert client.ask(startup(version)).opcode == wire.AUTHENTICATE
    client.in_segments = version >= 5
    wrong, right = login("loader", "S3cre", version), login("loader", "S3cret", version)
    text = query("SELECT key FROM system.local", version)
    if version >= 5:
        wrong, right, text = segment(wrong), segment(right), segment(text)
    answer = client.ask(wrong)
    assert answer.error_code == wire.BAD_CREDENTIALS and "S3cre" not in answer.error_text
    assert client.ask(right).opcode == wire.AUTH_SUCCESS
    assert client.ask(text).kind == 2


def test_three_wrong_passwords_end_the_connection(guarded):
    client = Client(guarded)
    assert client.ask(startup()).opcode == wire.AUTHENTICATE
    for _ in range(3):
        assert client.ask(login("loader", "guess")).error_code == wire.BAD_CREDENTIALS
    client.expect_end()


def test_who_is_not_let_in_cannot_send_much(guarded):
    client = Client(guarded)
    client.send(startup())
    assert client.receive().opcode == wire.AUTHENTICATE
    client.send(struct.pack(">BBhBI", 4, 0, 1, wire.AUTH_RESPONSE, 200 << 20) + bytes(2 << 20))
    assert client.receive().error_code == wire.PROTOCOL_ERROR
    client.expect_end()


def test_half_open_clients_are_let_go(server, other):
    """Nothing sent, half a header, only OPTIONS, half a STARTUP."""
    halves = [Client(server) for _ in range(4)]
    halves[1].send(startup()[:5])
    halves[2].ask(request(4, wire.OPTIONS))
    halves[3].send(startup()[:-3])
    started = time.monotonic()
    for half in halves:
        half.socket.settimeout(HANDSHAKE_S + 20)
        half.expect_end()
    assert time.monotonic() - started > HANDSHAKE_S - 2
