"""`cqlperf forms` on the embedded server: every form, what is found wrong, and what is refused."""

import json
import re
import signal
import socket
import struct
import threading
import xml.etree.ElementTree
from html.parser import HTMLParser

import embedded
import fake_thrift
import pytest
from cassandra.cluster import Cluster
from program import wait_until

SMALL = ("--count", "600", "--rows", "300", "--rounds", "2", "--warm-up", "20ms", "--settle", "0")
RPC = ["rpc", "rpc-cql", "rpc-prepared-strings", "rpc-prepared"]
NATIVE = ["cql", "cql-bound", "prepared-strings", "prepared"]
SCENARIOS = ["inserts", "indexed", "counters", "reads"]


@pytest.fixture
def server():
    with embedded.running() as running:
        yield running


@pytest.fixture
def both():
    """A server that speaks Thrift too: (server, port of Thrift)."""
    with embedded.running("--thrift-port", "0") as running:
        line = running.process.stdout.readline()
        yield running, line.strip().rpartition(":")[2]


def start(program, *arguments, size=SMALL, json_too=True, **how):
    path = program.directory / f"forms-{len(program.runs)}.json"
    wanted = ("--json", path) if json_too else ()
    return program.start("forms", *size, *arguments, *wanted, json_path=path, **how)


def forms(program, *arguments, code=0, **options):
    return start(program, *arguments, **options).wait(code)


def cells(finished):
    return {(scenario["scenario"], cell["form"]): cell
            for scenario in finished.document["scenarios"] for cell in scenario["cells"]}


def keyspaces(server):
    cluster = Cluster([server.address], port=server.port)
    try:
        rows = cluster.connect().execute("SELECT keyspace_name FROM system_schema.keyspaces")
        return {row.keyspace_name for row in rows}
    finally:
        cluster.shutdown()


def execute(server, *statements):
    cluster = Cluster([server.address], port=server.port)
    try:
        session = cluster.connect()
        return [list(session.execute(statement)) for statement in statements]
    finally:
        cluster.shutdown()


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
    assert keyspaces(server) == keyspaces(server) - {"cqlperf_forms"}


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


@pytest.mark.parametrize("flags", [
    ("--threads", "3"), ("--parallelism", "1"), ("--protocol", "5", "--compression", "lz4"),
    ("--protocol", "3"), ("--columns", "12", "--value-size", "1"), ("--value-size", "60KiB"),
    ("--rate-limit", "5k"), ("--read-keys", "uniform"), ("--warm-up", "0"),
    ("--connections", "3"), ("--rounds", "1"), ("--cardinality", "1"),
    ("--consistency", "QUORUM"), ("--rows", "1"), ("--rows", "7"),
], ids=lambda flags: " ".join(flags))
def test_settings_that_change_the_way_and_not_the_result(program, both, flags):
    server, thrift = both
    small = ("--count", "120", "--rows", "60", "--rounds", "2", "--warm-up", "10ms",
             "--settle", "0")
    kept = tuple(word for pair in zip(small[::2], small[1::2]) if pair[0] not in flags
                 for word in pair)
    finished = forms(program, "--server", server.server, "--thrift-port", thrift, *flags,
                     size=kept)
    assert finished.document["ok"]


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


def test_files_of_a_directory(program):
    out = program.directory / "deep" / "result"
    finished = forms(program, "--embedded", "--scenarios", "inserts,reads", "--out", out)
    names = {path.name for path in out.iterdir()}
    pictures = {f"{scenario}-{kind}.{suffix}" for scenario in ("inserts", "reads")
                for kind in ("rate", "latency") for suffix in ("svg", "png")}
    assert {"forms.md", "forms.json", "index.html"} | pictures <= names
    for picture in pictures:
        data = (out / picture).read_bytes()
        if picture.endswith("svg"):
            xml.etree.ElementTree.fromstring(data)
        else:
            assert data[:8] == b"\x89PNG\r\n\x1a\n"
            assert struct.unpack(">I", data[16:20])[0] == 1400
    assert json.loads((out / "forms.json").read_text())["scenarios"] == (
        finished.document["scenarios"])
    page = (out / "index.html").read_text()
    assert page.count("<svg") >= 4
    assert_self_contained(page)
    markdown = (out / "forms.md").read_text()
    assert "| prepared" in markdown or "| CQL, prepared" in markdown
    assert str(out / "index.html") in finished.stderr


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes
                       if name in ("src", "href", "xlink:href", "data", "action")]


