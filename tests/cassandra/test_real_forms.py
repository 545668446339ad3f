"""The statement forms on a real server."""

from program import load_json

RPC = {"rpc", "rpc-cql", "rpc-prepared-strings", "rpc-prepared"}
NATIVE = {"cql", "cql-bound", "prepared-strings", "prepared"}
SMALL = ("--count", "2k", "--rows", "1000", "--rounds", "2", "--warm-up", "100ms", "--settle", "0")


def test_every_form_that_the_server_has(program, server):
    finished = program.run("forms", "--server", server.server, *SMALL, "--json", "-",
                           timeout_s=300)
    document = load_json(finished.stdout)
    has_thrift = server.version.startswith("3.")
    for scenario in document["scenarios"]:
        cells = {cell["form"]: cell for cell in scenario["cells"]}
        assert set(cells) == RPC | NATIVE
        for form, cell in cells.items():
            if form in RPC and not has_thrift:
                assert cell["not_available"] == "no Thrift: removed in Cassandra 4.0"
            elif "strings" in form and scenario["scenario"] in ("counters", "reads"):
                assert "only INSERT JSON takes strings" in cell["not_available"]
            else:
                assert [part["ok"] for part in cell["rounds"]] == [True, True], cell
                assert all(part["requests"]["operations"] == 2000 for part in cell["rounds"])
    assert document["server"]["compact_storage"] is has_thrift
    assert "cqlperf_forms" not in server.keyspaces()
