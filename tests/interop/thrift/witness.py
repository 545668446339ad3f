"""The Java classes of Cassandra's RPC interface (Witness.java) against a server that speaks Thrift,
with the Python driver on its CQL side."""

import subprocess
import sys
from pathlib import Path

from cassandra import InvalidRequest, ReadFailure
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile

for folder in ("interop", "support"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / folder))

from other_program import BUILD_TIMEOUT_S, find, run  # noqa: E402
from program import wait_until  # noqa: E402

HERE = Path(__file__).resolve().parent
KEYSPACE = "thrift_witness"
COLUMNS = [f"C{i}" for i in range(5)]


def build(folder):
    """The class path of the witness, which is built in `folder`."""
    jars, classes = folder / "thrift-jars", folder / "thrift-classes"
    if not list(jars.glob("cassandra-thrift-*.jar")):
        run(find("mvn"), "-q", "-B", "-f", HERE / "pom.xml", "dependency:copy-dependencies",
            f"-DoutputDirectory={jars}", timeout_s=BUILD_TIMEOUT_S)
    run(find("javac"), "-d", classes, "-cp", f"{jars}/*", HERE / "Witness.java")
    return f"{jars}/*:{classes}"


class Witness:
    """One server, by its address and both of its ports."""

    def __init__(self, class_path, address, port, thrift_port):
        self.class_path = class_path
        self.address = address
        self.port = port
        self.thrift_port = thrift_port

    def run(self, *what, keyspace=KEYSPACE):
        """Runs a part of the witness, which must find all as it expects."""
        done = subprocess.run(
            [find("java"), "-Xmx256m", "-cp", self.class_path, "Witness", self.address,
             str(self.thrift_port), keyspace, *what],
            text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.startswith("ok "), done.stdout

    def session(self):
        """A session of the Python driver and the cluster that ends it."""
        profile = ExecutionProfile(request_timeout=60)
        cluster = Cluster([self.address], port=self.port, connect_timeout=20,
                          execution_profiles={EXEC_PROFILE_DEFAULT: profile})
        return cluster.connect(), cluster

    def check_forms(self, program):
        """What `cqlperf forms` writes over Thrift the Java classes read; and it reads what they
        have written: they delete every row and write it again."""
        self.run_beside(program, "look", "forms_1", "--scenarios", "inserts", "--settle", "0",
                        "--duration", "10s")
        self.run_beside(program, "rewrite", "forms", "--scenarios", "reads", "--settle", "12s",
                        "--duration", "1s")

    def run_beside(self, program, what, table, *flags):
        rows = 20
        running = program.start(
            "forms", "--server", f"{self.address}:{self.port}", "--thrift-port",
            str(self.thrift_port), "--forms", "rpc", "--rounds", "1",
            "--rows", str(rows), "--read-keys", "uniform", "--warm-up", "0", "--rate-limit", "200",
            *flags)
        session, cluster = self.session()
        try:
            wait_until(lambda: count(session, f"cqlperf_forms.{table}") == rows)
            self.run(what, table, str(rows), keyspace="cqlperf_forms")
            assert not running.ended
        finally:
            cluster.shutdown()
        out = running.wait(0).stdout
        assert "verified: 1 form x 1 round" in out, out

    def check_data(self):
        """What each side writes the other reads."""
        session, cluster = self.session()
        try:
            make_tables(session)
            self.run("write")
            check_what_was_written(session)
            write_in_cql(session)
            self.run("read")
            assert session.execute("SELECT * FROM standard").one() is None
        finally:
            cluster.shutdown()


def count(session, table):
    """None while there is no such table."""
    try:
        return len(list(session.execute(f"SELECT id FROM {table}")))
    except InvalidRequest:
        return None


def make_tables(session):
    for name in (KEYSPACE, f"{KEYSPACE}_made"):
        session.execute(f"DROP KEYSPACE IF EXISTS {name}")
    session.execute(f"CREATE KEYSPACE {KEYSPACE} WITH replication = "
                    "{'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.set_keyspace(KEYSPACE)
    for table, kind in (("standard", "blob"), ("counters", "counter")):
        columns = ", ".join(f'"{name}" {kind}' for name in COLUMNS)
        session.execute(f"CREATE TABLE {table} (key blob PRIMARY KEY, {columns}) "
                        "WITH COMPACT STORAGE")


def row_of(session, table, key):
    row = session.execute(f"SELECT * FROM {table} WHERE key = %s", (key,)).one()
    return row and tuple(row)


def check_what_was_written(session):
    assert row_of(session, "standard", b"batch") == (
        b"batch", b"zero", b"one", b"second", None, b"four")
    assert row_of(session, "standard", b"insert") == (b"insert", None, None, None, b"", None)
    assert row_of(session, "standard", b"deleted") == (
        b"deleted", b"newer", None, None, None, None)
    assert row_of(session, "standard", b"json") == (b"json", b"hi", None, None, None, b"ho")
    assert row_of(session, "counters", b"counted") == (b"counted", 12, -2, 9, 7, None)
    many = [row for row in session.execute('SELECT key, "C0" FROM standard')
            if row[0].startswith(b"many")]
    assert sorted(many) == sorted((f"many{i}".encode(), f"value{i}".encode())
                                  for i in range(100))
    time, ttl = session.execute('SELECT WRITETIME("C1"), TTL("C1") FROM standard '
                                "WHERE key = %s", (b"expiring",)).one()
    assert time == 20 and 0 < ttl <= 3600


def write_in_cql(session):
    session.execute('INSERT INTO standard (key, "C0", "C1") VALUES (%s, %s, %s) '
                    "USING TIMESTAMP 77", (b"cql", b"from cql", b"indexed"))
    session.execute('UPDATE counters SET "C0" = "C0" + 41 WHERE key = %s', (b"cql",))
    session.execute('CREATE INDEX ON standard ("C1")')
    assert wait_until(lambda: found_by_index(session), what="the index") == (b"batch",)


def found_by_index(session):
    """What Thrift wrote; None while Cassandra, which answers earlier, is building the index."""
    try:
        return session.execute('SELECT key FROM standard WHERE "C1" = %s', (b"one",)).one()
    except ReadFailure:
        return None
