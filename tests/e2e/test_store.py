"""`cqlperf store` and its other name, on the embedded server: what it prints and survives."""

import json
import re
import signal
import struct

import embedded
import pytest
from cassandra.cluster import Cluster
from program import wait_until

KEYS = 512
VALUE = 2048
SMALL = ("--db-size", str(KEYS * VALUE), "--batch-size", str(VALUE))
TABLE = "cqlperf_store.store"
SLOW = ("--rate-limit", "300", "--parallelism", "4", "--page-bytes", "8KiB")


@pytest.fixture
def server():
    with embedded.running() as running:
        yield running


@pytest.fixture
def session(server):
    cluster = Cluster([server.address], port=server.port)
    yield cluster.connect()
    cluster.shutdown()


def start(program, server, *arguments, name="cqlperf", size=SMALL):
    path = program.directory / f"store-{len(program.runs)}.json"
    command = [] if name != "cqlperf" else ["store"]
    return program.start(*command, "--server", server.server, *size, *arguments, "--json", path,
                         name=name, json_path=path)


def store(program, server, *arguments, code=0, **options):
    return start(program, server, *arguments, **options).wait(code)


def phases(finished):
    return {phase["phase"]: phase for phase in finished.document["suites"][0]["phases"]}


def test_every_phase_and_every_key(program, server):
    finished = store(program, server, "--phases", "write,read,delete,read,write,truncate")
    done = finished.document["suites"][0]["phases"]
    assert [phase["phase"] for phase in done] == ["write", "read", "delete", "read", "write",
                                                  "truncate"]
    assert [phase["keys"] for phase in done] == [KEYS, KEYS, KEYS, 0, KEYS, KEYS]
    assert f"PERF TEST [{KEYS} keys, {VALUE} block size]" in finished.stdout
    for line in ("  SEQUENTIAL WRITE", f"    num_keys: {KEYS}", "  SEQUENTIAL READ KEY/VALUES",
                 f"    key count: {KEYS}", "  SEQUENTIAL DELETES", "  TRUNCATE TABLE"):
        assert f"{line}\n" in finished.stdout


def test_nothing_is_left_behind_without_save(program, server, session):
    store(program, server)
    keyspaces = [row.keyspace_name for row in
                 session.execute("SELECT keyspace_name FROM system_schema.keyspaces")]
    assert "cqlperf_store" not in keyspaces


def test_the_block_alone_under_the_other_name(program, server):
    running = program.start(f"--db_size={KEYS * VALUE}", f"--batch_size={VALUE}",
                            "--server", server.server, name="cassandra_store_stress")
    out = running.wait(0).stdout
    number = r"[0-9.e+-]+"
    assert re.fullmatch(
        rf"-+\nPERF TEST \[{KEYS} keys, {VALUE} block size\]\n"
        rf"  SEQUENTIAL WRITE\n    num_keys: {KEYS}\n    time: {number}s\n"
        rf"    payload: {number} GB\n    bandwidth: {number} MBps\n"
        rf"  SEQUENTIAL READ KEY/VALUES\n    key count: {KEYS}\n    time: {number}s\n"
        rf"    payload: {number}GB\n    bandwidth: {number} MBps\n"
        rf"  TRUNCATE TABLE\n    time: {number}s\n    payload: {number}GB\n"
        rf"    bandwidth: [0-9]+ MBps\n", out), out


@pytest.mark.parametrize("flags", [
    ("--parallelism", "1"), ("--threads", "3"), ("--protocol", "5", "--compression", "lz4"),
    ("--page-rows", "500", "--parallelism", "1"), ("--page-rows", "2000000000"),
    ("--page-bytes", "1KiB"), ("--no-verify",), ("--compressible", "0.5"),
    ("--rate-limit", "5k", "--threads", "2"),
    ("--table-options", "compression = {'enabled': 'false'} AND gc_grace_seconds = 5"),
], ids=lambda flags: " ".join(flags))
def test_settings_that_change_the_way_and_not_the_result(program, server, flags):
    done = phases(store(program, server, *flags))
    assert done["read"]["keys"] == KEYS
    assert done["read"]["complete"] and done["write"]["complete"]


