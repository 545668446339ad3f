"""A server that stops for two seconds: what it does to response times, and to late operations."""

import pytest
from program import check_counts, wait_until

FREEZE_S = 2.0
RATE = 400
SECONDS = 4


def frozen_run(program, mock, *arguments, code=0):
    running = program.start_load(mock.server, "--rate-limit", str(RATE), "--duration",
                                 f"{SECONDS}s", *arguments)
    wait_until(lambda: mock.log.executes >= RATE // 2)
    mock.freeze(FREEZE_S)
    finished = running.wait(code)
    check_counts(finished.summary)
    assert finished.summary["due"] == RATE * SECONDS
    return finished


def longest_s(finished, kind):
    return finished.summary[kind]["max"] / 1e6


def test_late_operations_are_all_sent(program, mock):
    summary = (finished := frozen_run(program, mock)).summary
    assert summary["operations"] == len(mock.log.writes) == RATE * SECONDS
    assert summary["skipped"] == summary["unsent"] == summary["unanswered"] == 0
    assert longest_s(finished, "response_time_us") == pytest.approx(FREEZE_S, abs=0.8)
    assert longest_s(finished, "service_time_us") == pytest.approx(FREEZE_S, abs=0.8)
    # Half of all were due in the freeze, evenly: so the upper percentiles are near its length.
    assert summary["response_time_us"]["p99"] > 0.8 * FREEZE_S * 1e6
    assert summary["response_time_us"]["p90"] > 0.5 * FREEZE_S * 1e6
    # Only a window of them was on its way; that they had to wait is what service time hides.
    assert summary["service_time_us"]["p90"] < 0.5 * FREEZE_S * 1e6
    # The window holds 100, which is a quarter of a second.
    assert summary["late"] > RATE


def test_late_operations_are_dropped(program, mock):
    summary = (finished := frozen_run(program, mock, "--late", "drop")).summary
    assert summary["skipped"] > RATE
    assert summary["operations"] == len(mock.log.writes)
    assert summary["operations"] + summary["skipped"] == RATE * SECONDS
    assert longest_s(finished, "service_time_us") == pytest.approx(FREEZE_S, abs=0.8)
    assert sum(row["skipped"] for row in finished.document["intervals"]) == summary["skipped"]


def test_the_end_of_the_time_is_the_end(program, mock):
    """Frozen over the end: what was not sent by then is counted, not sent."""
    running = program.start_load(mock.server, "--rate-limit", str(RATE), "--duration", "1s",
                                 "--parallelism", "50")
    wait_until(lambda: mock.log.executes >= RATE // 4)
    mock.freeze(FREEZE_S)
    finished = running.wait(code=None)
    check_counts(finished.summary)
    assert finished.summary["due"] == RATE
    assert finished.summary["unsent"] > 0
    assert len(mock.log.writes) == finished.summary["sent"]
