"""`cqlperf forms` and the keyspaces and tables of others, and of other runs."""

from forms_runs import execute, forms, make_keyspace, start
from forms_servers import server  # noqa: F401
from program import wait_until


def test_a_table_of_somebody_else_is_left_alone(program, server):
    execute(server, "CREATE KEYSPACE cqlperf_forms WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE cqlperf_forms.forms (a int PRIMARY KEY, b text)",
            "INSERT INTO cqlperf_forms.forms (a, b) VALUES (1, 'mine')")
    for flags in ((), ("--fresh",), ("--existing-keyspace",)):
        finished = forms(program, "--server", server.server, *flags, code=3)
        assert "was not made by cqlperf" in finished.stderr
    finished = forms(program, "--server", server.server, "--existing-keyspace", "--table", "other",
                     "--scenarios", "inserts", "--forms", "cql,prepared")
    assert finished.document["ok"]
    rows, tables = execute(
        server, "SELECT b FROM cqlperf_forms.forms",
        "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'cqlperf_forms'")
    assert [row.b for row in rows] == ["mine"]
    assert [row.table_name for row in tables] == ["forms"]


def test_a_table_that_is_in_the_way(program, server):
    execute(server, "CREATE KEYSPACE shop WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE shop.forms_1 (a int PRIMARY KEY, b text)")
    finished = forms(program, "--server", server.server, "--keyspace", "shop",
                     "--existing-keyspace", code=3)
    assert "forms_1" in finished.stderr and "--table" in finished.stderr


def test_what_an_earlier_run_has_left(program, server):
    execute(server, "CREATE KEYSPACE cqlperf_forms WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE cqlperf_forms.forms (a int PRIMARY KEY) "
            "WITH comment = 'made by cqlperf: it may drop this table'")
    small = ("--server", server.server, "--scenarios", "inserts", "--forms", "cql")
    finished = forms(program, *small, code=3)
    assert "--fresh" in finished.stderr
    assert forms(program, *small, "--fresh").document["ok"]


LONG = ("--scenarios", "inserts", "--forms", "cql", "--rate-limit", "500", "--parallelism", "4")
LONG_SIZE = ("--rows", "1000", "--rounds", "1", "--warm-up", "0", "--settle", "0")


def start_long(program, server, seconds, *flags):
    running = start(program, "--server", server.server, *LONG, "--duration", f"{seconds}s", *flags,
                    size=LONG_SIZE)
    wait_until(lambda: "cells to be measured" in running.output()[1])
    return running


def test_a_second_run_in_the_same_keyspace_is_refused(program, server):
    first = start_long(program, server, 2)
    finished = forms(program, "--server", server.server, *LONG, code=3)
    assert "one that is still running" in finished.stderr and "--keyspace" in finished.stderr
    assert first.wait(0).document["ok"]


def test_the_keyspace_is_kept_while_another_run_is_in_it(program, server):
    first = start_long(program, server, 1)
    second = start_long(program, server, 4, "--table", "other")
    assert "is kept: it has tables of others" in first.wait(0).stderr
    assert second.wait(0).document["ok"]


def test_fresh_in_an_existing_keyspace_drops_our_table_only(program, server):
    make_keyspace(server, "mine")
    program.load(server.server, "--count", "10", "--keyspace", "mine", "--existing-keyspace",
                 "--table", "keepme", "--save")
    execute(server, "CREATE TABLE mine.forms_1 (a int PRIMARY KEY) "
            "WITH comment = 'made by cqlperf: it may drop this table'")
    small = ("--server", server.server, "--keyspace", "mine", "--existing-keyspace", "--forms",
             "cql", "--scenarios", "inserts")
    assert "drop it with --fresh" in forms(program, *small, code=3).stderr
    assert forms(program, *small, "--fresh").document["ok"]
    rows, = execute(server, "SELECT table_name FROM system_schema.tables "
                    "WHERE keyspace_name = 'mine'")
    assert [row.table_name for row in rows] == ["keepme"]