@pytest.mark.parametrize("value", [1, 7, 8, 15, 16, 17, 1000])
def test_small_values(program, server, value):
    size = ("--db-size", str(300 * value), "--batch-size", str(value))
    assert phases(store(program, server, size=size))["read"]["keys"] == 300


def test_large_values(program, server):
    size = ("--db-size", "130MiB", "--batch-size", "64MiB")
    finished = store(program, server, size=size)
    assert phases(finished)["read"]["keys"] == 2
    assert "PERF TEST [2 keys, 67108864 block size]" in finished.stdout


@pytest.mark.parametrize("arguments, message", [
    (("--db-size", "0"), "--db-size"),
    (("--batch-size", "0"), "--batch-size"),
    (("--db-size", "1KiB", "--batch-size", "2KiB"), "less than one value"),
    (("--batch-size", "256MiB", "--db-size", "1GiB"), "over 64MiB"),
    (("--phases", "write,erase"), "erase"),
    (("--phases", "write,write"), "table is full"),
    (("--sizes", "1MiB,2MiB", "--save"), "--sizes"),
    (("--compressible", "2"), "--compressible"),
    (("--parallelism", "0"), "--parallelism"),
])
def test_a_size_that_cannot_be_is_a_usage_error(program, server, arguments, message):
    finished = store(program, server, *arguments, size=(), code=2)
    assert message in finished.stderr
    assert finished.stdout == ""


def test_sizes_make_the_table_of_truncate(program, server):
    finished = store(program, server, "--sizes", "256KiB,1MiB,2MiB", "--batch-size", "4KiB",
                     size=())
    suites = finished.document["suites"]
    assert [suite["keys"] for suite in suites] == [64, 256, 512]
    assert "the largest over the smallest" in finished.stdout


# ---- What is wrong in the table is found, and told apart

def spoiled(program, server, session, statement, *values):
    store(program, server, "--phases", "write", "--save")
    session.execute(statement, values)
    return store(program, server, "--phases", "read", code=1)


def verification(finished):
    found = phases(finished)["read"]["verification"]
    assert found["ok"] is False
    return {kind: fault for kind, fault in found.items()
            if isinstance(fault, dict) and fault["count"] > 0}


def test_a_clean_table_is_read_again(program, server):
    store(program, server, "--phases", "write", "--save")
    assert phases(store(program, server, "--phases", "read"))["read"]["keys"] == KEYS


def test_a_missing_row(program, server, session):
    finished = spoiled(program, server, session, f"DELETE FROM {TABLE} WHERE key = 5")
    assert verification(finished) == {"missing": {"count": 1, "first_keys": [5]}}
    assert "missing" in finished.stdout and "5" in finished.stdout


def test_a_short_row(program, server, session):
    finished = spoiled(program, server, session,
                       f"UPDATE {TABLE} SET value = 0x1234 WHERE key = 7")
    assert verification(finished) == {"short": {"count": 1, "first_keys": [7]}}


def test_a_wrong_row(program, server, session):
    finished = spoiled(program, server, session,
                       f"UPDATE {TABLE} SET value = %s WHERE key = 9", bytes(VALUE))
    assert verification(finished) == {"wrong": {"count": 1, "first_keys": [9]}}


def test_a_foreign_row(program, server, session):
    finished = spoiled(program, server, session,
                       f"INSERT INTO {TABLE} (key, value) VALUES (100000, 0x00)")
    assert verification(finished) == {"extra": {"count": 1, "first_keys": [100000]}}
    assert phases(finished)["read"]["keys"] == KEYS + 1


