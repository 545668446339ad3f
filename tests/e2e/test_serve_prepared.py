"""Prepared statements of `cqlperf serve` while the schema changes, as a driver sees it."""

import embedded
import pytest
from cassandra import InvalidRequest
from cassandra.cluster import Cluster

KEYSPACE = ("CREATE KEYSPACE {} WITH replication = "
            "{{'class': 'SimpleStrategy', 'replication_factor': 1}}")


@pytest.fixture(scope="module")
def server():
    with embedded.running("--threads", "2") as started:
        yield started


@pytest.fixture(params=[3, 4, 5])
def session(server, request):
    cluster = Cluster([server.address], port=server.port, protocol_version=request.param)
    session = cluster.connect()
    keyspace = f"prepared{request.param}"
    session.execute(f"DROP KEYSPACE IF EXISTS {keyspace}")
    session.execute(KEYSPACE.format(keyspace))
    session.set_keyspace(keyspace)
    session.execute("CREATE TABLE t (a int PRIMARY KEY, b int)")
    session.execute("INSERT INTO t (a, b) VALUES (1, 2)")
    yield session
    cluster.shutdown()


def test_a_column_that_is_added_is_seen(session):
    select = session.prepare("SELECT * FROM t WHERE a = ?")
    assert tuple(session.execute(select, [1]).one()) == (1, 2)
    session.execute("ALTER TABLE t ADD ab text")
    session.execute("UPDATE t SET ab = 'x' WHERE a = 1")
    for _ in range(3):
        assert session.execute(select, [1]).one()._asdict() == {"a": 1, "ab": "x", "b": 2}
    again = session.prepare("SELECT * FROM t WHERE a = ?")
    assert session.execute(again, [1]).one()._asdict() == {"a": 1, "ab": "x", "b": 2}
    assert session.execute(select, [1]).one()._asdict() == {"a": 1, "ab": "x", "b": 2}


def test_a_table_that_was_dropped_is_not_there_and_then_is_empty(session):
    select = session.prepare("SELECT b FROM t WHERE a = ?")
    insert = session.prepare("INSERT INTO t (a, b) VALUES (?, ?)")
    session.execute("DROP TABLE t")
    for statement, values in ((select, [1]), (insert, [1, 1])):
        with pytest.raises(InvalidRequest):
            session.execute(statement, values)
    session.execute("CREATE TABLE t (a int PRIMARY KEY, b int)")
    assert session.execute(select, [1]).one() is None
    session.execute(insert, [1, 7])
    assert session.execute(select, [1]).one().b == 7


def test_an_index_is_used_by_what_was_prepared_before_it(session):
    insert = session.prepare("INSERT INTO t (a, b) VALUES (?, ?)")
    session.execute("CREATE INDEX ON t (b)")
    session.execute(insert, [5, 2])
    rows = session.execute("SELECT a FROM t WHERE b = 2")
    assert sorted(row.a for row in rows) == [1, 5]


def test_named_values(session):
    rows = session.execute("SELECT b FROM t WHERE a = %(key)s", {"key": 1})
    assert rows.one().b == 2
    update = session.prepare("UPDATE t SET b = :value WHERE a = :key")
    session.execute(update, {"key": 1, "value": 9})
    assert session.execute("SELECT b FROM t").one().b == 9


def test_a_thousand_statements(session):
    statements = [session.prepare(f"SELECT b FROM t WHERE a = ? LIMIT {n}")
                  for n in range(1, 1001)]
    assert all(session.execute(statement, [1]).one().b == 2 for statement in statements)
