"""A real server that is stopped, killed and started again in mid-run; Ctrl-C."""

import signal
import time

import pytest
from program import check_counts, wait_until

# What a server that was away may have answered to what was in flight.
TROUBLE = {"ConnectionLost", "ClientTimeout", "WriteTimeout", "Overloaded", "Unavailable",
           "ServerError", "IsBootstrapping"}


def rows_shown(running):
    """Lines of the progress table."""
    return [line for line in running.output()[1].splitlines() if line.lstrip()[:1].isdigit()]


def interrupt_and_end(running):
    running.send(signal.SIGINT)
    return running.wait(code=130, timeout_s=30)


def test_frozen_for_two_seconds(program, server):
    frozen_s = 2.0
    running = program.start_load(server.server, "--rate-limit", "2k", "--duration", "6s",
                                 "--serial", "--save")
    wait_until(lambda: rows_shown(running))
    with server.frozen():
        time.sleep(frozen_s)
    finished = running.wait(code=None)
    summary = finished.summary
    check_counts(summary)
    assert summary["due"] == 12_000 and summary["unsent"] == summary["skipped"] == 0
    assert set(finished.errors) <= TROUBLE
    assert server.count() >= summary["operations"] > 11_500
    for name in ("p99", "max"):
        assert summary["response_time_us"][name] / 1e6 == pytest.approx(frozen_s, abs=0.7), finished
    assert summary["service_time_us"]["max"] / 1e6 == pytest.approx(frozen_s, abs=0.7)


def test_frozen_and_late_operations_dropped(program, server):
    running = program.start_load(server.server, "--rate-limit", "2k", "--duration", "5s", "--late",
                                 "drop", "--serial", "--save")
    wait_until(lambda: rows_shown(running))
    with server.frozen():
        time.sleep(2)
    finished = running.wait(code=None)
    check_counts(finished.summary)
    assert finished.summary["due"] == 10_000
    assert finished.summary["skipped"] > 2_000
    assert server.count() >= finished.summary["operations"]


def test_killed_and_started_again(program, server):
    running = program.start_load(server.server, "--rate-limit", "500", "--duration", "10m",
                                 "--serial", "--save", "--request-timeout", "5s")
    wait_until(lambda: rows_shown(running))
    server.kill()
    wait_until(lambda: "is not used" in running.output()[1], what="a word about the lost server")
    server.start()
    wait_until(lambda: "is used again" in running.output()[1], what="a new connection")
    shown = len(rows_shown(running))
    wait_until(lambda: len(rows_shown(running)) >= shown + 3)
    finished = interrupt_and_end(running)
    check_counts(finished.summary)
    assert set(finished.errors) <= TROUBLE
    assert finished.document["intervals"][-2]["done"] > 0
    # Acknowledged writes outlive the server, up to what its log had not yet on disk when it was
    # killed; what got no answer may be there as well.
    assert server.count() > 0.5 * finished.summary["operations"]


def test_interrupted_in_the_run(program, server):
    running = program.start_load(server.server, "--rate-limit", "1k", "--duration", "10m")
    wait_until(lambda: rows_shown(running))
    finished = interrupt_and_end(running)
    check_counts(finished.summary)
    assert finished.summary["operations"] > 500
    assert server.keyspaces() == set()


def test_interrupted_and_saved(program, server):
    running = program.start_load(server.server, "--rate-limit", "1k", "--duration", "10m",
                                 "--serial", "--save")
    wait_until(lambda: rows_shown(running))
    finished = interrupt_and_end(running)
    assert server.count() == finished.summary["operations"]


def test_interrupted_while_it_populates(program, server):
    running = program.start_load(server.server, "read", "--keys", "100M", "--interval", "100ms")
    wait_until(lambda: rows_shown(running))
    finished = interrupt_and_end(running)
    assert finished.document["status"] == "interrupted"
    assert server.keyspaces() == set()


def test_interrupted_while_the_server_is_frozen(program, server):
    with server.frozen():
        running = program.start_load(server.server, "--connect-timeout", "10m")
        time.sleep(0.5)
        finished = interrupt_and_end(running)
    assert finished.document["status"] == "interrupted"


@pytest.mark.parametrize("delay_s", [0.05, 0.15, 0.3, 0.6])
def test_interrupted_early(program, server, delay_s):
    """In the set-up, wherever it is by then: nothing stays on the server."""
    running = program.start_load(server.server, "--duration", "10m")
    time.sleep(delay_s)
    interrupt_and_end(running)
    assert server.keyspaces() == set()
