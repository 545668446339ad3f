"""Ctrl-C and SIGTERM in each phase, once and twice."""

import signal
import time

import pytest
from mock_server import Faults
from program import check_counts, wait_until

# From a signal to the end of the program, on a slow machine.
SOON_S = 6

BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])

# Signals that come as close together are taken for one.
SAME_WISH_S = 0.15


def end_after_signal(running, number=signal.SIGINT):
    sent = time.monotonic()
    running.send(number)
    finished = running.wait(code=130)
    assert time.monotonic() - sent < SOON_S, finished
    return finished


@BOTH
def test_while_it_connects(program, mock, number):
    mock.faults.silent = True
    running = program.start_load(mock.server, "--connect-timeout", "10m")
    wait_until(lambda: mock.log.connections >= 1)
    finished = end_after_signal(running, number)
    assert finished.document["status"] == "interrupted" and finished.document["summary"] is None


@BOTH
def test_while_the_schema_is_made(program, mock, number):
    mock.faults.ddl_delay_s = 1
    running = program.start_load(mock.server, "--schema-timeout", "10m")
    wait_until(lambda: mock.log.ddl("CREATE KEYSPACE"))
    # The server is at it: what is sent now must not overtake it, or the keyspace stays.
    mock.faults.ddl_delay_s = 0
    finished = end_after_signal(running, number)
    assert finished.document["status"] == "interrupted"
    wait_until(lambda: mock.log.changes_to_come == 0)
    assert mock.log.writes == [] and mock.store.keyspaces == {}


def test_while_the_nodes_disagree(program, mock_pair):
    mock_pair.faults.disagreement_s = 600
    running = program.start_load(mock_pair.server, "--schema-timeout", "10m")
    wait_until(lambda: len(mock_pair.log.ddl("CREATE")) >= 1)
    wait_until(lambda: len([text for text in mock_pair.log.statements
                            if "schema_version" in text]) >= 2)
    end_after_signal(running)
    assert mock_pair.log.writes == [] and mock_pair.store.keyspaces == {}


@BOTH
def test_while_it_populates(program, mock, number):
    mock.faults.delay_s = 0.02
    running = program.start_load(mock.server, "read", "--parallelism", "10")
    wait_until(lambda: len(mock.log.writes) >= 50)
    finished = end_after_signal(running, number)
    assert finished.document["status"] == "interrupted"
    assert mock.log.reads == [] and mock.store.keyspaces == {}


def test_while_it_warms_up(program, mock):
    running = program.start_load(mock.server, "--rate-limit", "100", "--warmup", "10m")
    wait_until(lambda: len(mock.log.writes) >= 10)
    end_after_signal(running)
    assert mock.store.keyspaces == {}


@BOTH
def test_while_it_runs(program, mock, number):
    running = program.start_load(mock.server, "--rate-limit", "200", "--duration", "10m")
    wait_until(lambda: mock.log.executes >= 50)
    finished = end_after_signal(running, number)
    check_counts(finished.summary)
    assert finished.summary["operations"] == len(mock.log.writes)
    assert "interrupted" in finished.stdout and "response time" in finished.stdout
    assert mock.store.keyspaces == {}


def test_what_is_to_be_saved_stays(program, mock):
    running = program.start_load(mock.server, "--rate-limit", "200", "--duration", "10m", "--save")
    wait_until(lambda: mock.log.executes >= 50)
    finished = end_after_signal(running)
    assert len(mock.rows()) == finished.summary["distinct_keys"]["count"]


def test_in_the_closed_loop_on_threads(program, mock):
    running = program.start_load(mock.server, "--duration", "10m", "--threads", "4")
    wait_until(lambda: mock.log.executes >= 100)
    finished = end_after_signal(running)
    check_counts(finished.summary)


def test_answers_that_do_not_come_are_not_waited_for(program, mock):
    mock.faults.mute_every = 1
    running = program.start_load(mock.server, "--rate-limit", "100", "--request-timeout", "10m")
    wait_until(lambda: mock.log.executes >= 20)
    finished = end_after_signal(running)
    check_counts(finished.summary)
    assert finished.summary["unanswered"] >= 20


def test_while_the_server_is_away(program, mock):
    running = program.start_load(mock.server, "--rate-limit", "100", "--duration", "10m")
    wait_until(lambda: mock.log.executes >= 20)
    mock.go_down()
    wait_until(lambda: "is not used" in running.output()[1])
    end_after_signal(running)


def test_the_report_comes_before_what_may_take_long(program, mock):
    """And a second signal ends the program at once, whatever it waits for."""
    running = program.start_load(mock.server, "--rate-limit", "100", "--duration", "10m")
    wait_until(lambda: mock.log.executes >= 20)
    mock.faults.ddl_delay_s = 600
    running.send()
    wait_until(lambda: mock.log.ddl("DROP KEYSPACE"), what="the clean-up")
    assert "response time" in running.output()[0] and not running.ended
    time.sleep(SAME_WISH_S)
    end_after_signal(running)


def test_a_second_signal_ends_a_frozen_run(program, mock):
    mock.faults.mute_every = 1
    running = program.start_load(mock.server, "--parallelism", "10", "--request-timeout", "10m")
    wait_until(lambda: mock.log.executes >= 10)
    running.send(signal.SIGTERM)
    time.sleep(SAME_WISH_S)
    end_after_signal(running, signal.SIGINT)


def test_cql_stress_is_interrupted(program, mock):
    running = program.start("-rate-limit", "100", "-runs", "1000", "-server", mock.server,
                            name="cql_stress")
    wait_until(lambda: "Stats:" in running.output()[0])
    finished = end_after_signal(running)
    assert all("INFO Stats: throughput=" in line for line in finished.stdout.splitlines())
    assert mock.store.keyspaces == {}


@pytest.mark.parametrize("faults", [Faults(), Faults(delay_s=0.01)], ids=["fast", "slow"])
def test_it_can_be_interrupted_at_any_moment(program, mock, faults):
    """Signals at moments that are spread over the whole life of a short run."""
    mock.faults = faults
    for delay_ms in range(10, 260, 50):
        running = program.start_load(mock.server, "read", "--keys", "100", "--count", "200",
                                     "--rate-limit", "1000")
        time.sleep(delay_ms / 1000)
        running.send()
        finished = running.wait(code=None)
        # Before main() has set its handler, the signal's own action ends it.
        assert finished.code in (0, 130, -signal.SIGINT), finished
