"""The mock server itself, against another client: what its other tests say rests on it."""

import logging

import cql_wire as wire
import pytest
from cassandra import InvalidRequest, OperationTimedOut, Unavailable, WriteTimeout
from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import (EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile,
                               NoHostAvailable)
from cassandra.policies import RoundRobinPolicy
from mock_server import OVERLOADED, UNAVAILABLE, WRITE_TIMEOUT, Faults

KEYSPACE = ("CREATE KEYSPACE \"MyKs\" WITH REPLICATION = "
            "{'class' : 'SimpleStrategy', 'replication_factor' : 1}")
TABLE = ("CREATE TABLE \"MyKs\".test_table (id INT PRIMARY KEY, va INT, vb INT, vc INT) "
         "WITH comment = 'ours'")
INSERT = 'INSERT INTO "MyKs".test_table (id, va, vb, vc) VALUES (?,?,?,?)'
SELECT = 'SELECT va, vb, vc FROM "MyKs".test_table WHERE id = ?'


@pytest.fixture
def connect():
    """Makes sessions of the Python driver, and ends them."""
    logging.getLogger("cassandra").setLevel(logging.CRITICAL)
    clusters = []

    def make(mock, **settings):
        profile = ExecutionProfile(load_balancing_policy=RoundRobinPolicy())
        cluster = Cluster([mock.nodes[0].address], port=mock.port,
                          execution_profiles={EXEC_PROFILE_DEFAULT: profile}, **settings)
        clusters.append(cluster)
        return cluster.connect()

    yield make
    for cluster in clusters:
        cluster.shutdown()


@pytest.fixture
def session(mock, connect):
    made = connect(mock)
    made.execute(KEYSPACE)
    made.execute(TABLE)
    return made


def test_the_driver_sees_the_schema(session):
    keyspaces = session.cluster.metadata.keyspaces
    table = keyspaces["MyKs"].tables["test_table"]
    assert list(table.columns) == ["id", "va", "vb", "vc"]
    assert table.options["comment"] == "ours"
    with pytest.raises(InvalidRequest, match="nothing"):
        session.execute("DROP KEYSPACE nothing")
    session.execute('DROP KEYSPACE "MyKs"')
    assert "MyKs" not in session.cluster.metadata.keyspaces


@pytest.mark.parametrize("version", [3, 4])
def test_rows_are_stored_and_read(mock, connect, version):
    mock.faults.max_version = version
    session = connect(mock)
    session.execute(KEYSPACE)
    session.execute(TABLE)
    insert, select = session.prepare(INSERT), session.prepare(SELECT)
    for key in range(10):
        session.execute(insert, (key, 2 * key, 3 * key, -key))
    assert tuple(session.execute(select, (7,)).one()) == (14, 21, -7)
    assert session.execute(select, (70,)).one() is None
    assert session.execute('SELECT count(*) FROM "MyKs".test_table').one().count == 10
    assert mock.rows("MyKs")[7] == {"id": 7, "va": 14, "vb": 21, "vc": -7}
    assert sorted(mock.log.writes) == list(range(10)) and mock.log.reads == [7, 70]
    assert mock.log.consistencies[wire.EXECUTE] == {"LOCAL_ONE": 12}
    session.execute('TRUNCATE "MyKs".test_table')
    assert mock.rows("MyKs") == {}


def test_errors_come_on_demand(mock, session):
    insert = session.prepare(INSERT)
    mock.faults.error = WRITE_TIMEOUT
    with pytest.raises(WriteTimeout, match="received only 1"):
        session.execute(insert, (1, 1, 1, 1))
    mock.faults.error = UNAVAILABLE
    with pytest.raises((Unavailable, NoHostAvailable)):
        session.execute(insert, (1, 1, 1, 1))
    mock.faults.error, mock.faults.error_share = OVERLOADED, 0.25
    assert sum(mock.takes_share(0.25) for _ in range(100)) == 25
    mock.faults.error = None
    mock.faults.unprepared_first = 1
    session.execute(insert, (2, 1, 1, 1))
    assert mock.log.writes == [2] and mock.log.prepares.count(INSERT) == 2


def test_reads_are_spoilt_on_demand(mock, session):
    insert, select = session.prepare(INSERT), session.prepare(SELECT)
    session.execute(insert, (1, 2, 3, 4))
    mock.faults.wrong_value_every, mock.faults.missing_row_every = 1, 2
    assert session.execute(select, (1,)).one().vc != 4
    assert session.execute(select, (1,)).one() is None


def test_silence_and_freezing(mock, session):
    insert = session.prepare(INSERT)
    mock.faults.mute_every = 1
    with pytest.raises(OperationTimedOut):
        session.execute(insert, (1, 1, 1, 1), timeout=0.2)
    mock.faults.mute_every = 0
    mock.freeze(0.5)
    with pytest.raises(OperationTimedOut):
        session.execute(insert, (1, 1, 1, 1), timeout=0.1)
    session.execute(insert, (2, 1, 1, 1), timeout=10)


def test_logins_are_checked(mock_with_login, connect):
    connect(mock_with_login, auth_provider=PlainTextAuthProvider("loader", "S3cret-Phrase"))
    with pytest.raises(NoHostAvailable, match="Provided username loader"):
        connect(mock_with_login, auth_provider=PlainTextAuthProvider("loader", "wrong"))
    with pytest.raises(NoHostAvailable):
        connect(mock_with_login)


@pytest.mark.parametrize("faults", [Faults(http=True), Faults(close_at_accept=True),
                                    Faults(close_after_startup=True), Faults(silent=True)])
def test_nobody_can_connect(mock, connect, faults):
    mock.faults = faults
    with pytest.raises(NoHostAvailable):
        connect(mock, connect_timeout=1)


def test_coming_back_on_the_same_port(mock, connect):
    port = mock.port
    mock.go_down()
    with pytest.raises(NoHostAvailable):
        connect(mock)
    mock.come_back()
    connect(mock)
    assert mock.port == port