def assert_self_contained(page):
    """Nothing is asked of any other host."""
    parser = _Links()
    parser.feed(page)
    for link in parser.links:
        assert link.startswith("#") or re.fullmatch(r"[\w.-]+|data:,", link), link
    assert "@import" not in page and "url(http" not in page and "<script" not in page


def test_without_gnuplot_the_tables_still_come(program, tmp_path):
    out = tmp_path / "out"
    finished = forms(program, "--embedded", "--scenarios", "inserts", "--forms", "cql,prepared",
                     "--out", out, environment={"PATH": str(tmp_path)})
    assert "gnuplot is not installed: apt-get install gnuplot-nox" in finished.stderr
    assert {path.name for path in out.iterdir()} == {"forms.md", "forms.json", "index.html"}
    assert_self_contained((out / "index.html").read_text())


def test_the_markup_of_jira(program):
    finished = forms(program, "--embedded", "--scenarios", "inserts,counters", "--jira",
                     json_too=False)
    assert "h3. Inserts, 300 rows x 5 columns" in finished.stdout
    assert "|| ||Average OP rate||Average Latency||\n" in finished.stdout
    assert re.search(r"^\|RPC\|[\d,]+/s\|[\d.]+ ?[mu]s\|$", finished.stdout, re.MULTILINE)
    assert "Percentages listed are in relation to RPC performance" in finished.stdout


def test_one_round_marks_nothing(program):
    finished = forms(program, "--embedded", "--forms", "cql,prepared", "--scenarios", "inserts",
                     "--rounds", "1", size=SMALL[:4] + SMALL[6:], json_too=False)
    assert "the noise is not known" in finished.stdout
    assert not re.search(r"\([+-]\d+%\)", finished.stdout)


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


def test_a_table_of_somebody_else_is_left_alone(program, server):
    execute(server, "CREATE KEYSPACE cqlperf_forms WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE cqlperf_forms.forms (a int PRIMARY KEY, b text)",
            "INSERT INTO cqlperf_forms.forms (a, b) VALUES (1, 'mine')")
    for flags in ((), ("--fresh",), ("--existing-keyspace",)):
        finished = forms(program, "--server", server.server, *flags, code=3)
        assert "was not made by cqlperf" in finished.stderr
    finished = forms(program, "--server", server.server, "--existing-keyspace", "--table", "other",
                     "--scenarios", "inserts", "--forms", "cql,prepared")
    assert finished.document["ok"]
    rows, tables = execute(
        server, "SELECT b FROM cqlperf_forms.forms",
        "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'cqlperf_forms'")
    assert [row.b for row in rows] == ["mine"]
    assert [row.table_name for row in tables] == ["forms"]


def test_a_table_that_is_in_the_way(program, server):
    execute(server, "CREATE KEYSPACE shop WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE shop.forms_1 (a int PRIMARY KEY, b text)")
    finished = forms(program, "--server", server.server, "--keyspace", "shop",
                     "--existing-keyspace", code=3)
    assert "forms_1" in finished.stderr and "--table" in finished.stderr


def test_what_an_earlier_run_has_left(program, server):
    execute(server, "CREATE KEYSPACE cqlperf_forms WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE cqlperf_forms.forms (a int PRIMARY KEY) "
            "WITH comment = 'made by cqlperf: it may drop this table'")
    small = ("--server", server.server, "--scenarios", "inserts", "--forms", "cql")
    finished = forms(program, *small, code=3)
    assert "--fresh" in finished.stderr
    assert forms(program, *small, "--fresh").document["ok"]


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


def test_a_directory_that_cannot_be_written(program):
    finished = forms(program, "--embedded", "--out", "/proc/nothing", code=2)
    assert "--out /proc/nothing: " in finished.stderr


def test_no_form_is_left(program, server):
    finished = forms(program, "--server", server.server, "--forms", "rpc,rpc-cql", code=3)
    assert "none of the --forms can be sent" in finished.stderr


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
