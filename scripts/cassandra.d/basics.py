"""Errors, interrupts, locks and bounded child processes, for scripts/cassandra."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parent
CACHE_HOME = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute()
CACHE = CACHE_HOME / "cqlperf" / "cassandra"
POLL_S = 0.05


class Failure(Exception):
    """What went wrong and what to change, for the user; code is the exit code."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class Interrupted(Exception):
    """A signal asked us to end."""


class Interrupt:
    """Signals only set this flag; every loop that waits checks it, so nothing is cut half done."""

    received = None

    @classmethod
    def install(cls):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, cls._receive)

    @classmethod
    def _receive(cls, number, _frame):
        cls.received = number

    @classmethod
    def check(cls):
        if cls.received:
            raise Interrupted


def pause():
    Interrupt.check()
    time.sleep(POLL_S)


def say(text, end="\n"):
    print(text, end=end, flush=True)


def write_atomically(path, text):
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text)
    temporary.replace(path)


@contextlib.contextmanager
def locked(name, timeout_s):
    """Holds the lock of that name, which dies with its holder."""
    folder = CACHE / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + timeout_s
    told = False
    with open(folder / name, "w", encoding="ascii") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Failure(f"another scripts/cassandra holds '{name}' for over "
                                  f"{timeout_s} s; wait for it or end it") from None
                if not told:
                    say(f"waiting for another scripts/cassandra that works on '{name}'")
                told = True
                pause()
        yield


def run_bounded(command, output, timeout_s):
    """Exit code, or None when it was ended at the deadline; never outlives this function."""
    deadline = time.monotonic() + timeout_s
    with open(output, "wb") as file:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        try:
            while child.poll() is None:
                if time.monotonic() > deadline:
                    return None
                pause()
            return child.returncode
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def show_tail(path, lines):
    with contextlib.suppress(OSError):
        text = path.read_text(errors="replace").splitlines()[-lines:]
        print("\n".join("  | " + line[:300] for line in text), file=sys.stderr)
