"""Real servers for the tests: started by scripts/cassandra, watched through the Python driver."""

import contextlib
import json
import os
import signal
import subprocess

from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
from cassandra.policies import RoundRobinPolicy
from program import ROOT

# The instances have names and addresses of their own, so that nobody else's data is touched.
ADDRESSES = {"5.0.8": "127.0.0.31", "3.11.19": "127.0.0.35"}
LOGIN_ADDRESS = "127.0.0.39"

SCRIPT = ROOT / "scripts" / "cassandra"


class Server:
    """One node of Cassandra, as scripts/cassandra keeps it."""

    def __init__(self, version, address, login=False):
        self.version = version
        self.address = address
        self.login = login
        self.name = f"test-{version}-login" if login else f"test-{version}"
        self.server = f"{address}:9042"

    def start(self):
        """Returns when it serves; does nothing when it already does."""
        flags = ["--auth"] if self.login else []
        self._script("start", "--version", self.version, "--address", self.address, *flags)

    def stop(self):
        self._script("stop", "--version", self.version)

    def _script(self, command, *flags):
        done = subprocess.run([SCRIPT, command, "--name", self.name, *flags], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=400)
        assert done.returncode == 0, done.stdout + done.stderr

    @property
    def pid(self):
        """None when it does not run."""
        done = subprocess.run([SCRIPT, "status", "--name", self.name, "--json"], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        instance, = json.loads(done.stdout)
        return instance["nodes"][0]["pid"] if instance["nodes"] else None

    @contextlib.contextmanager
    def frozen(self):
        """Stopped by the kernel, and let go on at the end."""
        pid = self.pid
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)

    @contextlib.contextmanager
    def session(self, user="cassandra", password="cassandra"):
        """Of the Python driver: the independent witness."""
        provider = PlainTextAuthProvider(user, password) if self.login else None
        profile = ExecutionProfile(load_balancing_policy=RoundRobinPolicy(), request_timeout=60)
        cluster = Cluster([self.address], auth_provider=provider, connect_timeout=20,
                          execution_profiles={EXEC_PROFILE_DEFAULT: profile})
        try:
            yield cluster.connect()
        finally:
            cluster.shutdown()

    def keyspaces(self):
        """Those that are not the server's own."""
        with self.session() as session:
            return {row.keyspace_name
                    for row in session.execute("SELECT keyspace_name FROM system_schema.keyspaces")
                    if not row.keyspace_name.startswith("system")}

    def count(self, table="test_keyspace.test_table"):
        with self.session() as session:
            return session.execute(f"SELECT count(*) FROM {table}").one()[0]

    def execute(self, *statements):
        with self.session() as session:
            for statement in statements:
                session.execute(statement)

    def drop_keyspaces(self):
        for name in self.keyspaces():
            self.execute(f'DROP KEYSPACE "{name}"')


@contextlib.contextmanager
def running(server):
    """Uses the server when it runs already, else starts it and stops it at the end."""
    was_there = server.pid is not None
    server.start()
    try:
        server.drop_keyspaces()
        yield server
    finally:
        if not was_there:
            server.stop()
