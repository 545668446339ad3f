"""latte, which is built on the Rust driver, with the workloads that it comes with."""

import json
import os
from pathlib import Path

import pytest
from other_program import run

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
LATTE = CACHE / "cqlperf/interop/bin/latte"
CARGO_HOME = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))


def workload(name):
    """The workload in the sources that cargo keeps."""
    found = sorted(CARGO_HOME.glob(f"registry/src/*/latte-cli-*/workloads/basic/{name}.rn"))
    assert found, "latte's sources are missing: run scripts/setup --all"
    return found[-1]


def latte(folder, *arguments):
    """Runs it in the folder, where it leaves a log."""
    assert LATTE.exists(), "latte is missing: run scripts/setup --all"
    return run(LATTE, *arguments, cwd=folder)


@pytest.mark.parametrize("name, rows", [("write", 0), ("write-blob", 0), ("read", 5000)])
def test_basic_workload(server, tmp_path, name, rows):
    script = workload(name)
    node = f"{server.address}:{server.port}"
    latte(tmp_path, "schema", script, node)
    if rows:
        latte(tmp_path, "load", script, "-P", f"rows={rows}", node)
    report = tmp_path / "report.json"
    latte(tmp_path, "run", script, "-q", "-d", "20000", "-p", "100", "-o", report,
          *(["-P", f"rows={rows}"] if rows else []), node)
    result = json.loads(report.read_text())["result"]
    assert result["error_count"] == 0, result["errors"]
    assert result["request_count"] >= 20000
    assert result["row_count"] == (20000 if rows else 0)
