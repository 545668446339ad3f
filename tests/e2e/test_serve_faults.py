"""`cqlperf serve --fault`: what goes wrong on purpose, and only that."""

import contextlib
import time

import cql_wire as wire
import embedded
import pytest
from serve_client import Client, execute, prepare, query, startup

TEXT = "SELECT key FROM system.local"


@contextlib.contextmanager
def serving(*faults, seed=1):
    flags = [word for fault in faults for word in ("--fault", fault)]
    with embedded.running("--storage", "null", "--fault-seed", str(seed), *flags) as server:
        yield server.server


def test_a_delay_holds_up_only_its_request():
    with serving("delay=700ms,connection=1") as server:
        slow, quick = Client(server).start(), Client(server).start()
        started = time.monotonic()
        slow.send(query(TEXT))
        for _ in range(10):
            assert quick.query(TEXT).kind == 2
        quick_s = time.monotonic() - started
        assert slow.receive().kind == 2
        slow_s = time.monotonic() - started
        assert slow_s >= 0.7 and quick_s < slow_s


def test_a_client_may_go_while_its_request_is_delayed():
    with serving("delay=300ms,connection=1") as server:
        client = Client(server).start()
        client.send(query(TEXT))
        client.close()
        time.sleep(0.5)
        assert Client(server).start().query(TEXT).kind == 2


def test_errors_come_at_every_third_request():
    with serving("error=0x1001,every=3") as server:
        client = Client(server).start()
        answers = [client.query(TEXT) for _ in range(9)]
        codes = [answer.error_code if answer.opcode == wire.ERROR else 0 for answer in answers]
        assert codes == [0, 0, wire.OVERLOADED] * 3
        assert "--fault" in answers[2].error_text


@pytest.mark.parametrize("code", [0x0000, 0x1000, 0x1100, 0x1200, 0x1300, 0x1500, 0x2400])
def test_errors_have_their_details(code):
    with serving(f"error={code:#x}") as server:
        answer = Client(server).start().query(TEXT)
        assert answer.error_code == code
        plain = len(wire.error(code, answer.error_text))
        assert len(answer.body) > plain or code == 0


def test_unprepared_names_the_statement():
    with serving("error=0x2500,opcode=EXECUTE,every=2") as server:
        client = Client(server).start()
        prepared_id = client.ask(prepare(TEXT)).prepared_id
        assert client.ask(execute(prepared_id)).kind == 2
        answer = client.ask(execute(prepared_id))
        assert answer.error_code == wire.UNPREPARED and answer.body.endswith(prepared_id)
        assert client.query(TEXT).kind == 2


def test_silence_answers_nothing_and_goes_on():
    with serving("silence,every=2") as server:
        client = Client(server).start()
        client.send(b"".join(query(TEXT, stream=stream) for stream in range(1, 7)))
        assert [client.receive().stream for _ in range(3)] == [1, 3, 5]


def test_a_connection_ends_after_so_many_requests():
    with serving("close,after=3") as server:
        client = Client(server).start()
        for _ in range(3):
            assert client.query(TEXT).kind == 2
        client.send(query(TEXT))
        client.expect_end()
        assert Client(server).start().query(TEXT).kind == 2


def test_the_handshake_fails_only_when_it_is_named():
    with serving("error=0x1002,opcode=STARTUP") as server:
        assert Client(server).ask(startup()).error_code == 0x1002


def test_chance_is_the_same_for_the_same_seed():
    def struck(seed):
        with serving("error=0x1001,probability=0.3", seed=seed) as server:
            client = Client(server).start()
            return [client.query(TEXT).opcode == wire.ERROR for _ in range(100)]
    first = struck(7)
    assert struck(7) == first and struck(8) != first
    assert 10 < sum(first) < 60


def test_a_run_counts_what_was_injected(program):
    with serving("error=0x1001,every=50,opcode=EXECUTE") as server:
        finished = program.load(server, "--count", "1000", "--parallelism", "10", code=1)
        assert finished.errors["Overloaded"] in range(18, 21), finished
