"""A server killed under write load comes back with every row that it had acknowledged."""

import random
import time

import embedded
from acknowledged_writer import Writer, value_of
from program import wait_until
from raw_client import RawClient

ROUNDS = 20
CONNECTIONS = 3
ROWS_PER_WRITER = 100_000_000
SEED = 20
INSERT = "INSERT INTO kill.rows (id, v) VALUES (:id, :v)"
BATCH = ("BEGIN BATCH INSERT INTO kill.rows (id, v) VALUES (:id, :v) "
         "INSERT INTO kill.others (id, v) VALUES (:id, :v) APPLY BATCH")


def set_up(server):
    client = RawClient(server.address, server.port)
    for cql in ["CREATE KEYSPACE kill WITH replication = "
                "{'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE kill.rows (id bigint PRIMARY KEY, v blob)",
                "CREATE TABLE kill.others (id bigint PRIMARY KEY, v blob)"]:
        answer = client.query(cql)
        assert answer.kind == 5, answer
    client.close()


def read_all(server, table):
    """Every row of the table, by pages."""
    client = RawClient(server.address, server.port)
    rows, state = {}, None
    while True:
        page = client.query(f"SELECT id, v FROM kill.{table}", 5000, state)
        rows.update(page.parsed_rows)
        state = page.paging_state
        if not state:
            client.close()
            return rows


def write_until_killed(server, round_number, random_source):
    """The rows that were acknowledged before the server was killed, at a moment in mid-write that
    differs from round to round."""
    writers = [Writer(server, INSERT if number else BATCH,
                      (round_number * CONNECTIONS + number) * ROWS_PER_WRITER)
               for number in range(CONNECTIONS)]
    for writer in writers:
        writer.start()
    wait_until(lambda: all(writer.acknowledged for writer in writers), what="the first rows")
    time.sleep(random_source.uniform(0.05, 0.6))
    server.kill()
    acknowledged = set()
    for writer in writers:
        writer.stop()
        assert not writer.errors, writer.errors[0]
        acknowledged.update(writer.acknowledged)
    return acknowledged


def test_every_acknowledged_row_is_there(tmp_path):
    random_source = random.Random(SEED)
    acknowledged = set()
    server = embedded.start("--data", tmp_path / "data")
    set_up(server)
    for round_number in range(ROUNDS):
        acknowledged |= write_until_killed(server, round_number, random_source)
        server = embedded.start("--data", tmp_path / "data")
        rows = read_all(server, "rows")
        missing = acknowledged - rows.keys()
        assert not missing, f"round {round_number}: {len(missing)} of {len(acknowledged)} are gone"
        wrong = [row for row, value in rows.items() if value != value_of(row)]
        assert not wrong, f"round {round_number}: rows {wrong[:5]} hold something else"
        # A batch is there as a whole or not at all.
        batches = {row for row in rows if row // ROWS_PER_WRITER % CONNECTIONS == 0}
        assert read_all(server, "others").keys() == batches
    assert server.stop() == 0
    assert len(acknowledged) >= ROUNDS * CONNECTIONS
