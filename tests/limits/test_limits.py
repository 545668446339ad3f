"""How much the embedded server holds: connections, statements, large values; and its memory."""

import re
import resource
from pathlib import Path

import embedded
import pytest
from program import program  # noqa: F401
from raw_client import RawClient
from raw_frames import OPTIONS, RESULT, SUPPORTED, connect, frame, query, read_ids, receive

IDLE, BUSY, STATEMENTS = 5000, 500, 1000
LARGE_VALUE = 64 << 20
# benchmarks/server_limit reads ten million.
ROWS = 1_000_000
MEMORY = 128 << 20
# What the server may need besides --memory, by its documentation.
MEMORY_CONSTANT = 192 << 20
KEYSPACE = ("CREATE KEYSPACE limits WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}")


def resident_bytes(server, field="VmRSS"):
    """The server's memory now, or the most that it ever had (VmHWM)."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) * 1024


@pytest.fixture
def server():
    with embedded.running("--memory", str(MEMORY)) as started:
        yield started


@pytest.fixture
def many_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < IDLE + BUSY + 200:
        pytest.skip(f"at most {hard} open files are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_connections(many_descriptors, server):
    before = resident_bytes(server)
    idle = [connect(server) for _ in range(IDLE)]
    busy = [connect(server) for _ in range(BUSY)]
    assert resident_bytes(server) - before < (IDLE + BUSY) * 8192
    for round_number in range(20):
        for connection in busy:
            for stream in range(10):
                connection.sendall(query("SELECT key FROM system.local", stream))
        for connection in busy:
            for _ in range(10):
                assert receive(connection)[0] == RESULT, round_number
    for connection in idle:
        connection.sendall(frame(OPTIONS))
        assert receive(connection)[0] == SUPPORTED
    for connection in idle + busy:
        connection.close()


def test_prepared_statements(server):
    client = RawClient(server.address, server.port)
    client.query(KEYSPACE)
    client.query("CREATE TABLE limits.t (id int PRIMARY KEY, v int)")
    texts = [f"INSERT INTO limits.t (id, v) VALUES (?, {number})" for number in range(STATEMENTS)]
    ids = [client.prepare(text).query_id for text in texts]
    assert len(set(ids)) == STATEMENTS
    for number, text in enumerate(texts):
        assert client.execute(text, [number]).kind == 1
    rows = dict(client.query("SELECT id, v FROM limits.t").parsed_rows)
    assert rows == {number: number for number in range(STATEMENTS)}
    client.close()


def test_large_value(server):
    client = RawClient(server.address, server.port)
    client.query(KEYSPACE)
    client.query("CREATE TABLE limits.large (id int PRIMARY KEY, v blob)")
    value = bytes(range(256)) * (LARGE_VALUE // 256)
    answer = client.execute("INSERT INTO limits.large (id, v) VALUES (?, ?)", [1, value])
    assert answer.kind == 1
    found = client.execute("SELECT v FROM limits.large WHERE id = ?", [1])
    assert found.parsed_rows[0][0] == value
    assert client.query("SELECT * FROM limits.large").parsed_rows[0][1] == value
    client.close()


def test_plans_of_prepared_statements_are_bounded(server):
    """The plan of a long list is a hundred times its text."""
    client = RawClient(server.address, server.port)
    client.query(KEYSPACE)
    client.query("CREATE TABLE limits.t (id int PRIMARY KEY, v int)")
    markers = ", ".join(["?"] * 20_000)
    for number in range(100):
        text = f"SELECT v FROM limits.t WHERE id IN ({markers}) AND v = {number} ALLOW FILTERING"
        assert len(client.prepare(text).bind_metadata) == 20_000
    assert resident_bytes(server, "VmHWM") < MEMORY + MEMORY_CONSTANT
    client.close()


@pytest.mark.parametrize("where", ["id IN (0, 1, 2, 3, 4, 5, 6, 7, 8)", "id = 1"])
def test_clients_that_take_nothing_cost_little(server, where):
    """Each wants nine gigabytes at once, or as much by single rows, and reads none of it."""
    clients = 10
    writer = RawClient(server.address, server.port)
    writer.query(KEYSPACE)
    writer.query("CREATE TABLE limits.large (id int PRIMARY KEY, v blob)")
    for number in range(9):
        writer.execute("INSERT INTO limits.large (id, v) VALUES (?, ?)", [number, bytes(1 << 20)])
    text = f"SELECT * FROM limits.large WHERE {where}"
    requests = b"".join(query(text, stream) for stream in range(1000))
    greedy = [connect(server) for _ in range(clients)]
    for connection in greedy:
        connection.sendall(requests)
    # Others are served, and when they are, each of those has got all that it may have.
    for _ in range(50):
        assert writer.query("SELECT count(*) FROM limits.large").parsed_rows[0][0] == 9
    per_client = 48 << 20
    assert (resident_bytes(server, "VmHWM") <
            MEMORY + MEMORY_CONSTANT + clients * per_client)
    # One that reads at last gets everything.
    for _ in range(1000 if where == "id = 1" else 50):
        assert receive(greedy[0])[0] == RESULT
    for connection in greedy:
        connection.close()
    writer.close()


def test_pages_through_many_rows_in_bounded_memory(server, program):
    """Every row comes once, and neither writing nor reading takes more memory than stated."""
    program.load(server.server, "--count", str(ROWS), "--serial", "--save", "--parallelism", "500")
    connection = connect(server)
    seen = bytearray(ROWS)
    for number in read_ids(connection, "test_keyspace.test_table", 4, 5000):
        seen[number] += 1
    connection.close()
    assert seen == b"\1" * ROWS
    program.load(server.server, "read", "--count", "300k", "--keys", str(ROWS), "--save")
    assert resident_bytes(server, "VmHWM") < MEMORY + MEMORY_CONSTANT
