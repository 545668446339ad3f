"""Runs cqlperf from outside, for pytest.

CQLPERF_BIN names the folder of the program and its links; without it the release build is tested.
"""

import json
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("CQLPERF_BIN", ROOT / "build" / "release" / "bin"))

# A program that is still there after this hangs. Long, since builds with sanitizers on a busy
# machine are slow.
HANG_S = 60


def wait_until(condition, timeout_s=HANG_S, what="the condition"):
    """Polls until condition() is true, and returns what it gave."""
    deadline = time.monotonic() + timeout_s
    while not (result := condition()):
        assert time.monotonic() < deadline, f"{what} did not come true in {timeout_s} s"
        time.sleep(0.005)
    return result


def _no_constant(name):
    raise ValueError(f"{name} is no JSON")


def load_json(text):
    """Exactly one document, without NaN and Infinity, which Python would take."""
    return json.loads(text, parse_constant=_no_constant)


@dataclass
class Finished:
    command: str
    code: int
    stdout: str
    stderr: str
    seconds: float
    json_path: Path | None = None

    @property
    def document(self):
        return load_json(self.json_path.read_text())

    @property
    def summary(self):
        return self.document["summary"]

    @property
    def errors(self):
        """Kind -> count."""
        return {error["kind"]: error["count"] for error in self.summary["errors_by_kind"]}

    def __str__(self):
        return (f"{self.command}\nended with {self.code} after {self.seconds:.2f} s\n"
                f"--- stdout\n{self.stdout}--- stderr\n{self.stderr}---")


def check_counts(summary):
    """No operation is lost: what came due is what was done, failed, skipped or left."""
    assert summary["due"] == (summary["operations"] + summary["errors"] + summary["skipped"] +
                              summary["unsent"] + summary["unanswered"]), summary
    assert summary["sent"] == (summary["operations"] + summary["errors"] +
                               summary["unanswered"]), summary
    assert summary["errors"] == sum(kind["count"] for kind in summary["errors_by_kind"]), summary


class Running:
    """A process whose output goes to files, so that it never waits for a reader."""

    def __init__(self, command, directory, environment, json_path, stdout):
        self.command = " ".join(map(str, command))
        self.directory = directory  # also the program's TMPDIR
        self.json_path = json_path
        self._out = open(directory / "stdout", "w+b")
        self._err = open(directory / "stderr", "w+b")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [os.fspath(word) for word in command], stdin=subprocess.DEVNULL,
            stdout=self._out if stdout is None else stdout, stderr=self._err, env=environment,
            cwd=directory)

    @property
    def ended(self):
        return self.process.poll() is not None

    def send(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def output(self):
        """(stdout, stderr) so far."""
        return tuple(Path(file.name).read_text(errors="surrogateescape")
                     for file in (self._out, self._err))

    def wait(self, code=0, timeout_s=HANG_S):
        """The end of the program, which must be with this exit code (None: any)."""
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            pytest.fail(f"did not end in {timeout_s} s: {self.finished()}")
        finished = self.finished()
        assert "Sanitizer" not in finished.stderr, finished
        assert not re.search(r"\b(nan|inf)\b", finished.stdout, re.IGNORECASE), finished
        if code is not None:
            assert finished.code == code, finished
        return finished

    def finished(self):
        stdout, stderr = self.output()
        return Finished(self.command, self.process.returncode, stdout, stderr,
                        time.monotonic() - self.started, self.json_path)

    def kill(self):
        if not self.ended:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        self._out.close()
        self._err.close()


class Program:
    """Starts cqlperf any number of times; what still runs when the test is over is killed."""

    def __init__(self, directory):
        self.directory = directory
        self.runs = []

    def start(self, *arguments, name="cqlperf", environment=None, json_path=None,
              stdout=None):
        directory = self.directory / f"run-{len(self.runs)}"
        directory.mkdir()
        # Nothing of the caller's may change what the program does.
        variables = {key: text for key, text in os.environ.items()
                     if not key.startswith("CQLPERF_")}
        variables.update({"TMPDIR": str(directory), "LC_ALL": "C.UTF-8"}, **(environment or {}))
        if mark := os.environ.get("CQLPERF_TEST_RUN"):
            variables["CQLPERF_TEST_RUN"] = mark
        running = Running([BIN / name, *arguments], directory, variables, json_path, stdout)
        self.runs.append(running)
        return running

    def run(self, *arguments, code=0, timeout_s=HANG_S, **how):
        return self.start(*arguments, **how).wait(code, timeout_s)

    def start_load(self, server, *arguments, **how):
        """`cqlperf run` with a JSON result."""
        path = self.directory / f"result-{len(self.runs)}.json"
        return self.start("run", *arguments, "--server", server, "--json", path, json_path=path,
                          **how)

    def load(self, server, *arguments, code=0, timeout_s=HANG_S, **how):
        """The same to its end; the counts of the result are checked for consistency."""
        finished = self.start_load(server, *arguments, **how).wait(code, timeout_s)
        if finished.document["summary"] is not None:
            check_counts(finished.summary)
        return finished

    def close(self):
        for running in self.runs:
            running.close()


@pytest.fixture
def program(tmp_path):
    starter = Program(tmp_path)
    yield starter
    starter.close()
