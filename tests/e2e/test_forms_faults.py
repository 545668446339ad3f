"""`cqlperf forms` where something is in the way: ports, answers, tables, signals, dead servers."""

import signal
import socket
import threading

import fake_thrift
import pytest
from forms_runs import cells, forms, keyspaces, start
from forms_servers import both, server  # noqa: F401
from program import wait_until


@pytest.mark.parametrize("port, says", [
    ("closed", "refused"), ("cql", "the port of the native protocol"),
    ("silent", "did not answer describe_version"), ("http", "that is text, not Thrift"),
])
def test_a_port_that_speaks_no_thrift(program, server, port, says):
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1]
        if port == "closed":
            other.close()
        if port == "cql":
            number = server.port
        if port == "http":
            other.settimeout(30)

            def answer():
                peer = other.accept()[0]
                peer.recv(100)
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                peer.close()

            threading.Thread(target=answer, daemon=True).start()
        finished = forms(program, "--server", server.server, "--thrift-port", str(number),
                         "--connect-timeout", "2s", code=3)
    assert f"--thrift-port {number}: " in finished.stderr
    assert says in finished.stderr, finished
    assert "start_rpc: true" in finished.stderr
    assert finished.document["scenarios"] is None and finished.document["exit_code"] == 3
    assert "cqlperf_forms" not in keyspaces(server)


@pytest.mark.parametrize("how, form, kind", [
    ("InvalidRequestException", "rpc", "InvalidRequestException"),
    ("UnavailableException", "rpc", "UnavailableException"),
    ("TimedOutException", "rpc-cql", "TimedOutException"),
    ("SchemaDisagreementException", "rpc-cql", "SchemaDisagreementException"),
    ("InvalidRequestException", "rpc-prepared", "InvalidRequestException"),
    ("application", "rpc", "TApplicationException"),
    ("close", "rpc", "ConnectionLost"),
    ("silent", "rpc", "ClientTimeout"),
    ("other-seqid", "rpc", "ProtocolError"),
    ("garbage", "rpc", "ProtocolError"),
])
def test_what_thrift_may_answer_instead(program, server, how, form, kind):
    with fake_thrift.running(how) as port:
        finished = forms(
            program, "--server", server.server, "--thrift-port", str(port), "--forms", form,
            "--scenarios", "inserts", "--duration", "300ms", "--request-timeout", "200ms", code=1,
            size=("--rows", "100", "--rounds", "1", "--warm-up", "0", "--settle", "0",
                  "--parallelism", "4"))
    part, = cells(finished)["inserts", form]["rounds"]
    errors = {error["kind"]: error for error in part["requests"]["errors_by_kind"]}
    assert kind in errors, errors
    assert part["requests"]["operations"] == 0
    if how == "InvalidRequestException":
        assert "it was made so" in errors[kind]["first_message"]
    assert kind in finished.stdout


@pytest.mark.parametrize("after", ["cells to be measured", "1/8", "5/8"])
def test_interrupted_in_the_middle(program, both, after):
    """Finished cells are kept and shown, and nothing is left behind."""
    server, thrift = both
    out = program.directory / "out"
    running = start(program, "--server", server.server, "--thrift-port", thrift, "--out", out,
                    "--scenarios", "inserts", "--duration", "400ms",
                    size=("--rows", "1000", "--rounds", "1", "--warm-up", "50ms", "--settle", "0"))
    wait_until(lambda: after in running.output()[1])
    running.send(signal.SIGINT)
    finished = running.wait(130)
    assert "cqlperf_forms" not in keyspaces(server)
    if after == "cells to be measured":
        return
    done = int(after[0])
    found = cells(finished)
    whole = [cell for cell in found.values()
             if cell["rounds"] and not cell["rounds"][0]["interrupted"]]
    assert len(whole) >= done
    assert "not run" in finished.stdout
    assert finished.document["interrupted"] and finished.document["status"] == "interrupted"
    assert (out / "index.html").exists()


def test_the_server_is_killed_in_the_middle(program, both):
    server, thrift = both
    running = start(program, "--server", server.server, "--thrift-port", thrift,
                    "--scenarios", "inserts", "--duration", "400ms", "--connect-timeout", "1s",
                    size=("--rows", "1000", "--rounds", "2", "--warm-up", "0", "--settle", "0"))
    wait_until(lambda: " 2/16" in running.output()[1])
    server.kill()
    finished = running.wait(1)
    whole = [cell for cell in cells(finished).values() if cell["rounds"]]
    assert len(whole) >= 2
    assert finished.document["error"] is not None
    assert "not run" in finished.stdout


def test_no_form_is_left(program, server):
    finished = forms(program, "--server", server.server, "--forms", "rpc,rpc-cql", code=3)
    assert "none of the --forms can be sent" in finished.stderr
