"""`cqlperf serve` from start to end: the ready line, signals, directories, what goes wrong."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import time

import cql_wire as wire
import pytest
from program import BIN, HANG_S, wait_until
from serve_client import Client, execute, prepare, query

KEYSPACE = ("CREATE KEYSPACE k WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}")


def start(program, *arguments, **how):
    """The running server, and where it listens."""
    running = program.start("serve", "--listen", "127.0.0.1:0", *arguments, **how)
    wait_until(lambda: running.output()[0].endswith("\n") or running.ended, what="the ready line")
    found = re.fullmatch(r"listening on (127\.0\.0\.1:[1-9]\d*)\n", running.output()[0])
    assert found, running.finished()
    return running, found[1]


def temporary_directories(running):
    return list(running.directory.glob("cqlperf-serve-*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_it_and_nothing_is_left(program, number):
    running, server = start(program)
    assert len(temporary_directories(running)) == 1
    client = Client(server).start()
    assert client.query(KEYSPACE).kind == 5
    running.send(number)
    finished = running.wait(code=0)
    assert finished.stdout == f"listening on {server}\n"
    assert temporary_directories(running) == []
    client.expect_end()


def test_killed_it_leaves_no_temporary_directory_either(program):
    running, server = start(program)
    assert Client(server).start().query(KEYSPACE).kind == 5
    running.send(signal.SIGKILL)
    running.wait(code=-signal.SIGKILL)
    wait_until(lambda: temporary_directories(running) == [], what="the directory's end")


def test_the_facts_are_on_standard_error(program):
    running, _ = start(program, "--threads", "2", "--memory", "64MiB", "--sync")
    facts = running.output()[1]
    for text in ("2 worker threads", "64 MiB", "fsync per commit", "removed at the end"):
        assert text in facts, facts


def test_null_storage_says_that_it_keeps_nothing(program):
    running, server = start(program, "--storage", "null")
    assert "keeps nothing" in running.output()[1]
    assert temporary_directories(running) == []
    assert Client(server).start().query(KEYSPACE).kind == 5


def test_data_is_there_after_a_restart(program, tmp_path):
    data = tmp_path / "data"
    running, server = start(program, "--data", data)
    client = Client(server).start()
    assert client.query(KEYSPACE).kind == 5
    assert client.query("CREATE TABLE k.t (a int PRIMARY KEY, b int)").kind == 5
    assert client.query("INSERT INTO k.t (a, b) VALUES (1, 2)").kind == 1
    prepared_id = client.ask(prepare("SELECT b FROM k.t WHERE a = 1")).prepared_id
    running.send(signal.SIGTERM)
    running.wait(code=0)

    _, server = start(program, "--data", data)
    client = Client(server).start()
    rows = client.query("SELECT b FROM k.t WHERE a = 1")
    assert rows.kind == 2 and rows.body.endswith(wire.int_(1) + wire.value(wire.int_(2)))
    # Clients prepare again under the id that they had.
    forgotten = client.ask(execute(prepared_id))
    assert forgotten.error_code == wire.UNPREPARED and forgotten.body.endswith(prepared_id)
    assert client.ask(prepare("SELECT b FROM k.t WHERE a = 1")).prepared_id == prepared_id
    assert client.ask(execute(prepared_id)).kind == 2


def test_a_port_in_use_is_said(program):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        finished = program.run("serve", "--listen", f"127.0.0.1:{port}", code=3)
    assert f"127.0.0.1:{port}" in finished.stderr and "in use" in finished.stderr, finished
    assert finished.stdout == ""


def test_a_directory_in_use_is_said(program, tmp_path):
    start(program, "--data", tmp_path / "data")
    finished = program.run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", code=3)
    assert str(tmp_path / "data") in finished.stderr, finished
    assert finished.stdout == ""


def test_a_directory_that_cannot_be_made_is_said(program):
    finished = program.run("serve", "--listen", "127.0.0.1:0", "--data", "/proc/cqlperf", code=3)
    assert "/proc/cqlperf" in finished.stderr, finished


def test_a_directory_with_other_files_is_refused(program, tmp_path):
    data = tmp_path / "mine"
    data.mkdir()
    (data / "letter.txt").write_text("mine")
    finished = program.run("serve", "--listen", "127.0.0.1:0", "--data", data, code=3)
    assert "letter.txt" in finished.stderr and "empty" in finished.stderr, finished
    assert [path.name for path in data.iterdir()] == ["letter.txt"]


def test_too_little_memory_to_start_is_said():
    if "asan" in str(BIN) or "tsan" in str(BIN):
        pytest.skip("sanitizers need address space")
    finished = subprocess.run(
        ["bash", "-c", f'ulimit -v 150000; exec "{BIN}/cqlperf" serve --listen 127.0.0.1:0'],
        capture_output=True, text=True, timeout=HANG_S)
    assert finished.returncode == 3, finished
    assert finished.stderr.startswith("cqlperf: ") and "ulimit" in finished.stderr, finished


def test_few_descriptors_are_said_once(program):
    """More clients than fit are refused or wait, and are served when others have gone."""
    if "asan" in str(BIN):
        pytest.skip("UBSan opens a pipe to check a virtual call, and takes its failure for a fault")
    with contextlib.ExitStack() as stack:
        process = stack.enter_context(subprocess.Popen(
            ["bash", "-c", f'ulimit -n 20; exec "{BIN}/cqlperf" serve --listen 127.0.0.1:0'],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        stack.callback(process.terminate)
        server = process.stdout.readline().removeprefix("listening on ").strip()
        host, _, port = server.rpartition(":")
        greedy = [socket.create_connection((host, int(port))) for _ in range(40)]
        notes = []
        while not any("cannot accept" in note for note in notes):
            notes.append(process.stderr.readline())
        time.sleep(0.5)  # in which it would say it again
        for client in greedy:
            client.close()
        assert Client(server).start().query(KEYSPACE).kind == 5
        process.terminate()
        notes += process.communicate(timeout=HANG_S)[1].splitlines()
    assert sum("cannot accept" in note for note in notes) <= 2, notes


def test_without_room_for_a_temporary_directory(program):
    finished = program.run("serve", "--listen", "127.0.0.1:0", code=3,
                           environment={"TMPDIR": "/proc/nowhere"})
    assert "TMPDIR" in finished.stderr, finished


@pytest.mark.parametrize("arguments, text", [
    (["--listen", "0.0.0.0"], "--allow-remote"),
    (["--listen", "192.0.2.1:9042"], "--allow-remote"),
    (["--listen", "127.0.0.1:99999"], "--listen"),
    (["--fault", "explode"], "delay=TIME"),
    (["--storage", "null", "--data", "x"], "leave out --data"),
    (["--trheads", "2"], "--threads"),
])
def test_a_wrong_command_line_is_refused(program, arguments, text):
    finished = program.run("serve", *arguments, code=2)
    assert text in finished.stderr and "cqlperf serve --help" in finished.stderr, finished
    assert finished.stdout == ""


def test_a_remote_address_is_served_when_allowed(program):
    running = program.start("serve", "--listen", "0.0.0.0:0", "--allow-remote", "--storage", "null")
    wait_until(lambda: "listening on 0.0.0.0:" in running.output()[0])


def test_it_ends_with_its_parent_when_told_to():
    process = subprocess.Popen(
        [BIN / "cqlperf", "serve", "--listen", "127.0.0.1:0", "--until-stdin-closes"], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline().startswith("listening on ")
    assert process.communicate(timeout=HANG_S) == ("", "")
    assert process.returncode == 0


def test_a_second_signal_ends_it_at_once(program):
    # Threads that were not joined are what "at once" means.
    options = os.environ.get("TSAN_OPTIONS", "") + ":report_thread_leaks=0"
    running, server = start(program, environment={"TSAN_OPTIONS": options})
    # A client that does not take what it is sent keeps the server for a second.
    client = Client(server).start()
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.send(query("SELECT * FROM system_schema.columns") * 200)
    running.send(signal.SIGTERM)
    time.sleep(0.15)  # what comes at once is taken for the same wish
    running.send(signal.SIGTERM)
    finished = running.wait(code=None)
    assert finished.code in (0, 130), finished
    wait_until(lambda: temporary_directories(running) == [])


def test_closed_standard_streams_do_no_harm():
    """What listens must not get the number of a standard stream."""
    process = subprocess.Popen(
        ["bash", "-c", f'exec "{BIN}/cqlperf" serve --listen 127.0.0.1:0 --storage null 0<&- 2>&-'],
        stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline().startswith("listening on ")
    finally:
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(HANG_S) == 0
        process.stdout.close()
