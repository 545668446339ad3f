"""Servers that fail in mid-run: errors are counted by kind, and the run goes on and ends."""

import cql_wire as wire
import pytest
from mock_server import OVERLOADED, UNAVAILABLE, UNKNOWN_CODE, WRITE_TIMEOUT, ErrorReply
from program import check_counts, wait_until


@pytest.mark.parametrize("error, kind", [
    (WRITE_TIMEOUT, "WriteTimeout"), (UNAVAILABLE, "Unavailable"), (OVERLOADED, "Overloaded"),
    (UNKNOWN_CODE, "UnknownError"), (ErrorReply(0, "java.lang.Oops"), "ServerError"),
    (ErrorReply(wire.INVALID, "snow \u2603 man"), "Invalid")])
def test_errors_are_counted_by_kind(program, mock, error, kind):
    mock.faults.error, mock.faults.error_share = error, 0.25
    finished = program.load(mock.server, "--count", "400", "--serial", "--save", code=1)
    assert finished.errors == {kind: 100}
    assert finished.summary["operations"] == 300
    first, = finished.summary["errors_by_kind"]
    assert error.message in first["first_message"]
    assert kind in finished.stdout and error.message in finished.stdout
    assert mock.log.executes == 400  # none is retried
    assert len(mock.rows()) == 300
    assert finished.document["intervals"][-1]["in_flight"] == 0


def test_several_kinds(program, mock):
    mock.faults.error, mock.faults.error_share = WRITE_TIMEOUT, 0.5
    running = program.start_load(mock.server, "--rate-limit", "200", "--runs", "2")
    wait_until(lambda: mock.log.executes >= 100)
    mock.faults.error = UNAVAILABLE
    finished = running.wait(code=1)
    check_counts(finished.summary)
    assert set(finished.errors) == {"WriteTimeout", "Unavailable"}
    assert sum(finished.errors.values()) == 200


def test_nothing_but_errors(program, mock):
    mock.faults.error = WRITE_TIMEOUT
    finished = program.load(mock.server, "--rate-limit", "200", "--duration", "1s", code=1)
    summary = finished.summary
    assert summary["operations"] == 0 and summary["errors"] == 200
    assert summary["achieved_rate"] == 0 and summary["client_cpu_us_per_operation"] is None
    assert set(summary["response_time_us"].values()) <= {None, 0}
    assert summary["failed_response_time_us"]["p99"] > 0
    assert summary["shortfall"]["cause"] == "server_errors"
    assert mock.store.keyspaces == {}


def test_an_overloaded_server_gets_less(program, mock):
    mock.faults.error = OVERLOADED
    finished = program.load(mock.server, "--duration", "1s", "--parallelism", "10", code=1)
    # Without a pause this mock answers thousands in a second.
    assert 0 < mock.log.executes < 1000
    assert finished.errors == {"Overloaded": mock.log.executes}


def test_forgotten_statements_are_prepared_again(program, mock):
    program.load(mock.server, "--count", "200", "--serial", "--save")
    expected = mock.rows()
    mock.log.writes.clear()
    mock.faults.unprepared_first = 5
    finished = program.load(mock.server, "--count", "200", "--serial", "--save", "--fresh")
    assert finished.summary["operations"] == 200
    assert sorted(mock.log.writes) == list(range(200))
    assert mock.rows() == expected


def test_a_statement_that_is_forgotten_for_ever(program, mock):
    mock.faults.unprepared_first = 10**9
    finished = program.load(mock.server, "--count", "20", "--parallelism", "5", code=1)
    assert finished.errors == {"Unprepared": 20}
    assert mock.log.executes <= 40  # each is sent twice at most


def test_answers_that_never_come(program, mock):
    mock.faults.mute_every = 10
    finished = program.load(mock.server, "--count", "200", "--serial", "--parallelism", "20",
                            "--request-timeout", "500ms", code=1)
    assert finished.errors == {"ClientTimeout": 20}
    assert finished.summary["operations"] == 180
    assert finished.summary["unanswered"] == 0
    assert finished.document["intervals"][-1]["in_flight"] == 0


def test_late_answers_are_nobody_elses(program, mock):
    """Replies after the time-out must not be taken for those of later requests."""
    mock.faults.delay_s = 0.6
    running = program.start_load(mock.server, "--count", "60", "--serial", "--parallelism", "20",
                                 "--request-timeout", "300ms", "--save")
    wait_until(lambda: mock.log.executes >= 20)
    mock.faults.delay_s = 0
    finished = running.wait(code=1)
    check_counts(finished.summary)
    assert finished.errors["ClientTimeout"] >= 20
    assert finished.summary["operations"] + finished.summary["errors"] == 60
    assert mock.log.executes == 60 and sorted(mock.log.writes) == list(range(60))


def test_a_server_that_goes_and_comes_back(program, mock):
    running = program.start_load(mock.server, "--rate-limit", "200", "--duration", "4s", "--serial")
    wait_until(lambda: mock.log.executes >= 200)
    mock.go_down()
    wait_until(lambda: "is not used" in running.output()[1], what="a word about the lost server")
    before = mock.log.executes
    mock.come_back()
    wait_until(lambda: mock.log.executes > before, what="a new connection")
    finished = running.wait(code=None)
    check_counts(finished.summary)
    assert finished.summary["due"] == 800
    assert finished.seconds < 4 + 8
    assert mock.log.connections < 12
    assert set(finished.errors) <= {"ConnectionLost"}
    assert finished.code == (1 if finished.errors else 0)
    # Each that was answered was answered once, and each that was sent was sent once.
    assert len(mock.log.writes) == len(set(mock.log.writes)) >= finished.summary["operations"]


def test_a_server_that_goes_and_stays_away(program, mock):
    running = program.start_load(mock.server, "--rate-limit", "200", "--duration", "2s")
    wait_until(lambda: mock.log.executes >= 50)
    mock.go_down()
    finished = running.wait(code=1, timeout_s=30)
    check_counts(finished.summary)
    assert finished.summary["due"] == 400 and finished.summary["unsent"] > 0
    assert finished.document["error"] is not None  # the keyspace could not be dropped


def test_bytes_that_are_no_frame(program, mock):
    running = program.start_load(mock.server, "--rate-limit", "200", "--duration", "2s")
    wait_until(lambda: mock.log.executes >= 50)
    mock.faults.garbage = True
    wait_until(lambda: mock.log.connections >= 4, what="a new connection")
    mock.faults.garbage = False
    finished = running.wait(code=1)
    check_counts(finished.summary)
    assert set(finished.errors) <= {"ProtocolError", "ConnectionLost"}
    assert finished.summary["operations"] > 100


def test_one_node_of_two_goes(program, mock_pair):
    running = program.start_load(mock_pair.server, "--rate-limit", "200", "--duration", "2s")
    wait_until(lambda: mock_pair.log.executes >= 100)
    mock_pair.go_down(node=1)
    finished = running.wait(code=None)
    check_counts(finished.summary)
    assert finished.summary["operations"] > 300
    assert finished.summary["unsent"] == 0
