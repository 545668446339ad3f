"""Command lines: help, version, and everything that is found to be wrong before anything is
opened."""

from pathlib import Path

import pytest

ROWS = [line.split("=>") for line in
        (Path(__file__).parent / "bad_command_lines.txt").read_text().splitlines()
        if not line.startswith("#")]


def test_there_are_rows():
    assert len(ROWS) > 40 and all(len(row) == 2 for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip() or "(nothing)")
def test_a_wrong_command_line_is_refused(program, mock, row):
    arguments = row[0].replace("{server}", mock.server).split()
    finished = program.run(*arguments, code=2)
    assert finished.stdout == ""
    assert row[1].strip() in finished.stderr, finished
    assert "--help" in finished.stderr
    assert mock.log.connections == 0


def test_a_count_above_2_to_31_is_accepted(program, mock):
    mock.faults.close_at_accept = True
    program.run("run", "--count", "3000000000", "--server", mock.server, code=3)


def test_help_and_version_go_to_standard_output(program):
    for arguments in (["--help"], ["run", "--help"], ["-h"], ["run", "-h"], ["--version"]):
        finished = program.run(*arguments)
        assert finished.stderr == "" and "cqlperf" in finished.stdout, finished
    text = program.run("run", "--help").stdout
    for flag in ("--parallelism", "--rate-limit", "--runs", "--save", "--serial", "--server",
                 "--duration", "--count", "--json", "--hdr-log", "130 interrupted"):
        assert flag in text