def test_another_size_or_seed_than_the_table_was_made_with(program, server):
    store(program, server, "--phases", "write", "--save")
    finished = store(program, server, "--phases", "read", "--seed", "2", code=3)
    assert "seed 1" in finished.stderr and "seed 2" in finished.stderr


def test_a_table_that_is_there_is_not_written_over(program, server):
    store(program, server, "--phases", "write", "--save")
    finished = store(program, server, code=3)
    assert "--fresh" in finished.stderr
    store(program, server, "--fresh")


def test_a_table_that_is_known_to_be_empty_is_written_again(program, server):
    store(program, server, "--phases", "write,truncate", "--save")
    assert phases(store(program, server, "--phases", "read"))["read"]["keys"] == 0
    store(program, server, "--phases", "write,read")


def test_what_an_interrupted_phase_leaves_is_not_judged(program, server):
    running = start(program, server, *SLOW, "--phases", "write", "--save", "--interval", "0.1")
    wait_until(lambda: "\nwrite: " in running.output()[1])
    running.send()
    running.wait(130)
    finished = store(program, server, "--phases", "read", code=3)
    assert "not completed" in finished.stderr and "--fresh" in finished.stderr


def test_what_an_interrupted_read_has_not_read_is_not_missing(program, server):
    store(program, server, "--phases", "write", "--save")
    running = start(program, server, "--phases", "read", "--rate-limit", "20", "--page-bytes",
                    "2KiB", "--interval", "0.1")
    wait_until(lambda: "\nread: " in running.output()[1])
    running.send()
    finished = running.wait(130)
    read = phases(finished)["read"]
    assert read["verification"]["missing"]["count"] == 0 and not read["complete"]
    assert "keys were not read" in read["problem"]
    assert finished.document["error"] is None


def test_fresh_before_a_read_would_drop_what_is_to_be_read(program, server):
    store(program, server, "--phases", "write", "--save")
    assert "--fresh drops" in store(program, server, "--phases", "read", "--fresh", code=2).stderr
    store(program, server, "--phases", "read")


def test_nothing_to_read(program, server):
    assert "nothing to read" in store(program, server, "--phases", "read", code=3).stderr


# ---- Faults of the server

def test_errors_and_silence_are_retried_and_counted(program):
    faults = ("--fault", "error=0x1200,opcode=EXECUTE,probability=0.05",
              "--fault", "silence,opcode=EXECUTE,every=97")
    with embedded.running(*faults) as server:
        finished = store(program, server, "--request-timeout", "0.2", "--page-bytes", "16KiB")
        done = phases(finished)
        assert done["write"]["keys"] == KEYS and done["read"]["keys"] == KEYS
        assert done["write"]["retried"] > 0 and done["read"]["retried"] > 0
        assert done["write"]["requests"]["errors"] >= done["write"]["retried"]
        kinds = {error["kind"] for error in done["write"]["requests"]["errors_by_kind"]}
        assert kinds == {"ReadTimeout", "ClientTimeout"}


def test_lost_connections_are_opened_again(program):
    with embedded.running("--fault", "close,opcode=EXECUTE,every=60") as server:
        done = phases(store(program, server, "--page-bytes", "4KiB", "--parallelism", "4"))
        assert done["read"]["keys"] == KEYS and done["write"]["complete"]


def test_ranges_that_cannot_be_read_are_named(program):
    with embedded.running("--fault", "error=0x1200,opcode=EXECUTE,after=600") as server:
        finished = store(program, server, "--page-bytes", "4KiB", code=1)
        read = phases(finished)["read"]
        assert not read["complete"]
        assert read["missing_ranges"] and read["missing_ranges"][0]["reason"].startswith(
            "ReadTimeout")
        assert str(read["missing_ranges"][0]["after"]) in finished.stdout


def test_a_refused_write_ends_at_once(program):
    with embedded.running("--fault", "error=0x2200,opcode=EXECUTE,every=1,after=100") as server:
        finished = store(program, server, code=1)
        write = phases(finished)["write"]
        assert not write["complete"] and "could not be written: Invalid" in write["problem"]
        assert list(phases(finished)) == ["write"]


