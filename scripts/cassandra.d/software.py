"""What a Cassandra needs on this machine: a Java 17, and its jars from Maven Central."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from basics import CACHE, TEMPLATES, Failure, locked, run_bounded, say, show_tail

# Pinned: whatever Maven is installed, the same plugin copies the jars.
COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
DOWNLOAD_TIMEOUT_S = 900


def find_java():
    """A Java 17, which is what the options in jvm.options are for."""
    candidates = [shutil.which("java")]
    if os.environ.get("JAVA_HOME"):
        candidates.insert(0, os.path.join(os.environ["JAVA_HOME"], "bin", "java"))
    candidates += [str(path) for path in sorted(Path("/usr/lib/jvm").glob("*17*/bin/java"))]
    seen = []
    for java in candidates:
        if not java or not os.access(java, os.X_OK):
            continue
        run = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
        version = re.search(r'version "([^"]+)"', run.stderr)
        if version and version[1].split(".")[0] == "17":
            return java
        seen.append(f"{java} is {version[1] if version else 'no working Java'}")
    found = f" ({'; '.join(seen)})" if seen else ""
    raise Failure(f"Java 17 is needed and was not found{found}; run "
                  "scripts/setup --with-cassandra, or install openjdk-17-jre-headless")


def jars(version):
    """The folder with that version's jars, downloaded on first use."""
    folder = CACHE / "jars" / version
    if folder.is_dir():
        return folder
    if not shutil.which("mvn"):
        raise Failure("Maven is needed to download Cassandra, and there is no 'mvn' in PATH; "
                      "run scripts/setup --with-cassandra, or install maven")
    with locked(f"jars-{version}", DOWNLOAD_TIMEOUT_S):
        if not folder.is_dir():
            download(version, folder)
    return folder


def download(version, folder):
    """All into a folder beside it that takes its name only once it is complete."""
    say(f"Cassandra {version}: downloading its jars from Maven Central (once)")
    started = time.monotonic()
    folder.parent.mkdir(parents=True, exist_ok=True)
    for abandoned in folder.parent.glob(f"{version}.partial-*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    # A name of its own: the Maven of a killed download may still be writing to the last one.
    partial = Path(tempfile.mkdtemp(prefix=f"{version}.partial-", dir=folder.parent))
    partial.chmod(0o755)
    output = folder.with_name(f"{version}.maven.log")
    command = ["mvn", "--batch-mode", "-Dstyle.color=never", "-f", TEMPLATES / version / "pom.xml",
               COPY_GOAL, "-DincludeScope=runtime", f"-DoutputDirectory={partial}"]
    try:
        code = run_bounded(command, output, DOWNLOAD_TIMEOUT_S)
        if code != 0 or not (partial / f"cassandra-all-{version}.jar").is_file():
            show_tail(output, 15)
            reason = "took too long" if code is None else f"failed (exit code {code})"
            raise Failure(f"the download of Cassandra {version} {reason}; Maven's output is in "
                          f"{output}. Is Maven Central within reach?")
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    size = sum(path.stat().st_size for path in folder.iterdir()) >> 20
    say(f"Cassandra {version}: {size} MiB in {time.monotonic() - started:.1f} s, in {folder}")
