"""A server that asks for a login and checks permissions."""

import time

import pytest


@pytest.fixture
def poor_user(login_server):
    """A user who may log in, and nothing else."""
    name = f"poor_{time.time_ns()}"
    login_server.execute(f"CREATE ROLE {name} WITH PASSWORD = 'nothing' AND LOGIN = true")
    yield name
    login_server.execute(f"DROP ROLE {name}")


def test_a_good_login(program, login_server):
    finished = program.load(login_server.server, "--user", "cassandra", "--count", "100",
                            "--serial", "--save", environment={"CQLPERF_PASSWORD": "cassandra"})
    assert finished.summary["operations"] == login_server.count() == 100


def test_a_wrong_password(program, login_server):
    finished = program.load(login_server.server, "--user", "cassandra", "--password", "Wr0ng-One",
                            code=3)
    assert "Provided username cassandra and/or password are incorrect" in finished.stderr
    assert finished.seconds < 10
    assert "Wr0ng-One" not in finished.stderr + finished.json_path.read_text()


def test_no_login_at_all(program, login_server):
    finished = program.load(login_server.server, code=3)
    assert "--user" in finished.stderr and finished.seconds < 10


def test_no_permission_for_a_keyspace(program, login_server, poor_user):
    finished = program.load(login_server.server, "--user", poor_user, "--password", "nothing",
                            code=3)
    assert "CREATE permission" in finished.stderr
    assert login_server.keyspaces() == set()


def test_no_permission_to_write(program, login_server, poor_user):
    login_server.execute(
        "CREATE KEYSPACE theirs WITH replication = "
        "{'class': 'SimpleStrategy', 'replication_factor': 1}",
        f"GRANT CREATE ON KEYSPACE theirs TO {poor_user}")
    program.load(login_server.server, "--user", "cassandra", "--password", "cassandra",
                 "--keyspace", "theirs", "--existing-keyspace", "--count", "1", "--save")
    finished = program.load(login_server.server, "--user", poor_user, "--password", "nothing",
                            "--keyspace", "theirs", "--existing-keyspace", "--count", "10",
                            code=None)
    assert finished.code in (1, 3) and "MODIFY permission" in finished.stdout + finished.stderr
    assert login_server.count("theirs.test_table") == 1