def test_a_disk_that_is_full_is_said_and_the_rest_not_tried(program, tmp_path):
    data = tmp_path / "data"
    with embedded.running("--data", data, prefix=("prlimit", "--fsize=3000000")) as full:
        finished = store(program, full, "--db-size", "8MiB", "--phases", "write,read", size=(),
                         code=1)
    write = phases(finished)["write"]
    assert 0 < write["keys"] < write["keys_expected"]
    assert "File too large" in write["problem"] and "NOT COMPLETE" in finished.stdout
    assert list(phases(finished)) == ["write"]


def test_truncate_is_sent_once(program):
    with embedded.running("--fault", "error=0x1003,opcode=QUERY,connection=3") as server:
        finished = store(program, server, code=1)
        assert "sent once" in phases(finished)["truncate"]["problem"]




def test_a_server_that_goes_in_the_truncate(program):
    with embedded.running("--fault", "close,opcode=QUERY,connection=3") as server:
        finished = store(program, server, code=1)
    truncate = phases(finished)["truncate"]
    assert not truncate["complete"] and "sent once" in truncate["problem"]
    assert phases(finished)["read"]["keys"] == KEYS


@pytest.mark.parametrize("phase", ["write", "read", "delete"])
def test_a_server_that_is_killed_and_comes_back(program, phase, tmp_path):
    server = embedded.start("--data", tmp_path / "data")
    running = start(program, server, *SLOW, "--phases", "write,read,delete", "--interval", "0.1",
                    "--connect-timeout", "1s")
    wait_until(lambda: f"\n{phase}: " in running.output()[1])
    server.kill()
    with embedded.running("--data", tmp_path / "data", listen=server.server):
        done = phases(running.wait(0, timeout_s=120))
        assert [done[name]["keys"] for name in ("write", "read", "delete")] == [KEYS] * 3


def test_a_server_that_stays_away(program):
    server = embedded.start()
    running = start(program, server, *SLOW, "--stall-timeout", "2s", "--interval", "0.1")
    wait_until(lambda: "write" in running.output()[1])
    server.kill()
    finished = running.wait(1)
    assert "answered nothing for 2 s" in finished.stdout + finished.stderr
    assert not phases(finished)["write"]["complete"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_reports_what_was_done(program, server, number):
    running = start(program, server, *SLOW, "--interval", "0.1")
    wait_until(lambda: "write" in running.output()[1])
    running.send(number)
    finished = running.wait(130)
    assert finished.document["status"] == "interrupted"
    write = phases(finished)["write"]
    assert 0 < write["keys"] < KEYS and not write["complete"]
    assert "SEQUENTIAL WRITE" in finished.stdout


def test_a_disk_without_room_is_refused_first(program, server, tmp_path):
    finished = store(program, server, "--db-size", "1000TiB", "--batch-size", "64MiB",
                     "--data-directory", tmp_path, size=(), code=3)
    assert "--no-disk-check" in finished.stderr


def test_embedded(program):
    path = program.directory / "embedded.json"
    running = program.start("store", "--embedded", *SMALL, "--json", path, json_path=path)
    finished = running.wait(0)
    assert "embedded server" in finished.stdout
    assert list(running.directory.glob("cqlperf-serve-*")) == []


def test_the_interval_log_has_every_phase(program, server):
    path = program.directory / "store.hlog"
    store(program, server, "--hdr-log", path)
    tags = {line.split(",")[0] for line in path.read_text().splitlines()
            if line.startswith("Tag=")}
    assert tags >= {"Tag=write-response", "Tag=write-service", "Tag=read-response"}


def test_json_on_standard_output_is_one_document(program, server):
    running = program.start("store", "--server", server.server, *SMALL, "--json", "-")
    document = json.loads(running.wait(0).stdout)
    assert document["status"] == "done"
