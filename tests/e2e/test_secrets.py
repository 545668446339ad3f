"""A password never reaches an output, a log or a result file, whatever becomes of the run."""

import cql_wire as wire
import pytest
from mock_server import WRITE_TIMEOUT, ErrorReply, Faults

PASSWORD = "S3cret-Phrase"


def assert_no_trace(program, finished):
    files = [path for path in program.directory.rglob("*") if path.is_file()]
    assert any(path.suffix == ".json" for path in files)
    texts = {str(path): path.read_bytes().decode(errors="replace") for path in files}
    texts.update(stdout=finished.stdout, stderr=finished.stderr)
    for name, text in texts.items():
        assert PASSWORD not in text, f"the password is in {name}"


@pytest.mark.parametrize("how", [
    {"flags": ["--password", PASSWORD]}, {"environment": {"CQLPERF_PASSWORD": PASSWORD}}],
    ids=["flag", "environment"])
@pytest.mark.parametrize("faults, code", [
    (Faults(), 0), (Faults(error=WRITE_TIMEOUT), 1), (Faults(silent=True), 3),
    (Faults(ddl_error=ErrorReply(wire.UNAUTHORIZED, "not allowed")), 3)],
    ids=["good", "errors", "silent", "refused"])
def test_no_output_has_the_password(program, mock_with_login, tmp_path, how, faults, code):
    mock_with_login.faults = faults
    finished = program.load(
        mock_with_login.server, "--user", "loader", *how.get("flags", []), "--count", "10",
        "--connect-timeout", "1s", "--hdr-log", tmp_path / "run.hdr", code=code,
        environment=how.get("environment"))
    assert_no_trace(program, finished)


def test_a_password_that_is_wrong(program, mock_with_login):
    mock_with_login.password = "another"
    finished = program.load(mock_with_login.server, "--user", "loader", "--password", PASSWORD,
                            code=3)
    assert_no_trace(program, finished)


def test_a_usage_error_beside_a_password(program, mock, tmp_path):
    path = tmp_path / "result.json"
    finished = program.run("run", "--user", "u", f"--password={PASSWORD}", "--runs", "0", "--json",
                           path, code=2)
    assert_no_trace(program, finished)
    finished = program.run("run", "--user", "u", "--json", path, f"--pasword={PASSWORD}", code=2)
    assert "--password" in finished.stderr
    assert_no_trace(program, finished)
