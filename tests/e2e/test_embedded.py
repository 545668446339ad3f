"""`cqlperf run --embedded`: a server of its own, which is gone when the run is."""

import os
import re
import signal
from pathlib import Path

import embedded
import pytest
from program import check_counts, wait_until


def children(pid):
    return [int(word) for word in
            Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def leftovers(running):
    return list(running.directory.glob("cqlperf-serve-*"))


def start_run(program, *arguments):
    path = program.directory / f"embedded-{len(program.runs)}.json"
    return program.start("run", "--embedded", *arguments, "--json", path, json_path=path)


def load(program, *arguments, code=0):
    running = start_run(program, *arguments)
    finished = running.wait(code)
    assert leftovers(running) == [], finished
    return finished


@pytest.mark.parametrize("workload", ["insert", "read", "mixed"])
def test_a_run_needs_no_server(program, workload):
    finished = load(program, workload, "--count", "2000", "--keys", "500")
    check_counts(finished.summary)
    assert finished.summary["operations"] == 2000
    embedded = {"storage": "rocksdb", "keeps_nothing": False, "threads": 1}
    assert finished.document["server"]["embedded"] == embedded
    assert finished.document["config"]["embedded"] == embedded
    assert re.fullmatch(r"127\.0\.0\.1:\d+", finished.document["config"]["server"][0])
    assert f"{workload} (embedded server, RocksDB in a temporary directory)" in finished.stdout


def test_null_storage_says_that_it_keeps_nothing_next_to_its_figures(program):
    finished = load(program, "--embedded-storage", "null", "--count", "2000")
    assert "insert (embedded server, null storage: it keeps nothing)" in finished.stdout
    assert finished.document["server"]["embedded"]["keeps_nothing"] is True


def test_null_storage_says_so_to_any_client(program):
    with embedded.running("--storage", "null") as server:
        finished = program.load(server.server, "--count", "10")
    assert "null storage: it keeps nothing" in finished.document["server"]["cluster"]
    assert "null storage: it keeps nothing" in finished.stderr


def test_a_run_without_it_says_so(program, mock):
    finished = program.load(mock.server, "--count", "10")
    assert finished.document["server"]["embedded"] is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_reports_and_cleans_up(program, number):
    running = start_run(program, "--rate-limit", "200", "--duration", "10m")
    wait_until(lambda: running.output()[1].count("\n") >= 5)
    server, = children(running.process.pid)
    running.send(number)
    finished = running.wait(code=130)
    assert finished.summary["operations"] > 0 and finished.document["error"] is None
    assert leftovers(running) == [] and not is_alive(server)


def test_the_server_ends_when_the_run_is_killed(program):
    running = start_run(program, "--rate-limit", "200", "--duration", "10m")
    wait_until(lambda: running.output()[1].count("\n") >= 5)
    server, = children(running.process.pid)
    assert len(leftovers(running)) == 1
    running.send(signal.SIGKILL)
    running.wait(code=-signal.SIGKILL)
    wait_until(lambda: not is_alive(server), what="the server's end")
    wait_until(lambda: leftovers(running) == [], what="the directory's end")


def test_the_run_ends_when_the_server_is_killed(program):
    running = start_run(program, "--rate-limit", "200", "--duration", "2s")
    wait_until(lambda: running.output()[1].count("\n") >= 4)
    server, = children(running.process.pid)
    os.kill(server, signal.SIGKILL)
    finished = running.wait(code=1)
    assert finished.summary["errors"] > 0 or finished.summary["unsent"] > 0
    assert "the embedded server did not last: it was ended by signal 9" in finished.stderr
    wait_until(lambda: leftovers(running) == [])


def test_a_server_that_does_not_start_is_said(program):
    finished = program.run("run", "--embedded", "--count", "1", code=3,
                           environment={"TMPDIR": "/proc/nowhere"})
    assert "TMPDIR" in finished.stderr and "embedded server" in finished.stderr, finished


@pytest.mark.parametrize("arguments, text", [
    (["--embedded", "--server", "localhost"], "leave out --server"),
    (["--embedded-storage", "null"], "--embedded"),
    (["--embedded", "--embedded-storage", "disk"], "rocksdb"),
    (["read", "--embedded", "--embedded-storage", "null"], "keeps no rows"),
    (["--embedded", "--embedded-threads", "0"], "--embedded-threads"),
])
def test_a_wrong_command_line_is_refused(program, arguments, text):
    finished = program.run("run", *arguments, code=2)
    assert text in finished.stderr, finished


def test_cql_stress_takes_it_too(program):
    running = program.start("-embedded", "-rate-limit", "500", "-runs", "1", name="cql_stress")
    finished = running.wait(code=0)
    assert re.fullmatch(r".*INFO Stats: throughput=500.*\n", finished.stdout), finished
    assert leftovers(running) == []
    finished = program.run("-embedded", "-server", "127.0.0.1:1", name="cql_stress", code=2)
    assert "-embedded" in finished.stderr
