"""The face of cql_stress: its flags as Go's flag package takes them, its lines."""

import re

import pytest
from program import BIN

LINE = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d INFO Stats: throughput=(\d+) "
                  r"avg_latency:=(\d+(?:\.\d+)?(?:ns|µs|ms|s))")
USAGE = f"""Usage of {BIN / "cql_stress"}:
  -embedded
    \tStart a server for this run, instead of -server
  -parallelism int
    \tNumber of parallel workers (default 1)
  -rate-limit int
    \tNumber of requests per second (default 1)
  -runs int
    \tNumber of consecutive runs (default 1)
  -save
    \tPreserve test data
  -serial
    \tUse serial values instead of random generated
  -server string
    \tScyllaDB IP:port (default "localhost:9042")
"""


def stress(program, *arguments, **how):
    return program.run(*arguments, name="cql_stress", **how)


def throughputs(finished):
    matches = [LINE.fullmatch(line) for line in finished.stdout.splitlines()]
    assert all(matches), finished
    return [int(match[1]) for match in matches]


def test_a_line_for_each_run(program, mock):
    """Exactly the rate, unless something else took the CPU from both for a while: so up to three
    times. What was sent is right each time."""
    for attempt in range(1, 4):
        finished = stress(program, "-parallelism", "100", "-rate-limit", "500", "-runs", "2",
                          "-serial", "-save", "-server", mock.server)
        assert sorted(mock.rows()) == list(range(1000))
        assert sorted(mock.log.writes) == list(range(1000))
        mock.log.writes.clear()
        if throughputs(finished) == [500, 500]:
            break
        assert attempt < 3, finished
    assert finished.stderr == ""


def test_without_save_the_keyspace_is_gone(program, mock):
    finished = stress(program, "--parallelism=10", "--rate-limit=200", "-runs=1", "-server",
                      mock.server)
    assert len(throughputs(finished)) == 1
    assert len(mock.log.writes) == 200
    assert mock.store.keyspaces == {}


def test_the_defaults_are_one_request_in_one_run(program, mock):
    assert throughputs(stress(program, "-save=false", "-server", mock.server)) == [1]
    assert len(mock.log.writes) == 1


def test_a_saved_keyspace_is_made_anew(program, mock):
    for _ in range(2):
        stress(program, "-rate-limit", "20", "-serial", "-save", "-server", mock.server)
    assert sorted(mock.rows()) == list(range(20))
    assert len(mock.log.ddl("DROP KEYSPACE")) >= 1


def test_a_keyspace_of_others_is_refused(program, mock):
    mock.make_keyspace("test_keyspace", "precious")
    finished = stress(program, "-server", mock.server, code=3)
    assert "test_keyspace" in finished.stderr and finished.stdout == ""
    assert list(mock.store.keyspaces["test_keyspace"].tables) == ["precious"]


@pytest.mark.parametrize("flag", ["-h", "--h", "-help", "--help"])
def test_help(program, flag):
    finished = stress(program, flag)
    assert finished.stdout + finished.stderr == USAGE


@pytest.mark.parametrize("arguments, message", [
    (["-speed", "5"], "flag provided but not defined: -speed"),
    (["-runs"], "flag needs an argument: -runs"),
    (["-runs", "x"], 'invalid value "x" for flag -runs: parse error'),
    (["-runs", "0"], 'invalid value "0" for flag -runs'),
    (["-runs", "-1"], 'invalid value "-1" for flag -runs'),
    (["-runs", "2147483648"], 'invalid value "2147483648" for flag -runs'),
    (["-runs=99999999999999999999"], "value out of range"),
    (["-parallelism", "0"], 'invalid value "0" for flag -parallelism'),
    (["-rate-limit", "-5"], 'invalid value "-5" for flag -rate-limit'),
    (["-rate-limit", "1e3"], 'invalid value "1e3" for flag -rate-limit'),
    (["-save=maybe"], 'for flag -save'),
    (["-server", "host:port:x"], "for flag -server"),
    (["---save"], "bad flag syntax: ---save")])
def test_a_wrong_flag_gets_the_usage(program, arguments, message):
    finished = stress(program, *arguments, code=2)
    assert message in finished.stderr and finished.stderr.endswith(USAGE), finished
    assert finished.stdout == ""


def test_nobody_is_there(program, mock):
    mock.go_down()
    finished = stress(program, "-server", mock.server, code=3)
    assert mock.server in finished.stderr and finished.stdout == ""
