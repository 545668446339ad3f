"""The Python driver against the embedded server, as its users write it."""

import datetime
import decimal
import uuid

import pytest
from cassandra import AlreadyExists, InvalidRequest
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
from cassandra.concurrent import execute_concurrent_with_args
from cassandra.policies import DCAwareRoundRobinPolicy, TokenAwarePolicy
from cassandra.protocol import SyntaxException
from cassandra.query import BatchStatement, BatchType, SimpleStatement, dict_factory

ROWS = 2500
KEYSPACE = "interop_python"
SCHEMA = [
    f"DROP KEYSPACE IF EXISTS {KEYSPACE}",
    f"CREATE KEYSPACE {KEYSPACE} WITH replication = "
    "{'class': 'SimpleStrategy', 'replication_factor': 1}",
    f"USE {KEYSPACE}",
    "CREATE TABLE items (id int PRIMARY KEY, name text, data blob)",
    "CREATE TABLE events (source text, day int, at timeuuid, value double, "
    "PRIMARY KEY ((source, day), at)) WITH CLUSTERING ORDER BY (at DESC) AND comment = 'kept'",
    "CREATE TABLE hits (id int PRIMARY KEY, total counter)",
    "CREATE TABLE types (id int PRIMARY KEY, a ascii, b bigint, bo boolean, da date, "
    "de decimal, d double, f float, i inet, s smallint, ti time, ts timestamp, tu timeuuid, "
    "ty tinyint, u uuid, vi varint)",
    "CREATE INDEX ON items (name)",
]


def connect(server, version=None, compression=False):
    profile = ExecutionProfile(
        load_balancing_policy=TokenAwarePolicy(DCAwareRoundRobinPolicy("datacenter1")),
        request_timeout=30)
    how = {"protocol_version": version} if version else {}
    return Cluster([server.address], port=server.port, compression=compression,
                   execution_profiles={EXEC_PROFILE_DEFAULT: profile}, **how)


# None: the driver finds out itself, from its newest version down.
@pytest.fixture(scope="module", params=[
    (3, False), (4, False), (4, "lz4"), (4, "snappy"), (5, False), (5, "lz4"), (None, True)],
    ids=lambda parameters: f"{parameters[0]}-{parameters[1]}")
def cluster(request, server):
    version, compression = request.param
    with connect(server, version, compression) as connected:
        session = connected.connect()
        for cql in SCHEMA:
            session.execute(cql)
        yield connected
        session.execute(f"DROP KEYSPACE {KEYSPACE}")


@pytest.fixture
def session(cluster):
    opened = cluster.connect(KEYSPACE)
    yield opened
    opened.shutdown()


def test_negotiates_the_newest_version(server):
    with connect(server) as cluster:
        cluster.connect()
        assert cluster.protocol_version == 5


def test_metadata(cluster):
    keyspace = cluster.metadata.keyspaces[KEYSPACE]
    table = keyspace.tables["events"]
    assert [column.name for column in table.partition_key] == ["source", "day"]
    assert [column.name for column in table.clustering_key] == ["at"]
    assert table.clustering_key[0].is_reversed
    assert table.options["comment"] == "kept"
    assert list(keyspace.tables["items"].indexes) == ["items_name_idx"]
    assert keyspace.tables["hits"].columns["total"].cql_type == "counter"
    assert cluster.metadata.token_map.ring
    assert "CREATE TABLE" in table.export_as_string()
    host, = cluster.metadata.all_hosts()
    assert host.is_up and host.host_id and host.release_version


def test_schema_changes_are_seen(cluster, session):
    session.execute("CREATE TABLE later (id int PRIMARY KEY)")
    assert "later" in cluster.metadata.keyspaces[KEYSPACE].tables
    session.execute("ALTER TABLE later ADD more text")
    assert "more" in cluster.metadata.keyspaces[KEYSPACE].tables["later"].columns
    session.execute("DROP TABLE later")
    assert "later" not in cluster.metadata.keyspaces[KEYSPACE].tables


def test_write_page_and_count(session):
    session.execute("TRUNCATE items")
    insert = session.prepare("INSERT INTO items (id, name, data) VALUES (?, ?, ?)")
    rows = [(i, f"name {i % 100}", bytes([i % 256]) * (i % 300)) for i in range(ROWS)]
    assert all(done for done, _ in execute_concurrent_with_args(session, insert, rows))
    found = list(session.execute(SimpleStatement("SELECT * FROM items", fetch_size=73)))
    assert sorted((row.id, row.name, row.data) for row in found) == rows
    assert session.execute("SELECT COUNT(*) FROM items").one()[0] == ROWS
    select = session.prepare("SELECT name, data FROM items WHERE id = ?")
    assert select.routing_key_indexes == [0] or session.cluster.protocol_version == 3
    for i in (0, 7, ROWS - 1):
        assert tuple(session.execute(select, [i]).one()) == rows[i][1:]
    assert session.execute(select, [-1]).one() is None
    by_name = session.prepare("SELECT id FROM items WHERE name = ?")
    by_name.fetch_size = 10
    assert sorted(row.id for row in session.execute(by_name, ["name 7"])) == list(
        range(7, ROWS, 100))


