"""`cqlperf forms` on the embedded server: every form in every scenario, and what is found wrong."""

import re

import embedded
from cassandra.cluster import Cluster
from forms_runs import NATIVE, RPC, SCENARIOS, SMALL, cells, forms, keyspaces, start
from forms_servers import both, server  # noqa: F401
from program import wait_until


def test_every_form_in_every_scenario(program, both):
    server, thrift = both
    finished = forms(program, "--server", server.server, "--thrift-port", thrift)
    found = cells(finished)
    assert set(found) == {(scenario, form) for scenario in SCENARIOS for form in RPC + NATIVE}
    for (scenario, form), cell in found.items():
        if "strings" in form and scenario in ("counters", "reads"):
            assert "only INSERT JSON takes strings" in cell["not_available"]
            assert not cell["rounds"]
            continue
        assert cell["not_available"] is None and len(cell["rounds"]) == 2
        for part in cell["rounds"]:
            assert part["requests"]["operations"] == 600 and part["requests"]["errors"] == 0
            assert part["verification"]["ok"], (scenario, form, part)
            assert part["bytes_sent_per_operation"] > 30
            expected = part["verification"]["expected"]
            if scenario in ("inserts", "indexed"):
                assert expected == part["verification"]["found"] == 300
            if scenario == "counters":  # the warm-up's increments count as well
                assert expected == part["verification"]["found"] > 600
            if scenario == "reads":
                assert part["verification"]["checked"] == 600
    assert "cqlperf_forms" not in keyspaces(server)


def test_the_server_of_its_own_has_every_row(program):
    finished = forms(program, "--embedded", "--scenarios", "inserts,counters", json_too=False)
    for form in RPC + NATIVE:
        assert re.search(rf"^ *{form} +[\d,]+/s", finished.stdout, re.MULTILINE), finished
    assert "n/a (only INSERT JSON takes strings, and counters have no INSERT)" in finished.stdout
    assert finished.stdout.count("verified: ") == 2
    assert re.search(r"Inserts, 300 rows x 5 columns of 34 bytes", finished.stdout)


def test_without_thrift_the_rpc_rows_say_so(program, server):
    finished = forms(program, "--server", server.server, "--scenarios", "inserts")
    found = cells(finished)
    for form in RPC:
        assert found["inserts", form]["not_available"].startswith("no Thrift")
        assert f"{form} " in finished.stdout
    for form in NATIVE:
        assert len(found["inserts", form]["rounds"]) == 2
    assert finished.document["server"]["compact_storage"] is False


def test_what_is_found_is_what_is_there(program, both):
    """Somebody else deletes and changes rows while the cell is measured."""
    server, thrift = both
    running = start(program, "--server", server.server, "--thrift-port", thrift,
                    "--scenarios", "inserts", "--forms", "prepared", "--duration", "3s",
                    "--rate-limit", "200", size=("--rows", "100k", "--rounds", "1",
                                                 "--warm-up", "0", "--settle", "0"))
    table = "cqlperf_forms.forms_1"
    cluster = Cluster([server.address], port=server.port)
    session = cluster.connect()

    def rows():
        try:
            return list(session.execute(f"SELECT id FROM {table}"))
        except Exception:  # it is not there yet
            return []

    wait_until(lambda: len(rows()) > 20)
    session.execute(f"DELETE FROM {table} WHERE id = 0x{b'0000000003'.hex()}")
    session.execute(f"UPDATE {table} SET \"C2\" = 0x00 WHERE id = 0x{b'0000000005'.hex()}")
    session.execute(f"INSERT INTO {table} (id, \"C0\") VALUES (0x00, 0x00)")
    cluster.shutdown()
    finished = running.wait(1)
    found = cells(finished)["inserts", "prepared"]["rounds"][0]["verification"]
    assert not found["ok"]
    assert found["missing"] == 1 and found["wrong"] == 2
    assert "the row of key" in finished.stdout or "a row has a key" in finished.stdout, finished


def test_reads_that_meet_other_rows(program, both):
    server, thrift = both
    running = start(program, "--server", server.server, "--thrift-port", thrift,
                    "--scenarios", "reads", "--forms", "rpc,rpc-cql,prepared,cql",
                    "--duration", "1s", size=("--rows", "10", "--rounds", "1", "--warm-up", "0",
                                              "--settle", "1s", "--read-keys", "uniform"))
    wait_until(lambda: "cells to be measured" in running.output()[1])
    table = "cqlperf_forms.forms"
    cluster = Cluster([server.address], port=server.port)
    session = cluster.connect()

    def full():
        try:
            return len(list(session.execute(f"SELECT id FROM {table}"))) == 10
        except Exception:  # it is not there yet
            return False

    wait_until(full)
    session.execute(f"DELETE FROM {table} WHERE id = 0x{b'0000000003'.hex()}")
    session.execute(f"UPDATE {table} SET \"C2\" = 0x00 WHERE id = 0x{b'0000000005'.hex()}")
    cluster.shutdown()
    for cell in cells(running.wait(1)).values():
        kinds = {error["kind"] for error in cell["rounds"][0]["requests"]["errors_by_kind"]}
        assert kinds == {"MissingRow", "WrongRow"}, cell["form"]


def test_one_round_marks_nothing(program):
    finished = forms(program, "--embedded", "--forms", "cql,prepared", "--scenarios", "inserts",
                     "--rounds", "1", size=SMALL[:4] + SMALL[6:], json_too=False)
    assert "the noise is not known" in finished.stdout
    assert not re.search(r"\([+-]\d+%\)", finished.stdout)


def test_the_password_is_in_no_file(program):
    with embedded.running("--auth", "loader:S3cret-Phrase", "--thrift-port", "0") as server:
        thrift = server.process.stdout.readline().strip().rpartition(":")[2]
        out = program.directory / "out"
        finished = forms(program, "--server", server.server, "--thrift-port", thrift, "--user",
                         "loader", "--password", "S3cret-Phrase", "--out", out, "--scenarios",
                         "inserts", "--forms", "rpc,prepared")
        assert finished.document["ok"]
        for path in [*out.iterdir(), finished.json_path]:
            assert b"S3cret" not in path.read_bytes(), path
        assert "S3cret" not in finished.stdout + finished.stderr
        forms(program, "--server", server.server, "--thrift-port", thrift, "--user", "loader",
              "--password", "wrong", code=3)


def test_what_is_in_doubt_is_told_apart(program):
    """The server closes connections after it has applied what it does not answer."""
    with embedded.running("--fault", "close,probability=0.02,after=100,opcode=QUERY") as server:
        finished = forms(
            program, "--server", server.server, "--scenarios", "counters", "--forms", "cql",
            "--connections", "4", code=1,
            size=("--count", "2000", "--rows", "50", "--rounds", "1", "--warm-up", "0",
                  "--settle", "0", "--parallelism", "8"))
    part, = cells(finished)["counters", "cql"]["rounds"]
    if part["verification"] is None:  # the fault has met the verification too
        assert "could not be verified" in finished.stdout
        return
    found = part["verification"]
    assert found["ok"] and found["in_doubt"] > 0
    assert found["expected"] <= found["found"] <= found["expected"] + found["in_doubt"]
    assert f"{found['in_doubt']} in doubt" in finished.stdout
