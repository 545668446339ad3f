"""What is sent: how many, how fast, which keys, with which consistency; what is reported of it."""

import cql_wire as wire
import pytest


def intervals(finished):
    rows = finished.document["intervals"]
    for row in rows:
        assert row["rate"] == pytest.approx(row["done"] / row["length_s"], rel=0.001)
    return rows


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_or_one(program, mock, count):
    finished = program.load(mock.server, "--count", str(count))
    assert finished.summary["operations"] == len(mock.log.writes) == count
    assert finished.summary["errors"] == 0
    latency = finished.summary["response_time_us"]
    assert (latency["mean"] is None) == (latency["p99"] is None) == (count == 0)


def test_no_time_at_all(program, mock):
    finished = program.load(mock.server, "--duration", "0")
    assert finished.summary["operations"] == len(mock.log.writes)
    assert finished.seconds < 10


def test_each_key_once_over_threads(program, mock):
    finished = program.load(mock.server, "--count", "10", "--threads", "3", "--serial", "--keys",
                            "10")
    assert sorted(mock.log.writes) == list(range(10))
    assert finished.summary["distinct_keys"] == {"count": 10, "exact": True, "relative_error": 0}


def test_random_keys_are_counted(program, mock):
    finished = program.load(mock.server, "--count", "1000", "--keys", "500", "--threads", "2")
    distinct = finished.summary["distinct_keys"]
    assert distinct["exact"] and distinct["count"] == len(set(mock.log.writes))
    assert 300 < distinct["count"] < 500
    assert min(mock.log.writes) >= 0 and max(mock.log.writes) < 500


def test_the_same_seed_gives_the_same_data(program, mock):
    stored = []
    for seed, threads in (("7", "1"), ("7", "3"), ("8", "1")):
        program.load(mock.server, "--count", "100", "--seed", seed, "--threads", threads, "--save",
                     "--fresh")
        stored.append(mock.rows())
    assert stored[0] == stored[1] != stored[2]
    assert all(None not in row.values() for row in stored[0].values())


def test_one_per_second_on_eight_threads(program, mock):
    finished = program.load(mock.server, "--rate-limit", "1", "--threads", "8", "--duration", "2s")
    assert finished.summary["due"] == len(mock.log.writes) == 2
    first, second = mock.log.execute_times
    assert second - first > 0.5


def test_a_rate_below_the_parallelism(program, mock):
    finished = program.load(mock.server, "--rate-limit", "10", "--parallelism", "100", "--duration",
                            "1s")
    assert finished.summary["due"] == len(mock.log.writes) == 10
    # Not all at once: from the first to the last there are 0.9 s on the schedule.
    assert mock.log.execute_times[-1] - mock.log.execute_times[0] > 0.45


def test_a_rate_is_held(program, mock):
    finished = program.load(mock.server, "--rate-limit", "500", "--duration", "2s", "--interval",
                            "500ms", "--threads", "2")
    summary, rows = finished.summary, intervals(finished)
    assert summary["due"] == summary["operations"] == len(mock.log.writes) == 1000
    assert summary["asked_rate"] == 500
    assert sum(row["done"] for row in rows) == 1000
    assert sum(row["sent"] for row in rows) == summary["sent"]
    assert sum(row["length_s"] for row in rows) == pytest.approx(summary["measured_seconds"],
                                                                 rel=0.01)
    assert 4 <= len(rows) <= 6
    assert [row["target_rate"] for row in rows[:4]] == [500] * 4
    assert rows[-1]["in_flight"] == 0


def test_runs_send_all_of_their_operations(program, mock):
    finished = program.load(mock.server, "--rate-limit", "300", "--runs", "2")
    assert finished.summary["operations"] == len(mock.log.writes) == 600


def test_never_more_in_flight_than_allowed(program, mock):
    mock.faults.delay_s = 0.02
    program.load(mock.server, "--parallelism", "7", "--threads", "3", "--count", "200")
    assert mock.log.outstanding_max <= 7
    assert mock.log.outstanding == 0


def test_slow_replies_do_not_distort_the_rate(program, mock):
    """All replies take one second: no interval shows more than the rate that was asked for."""
    mock.faults.delay_s = 1
    finished = program.load(mock.server, "--rate-limit", "100", "--parallelism", "1000", "--count",
                            "200")
    rows = intervals(finished)
    assert rows[0]["done"] < 50 and rows[0]["in_flight"] > 50
    assert sum(row["done"] for row in rows) == 200
    assert max(row["rate"] for row in rows if row["length_s"] > 0.5) < 200
    assert finished.summary["service_time_us"]["min"] >= 1_000_000
    assert finished.summary["response_time_us"]["p50"] < 2_500_000


def test_a_warm_up_is_not_measured(program, mock):
    finished = program.load(mock.server, "--rate-limit", "200", "--warmup", "500ms", "--duration",
                            "1s")
    assert finished.summary["due"] == 200
    assert 280 <= len(mock.log.writes) <= 300
    assert sum(row["done"] for row in intervals(finished)) == 200


def test_short_latencies_have_digits(program, mock):
    finished = program.load(mock.server, "--count", "200", "--parallelism", "1")
    service = finished.summary["service_time_us"]
    assert 0 < service["min"] <= service["p50"] <= service["p99"] <= service["max"]
    assert any(service[name] != round(service[name]) for name in ("min", "mean", "p50", "p99"))


def test_the_window_is_named_when_it_was_too_small(program, mock):
    mock.faults.delay_s = 0.1
    finished = program.load(mock.server, "--rate-limit", "1000", "--parallelism", "10",
                            "--duration", "1s")
    shortfall = finished.summary["shortfall"]
    assert shortfall["cause"] == "window_full" and "--parallelism" in shortfall["explanation"]
    assert shortfall["explanation"] in finished.stdout
    assert finished.summary["due"] == 1000 and finished.summary["unsent"] > 500


def test_a_rate_that_was_required(program, mock):
    arguments = ["--rate-limit", "100", "--duration", "1s"]
    program.load(mock.server, *arguments, "--min-rate", "50")
    program.load(mock.server, *arguments, "--min-rate", "5k", code=1)


@pytest.mark.parametrize("level", ["ONE", "LOCAL_QUORUM", "all"])
def test_the_consistency_is_that_which_was_asked_for(program, mock, level):
    program.load(mock.server, "mixed", "--keys", "50", "--count", "40", "--consistency", level)
    assert mock.log.reads and len(mock.log.writes) > 50
    assert set(mock.log.consistencies[wire.EXECUTE]) == {level.upper()}


def test_the_consistency_is_quorum_by_default(program, mock):
    program.load(mock.server, "--count", "10")
    assert mock.log.consistencies[wire.EXECUTE] == {"QUORUM": 10}


def test_connections(program, mock):
    program.load(mock.server, "--count", "100", "--threads", "2", "--connections", "3")
    assert 6 <= mock.log.connections <= 8  # and those for the set-up
    assert mock.log.open_connections == 0