def test_paging_state_on_another_connection(cluster, session):
    session.execute("TRUNCATE items")
    for i in range(50):
        session.execute("INSERT INTO items (id, name) VALUES (%s, %s)", (i, "x"))
    statement = SimpleStatement("SELECT id FROM items", fetch_size=7)
    page = session.execute(statement)
    seen = [row.id for row in page.current_rows]
    while page.has_more_pages:
        other = cluster.connect(KEYSPACE)
        page = other.execute(statement, paging_state=page.paging_state)
        seen += [row.id for row in page.current_rows]
        other.shutdown()
    assert sorted(seen) == list(range(50))


def test_types(session):
    values = {
        "id": 1, "a": "ascii", "b": -2**63, "bo": False, "da": datetime.date(1969, 12, 31),
        "de": decimal.Decimal("-1.50E+10"), "d": 1e300, "f": 1.5, "i": "2001:db8::1", "s": -5,
        "ti": datetime.time(23, 59, 59, 999999), "ts": datetime.datetime(1960, 1, 2, 3, 4, 5),
        "tu": uuid.uuid1(), "ty": -128, "u": uuid.uuid4(), "vi": -2**200}
    names = ", ".join(values)
    marks = ", ".join("?" for _ in values)
    session.execute(session.prepare(f"INSERT INTO types ({names}) VALUES ({marks})"), values)
    by_name = session.execution_profile_clone_update(EXEC_PROFILE_DEFAULT,
                                                     row_factory=dict_factory)
    found = session.execute(f"SELECT {names} FROM types WHERE id = 1",
                            execution_profile=by_name).one()
    found["da"], found["ti"] = found["da"].date(), found["ti"].time()
    assert found == values
    # The same as text, which the driver writes into the statement.
    session.execute(f"INSERT INTO types ({names}) VALUES ({', '.join(['%s'] * len(values))})",
                    [2, *list(values.values())[1:]])
    again = session.execute("SELECT a, b, bo, de, d, i, s, tu, u, vi FROM types WHERE id = 2",
                            execution_profile=by_name).one()
    assert again == {name: values[name] for name in again}


def test_batches(session):
    session.execute("TRUNCATE items")
    insert = session.prepare("INSERT INTO items (id, name) VALUES (?, ?)")
    for kind in (BatchType.LOGGED, BatchType.UNLOGGED):
        batch = BatchStatement(kind)
        for i in range(10):
            batch.add(insert, (i + 100 * kind.value, "batch"))
        batch.add("INSERT INTO items (id, name) VALUES (%s, %s)", (1000 + kind.value, "text"))
        session.execute(batch)
    assert session.execute("SELECT COUNT(*) FROM items").one()[0] == 22
    counters = BatchStatement(BatchType.COUNTER)
    add = session.prepare("UPDATE hits SET total = total + ? WHERE id = ?")
    for amount in (5, 7, -2):
        counters.add(add, (amount, 1))
    session.execute(counters)
    assert session.execute("SELECT total FROM hits WHERE id = 1").one().total == 10


def test_clustering(session):
    insert = session.prepare("INSERT INTO events (source, day, at, value) VALUES (?, ?, ?, ?)")
    times = [uuid.uuid1() for _ in range(20)]
    for number, at in enumerate(times):
        session.execute(insert, ("s", 1, at, float(number)))
    select = session.prepare("SELECT value FROM events WHERE source = ? AND day = ? AND at > ?")
    newer = [row.value for row in session.execute(select, ("s", 1, times[9]))]
    assert newer == [float(number) for number in range(19, 9, -1)]


def test_conditions(session):
    insert = session.prepare("INSERT INTO items (id, name) VALUES (?, ?) IF NOT EXISTS")
    session.execute("DELETE FROM items WHERE id = 5000")
    assert session.execute(insert, (5000, "first")).was_applied
    refused = session.execute(insert, (5000, "second"))
    assert not refused.was_applied and refused.one().name == "first"


def test_errors(session):
    with pytest.raises(SyntaxException):
        session.execute("SELEC * FROM items")
    with pytest.raises(InvalidRequest):
        session.execute("SELECT nope FROM items")
    with pytest.raises(AlreadyExists):
        session.execute("CREATE TABLE items (id int PRIMARY KEY)")
    with pytest.raises(InvalidRequest):
        session.execute("USE no_such_keyspace")


def test_prepared_outlives_a_changed_table(session):
    session.execute("DROP TABLE IF EXISTS changing")
    session.execute("CREATE TABLE changing (id int PRIMARY KEY, a int)")
    select = session.prepare("SELECT * FROM changing WHERE id = ?")
    session.execute("INSERT INTO changing (id, a) VALUES (1, 2)")
    assert tuple(session.execute(select, [1]).one()) == (1, 2)
    session.execute("ALTER TABLE changing ADD b text")
    session.execute("INSERT INTO changing (id, a, b) VALUES (1, 3, 'new')")
    assert session.execute(select, [1]).one().a == 3
