"""Runs the compilers and programs of other languages."""

import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Where installers by hand put what Debian's packages would.
EXTRA_PATHS = {"go": "/usr/local/go/bin/go", "cargo": str(Path.home() / ".cargo/bin/cargo")}
BUILD_TIMEOUT_S = 600
RUN_TIMEOUT_S = 120


def find(name):
    """A program by its name. Without it the test fails: scripts/setup --all installs it."""
    path = shutil.which(name) or EXTRA_PATHS.get(name)
    assert path and Path(path).exists(), f"{name} is not installed: run scripts/setup --all"
    return path


def run(*command, cwd=HERE, timeout_s=RUN_TIMEOUT_S):
    """Its standard output; a program that fails fails the test."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, timeout=timeout_s,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
