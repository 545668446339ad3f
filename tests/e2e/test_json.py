"""The JSON document: one, valid and complete, whatever becomes of the run."""

import json
import os
import signal

import pytest
from mock_server import WRITE_TIMEOUT, ErrorReply, Faults
from program import check_counts, load_json, wait_until

SUMMARY_MEMBERS = {
    "asked_rate", "achieved_rate", "operations", "errors", "client_cpu_us_per_operation",
    "response_time_us", "service_time_us", "due", "sent", "late", "skipped", "unsent",
    "errors_by_kind", "distinct_keys", "shortfall"}
LATENCY_MEMBERS = {"mean", "p50", "p99", "p99_9", "max"}


def document_on_stdout(finished):
    """Standard output holds this document, and nothing else."""
    document = load_json(finished.stdout)
    assert document["schema_version"] == 1
    assert document["exit_code"] == finished.code
    assert "intervals" in document
    return document


def to_stdout(program, mock, *arguments, code=0, **how):
    return document_on_stdout(program.run("run", *arguments, "--server", mock.server, "--json", "-",
                                          code=code, **how))


def test_a_good_run(program, mock):
    document = to_stdout(program, mock, "--rate-limit", "200", "--duration", "1s", "--interval",
                         "250ms")
    assert document["status"] == "done" and document["error"] is None
    assert SUMMARY_MEMBERS <= set(document["summary"])
    for name in ("response_time_us", "service_time_us"):
        assert LATENCY_MEMBERS <= set(document["summary"][name])
        assert all(LATENCY_MEMBERS <= set(row[name]) for row in document["intervals"])
    assert len(document["intervals"]) >= 4
    assert document["server"]["nodes"][0].startswith(mock.server)
    check_counts(document["summary"])


def test_the_configuration_is_there_in_full(program, mock):
    config = to_stdout(
        program, mock, "mixed", "--mix", "insert=1,read=1", "--keys", "30", "--count", "20",
        "--rate-limit", "5k", "--parallelism", "9", "--threads", "2", "--warmup", "100ms", "--late",
        "drop", "--serial", "--seed", "77", "--keyspace", "ks", "--table", "t", "--consistency",
        "one", "--interval", "200ms", "--request-timeout", "3s")["config"]
    expected = {
        "workload": "mixed", "mix": "insert=1,read=1", "keys": 30, "count": 20, "rate_limit": 5000,
        "parallelism": 9, "threads": 2, "warmup_s": 0.1, "late": "drop", "serial": True, "seed": 77,
        "keyspace": "ks", "table": "t", "consistency": "ONE", "interval_s": 0.2,
        "request_timeout_s": 3, "server": [mock.server], "save": False, "duration_s": None}
    assert {name: config[name] for name in expected} == expected


@pytest.mark.parametrize("arguments", [["--count", "0"], ["--duration", "0"],
                                       ["--count", "1", "--rate-limit", "0.5"]])
def test_next_to_nothing(program, mock, arguments):
    document = to_stdout(program, mock, *arguments)
    check_counts(document["summary"])


def test_nothing_but_errors(program, mock):
    mock.faults.error = WRITE_TIMEOUT
    document = to_stdout(program, mock, "--count", "50", code=1)
    assert document["status"] == "done"
    for name in ("response_time_us", "service_time_us"):
        assert all(document["summary"][name][key] is None for key in LATENCY_MEMBERS)


@pytest.mark.parametrize("arguments", [
    ["run", "--json", "-", "--no-such-flag"], ["run", "--json=-", "--runs", "-1"],
    ["run", "erase", "--json", "-"], ["run", "--rate-limit", "1e999", "--json", "-"],
    ["--json", "-"], ["nonsense", "--json", "-"]])
def test_a_usage_error(program, arguments):
    document = document_on_stdout(program.run(*arguments, code=2))
    assert document["status"] == "failed" and document["error"]["message"]
    assert document["summary"] is None


@pytest.mark.parametrize("faults", [Faults(close_at_accept=True), Faults(http=True),
                                    Faults(silent=True), Faults(ddl_error=WRITE_TIMEOUT)])
def test_nothing_could_be_measured(program, mock, faults):
    mock.faults = faults
    document = to_stdout(program, mock, "--connect-timeout", "1s", code=3)
    assert document["status"] == "failed" and document["error"]["message"]
    assert document["config"]["server"] == [mock.server] and document["summary"] is None


def test_a_bad_login(program, mock_with_login):
    document = to_stdout(program, mock_with_login, "--user", "loader", code=3)
    assert "Provided username loader" in document["error"]["message"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run(program, mock, number):
    running = program.start("run", "--rate-limit", "100", "--server", mock.server, "--json", "-")
    wait_until(lambda: mock.log.executes >= 30)
    running.send(number)
    document = document_on_stdout(running.wait(code=130))
    assert document["status"] == "interrupted" and document["summary"]["interrupted"]
    check_counts(document["summary"])
    # The interval that was cut short is there as well.
    assert sum(row["done"] for row in document["intervals"]) == document["summary"]["operations"]
    assert document["summary"]["operations"] >= 30


def test_texts_that_are_no_utf8(program, mock):
    mock.faults.error = ErrorReply(0, "bad \udcff text")
    summary = to_stdout(program, mock, "--count", "5", code=1)["summary"]
    assert "text" in summary["errors_by_kind"][0]["first_message"]
    document_on_stdout(program.run(b"run", b"--keyspace", b"t\xff\xfe", b"--json", b"-", code=2))


def test_a_file_holds_a_document_from_the_start(program, mock):
    running = program.start_load(mock.server, "--rate-limit", "100", "--duration", "1s")
    wait_until(lambda: mock.log.executes >= 1)
    assert load_json(running.json_path.read_text())["status"] == "running"
    finished = running.wait()
    assert finished.document["status"] == "done"


def test_a_file_is_replaced(program, mock, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"old": "x" * 100_000}))
    program.run("run", "--count", "1", "--server", mock.server, "--json", path)
    assert load_json(path.read_text())["summary"]["operations"] == 1


@pytest.mark.parametrize("flag", ["--json", "--hdr-log"])
def test_a_path_that_cannot_be_written_is_found_before_the_run(program, mock, tmp_path, flag):
    for path in (tmp_path / "no" / "folder", tmp_path, "/dev/full", ""):
        finished = program.run("run", "--count", "1", "--server", mock.server, f"{flag}={path}",
                               code=2)
        assert str(path) in finished.stderr and finished.stdout == "", finished
    assert mock.log.connections == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_is_read_only(program, mock, tmp_path):
    path = tmp_path / "result.json"
    path.touch(mode=0o400)
    program.run("run", "--server", mock.server, "--json", path, code=2)
    assert mock.log.connections == 0


def test_percentiles_have_names_of_their_own(program, mock):
    document = to_stdout(program, mock, "--count", "100", "--percentiles", "99.99,99.991,99.9999")
    summary = document["summary"]
    for name in ("response_time_us", "service_time_us"):
        assert {"p99_99", "p99_991", "p99_9999"} <= set(summary[name])
        assert summary[name]["p99"] <= summary[name]["p99_99"] <= summary[name]["max"]


def test_a_closed_pipe_is_no_crash(program, mock):
    """As with `cqlperf run | head`: the reader goes away."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    finished = program.run("run", "--count", "10", "--server", mock.server, "--json", "-",
                           code=None, stdout=write_end)
    os.close(write_end)
    assert finished.code == 1 and mock.store.keyspaces == {}
