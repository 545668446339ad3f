#!/usr/bin/env python3
"""Compares our HdrHistogram and interval log with the reference implementation in Java.

Three comparisons, each of every number: a log that we wrote, read by both; the same values,
recorded by both; a log that the reference wrote, read by both.
"""

import argparse
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 240
# The reference reads seconds as a double, adds the base time and cuts to whole milliseconds.
TIME_TOLERANCE_MS = 1
FIELDS = ["tag", "start_ms", "length_ms", "count", "min_ns", "max_ns", "mean_ns"]


def run(command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True,
                          timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        sys.exit(f"failed with {done.returncode}: {' '.join(map(str, command))}")
    return [line.split() for line in done.stdout.splitlines()]


def reference_jar(directory):
    """The jar from Maven Central, copied once into the build directory."""
    jars = list(directory.glob("HdrHistogram-*.jar"))
    if not jars:
        run(["mvn", "-q", "-B", "-f", HERE / "pom.xml", "dependency:copy-dependencies",
             f"-DoutputDirectory={directory}"])
        jars = list(directory.glob("HdrHistogram-*.jar"))
    return jars[0]


def field_name(index):
    return FIELDS[index] if index < len(FIELDS) else f"percentile {index - len(FIELDS)}"


def same(name, ours, theirs, exact_mean):
    if name in ("start_ms", "length_ms"):
        return abs(int(ours) - int(theirs)) <= TIME_TOLERANCE_MS
    if name == "mean_ns":
        # Ours is exact while it records; the reference takes the middle of each bucket.
        tolerance = 1e-12 if exact_mean else 1 / 1024
        return math.isclose(float(ours), float(theirs), rel_tol=tolerance)
    return ours == theirs


def compare(title, ours, theirs, exact_mean, ignore=()):
    wrong = []
    if len(ours) != len(theirs) or not ours:
        wrong.append(f"{len(ours)} lines of ours, {len(theirs)} of the reference")
    for our_line, their_line in zip(ours, theirs):
        if len(our_line) != len(their_line):
            wrong.append(f"{our_line[0]}: {len(our_line)} and {len(their_line)} fields")
        for index, (our_field, their_field) in enumerate(zip(our_line, their_line)):
            name = field_name(index)
            if name not in ignore and not same(name, our_field, their_field, exact_mean):
                wrong.append(f"{our_line[0]}: {name} is {our_field}, "
                             f"of the reference {their_field}")
    numbers = sum(map(len, ours))
    print(f"{title}: {len(ours)} histograms, {numbers} numbers, {len(wrong)} differences")
    for line in wrong:
        print(f"  {line}")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, type=pathlib.Path, help="our hdr_log_tool")
    parser.add_argument("--jars", required=True, type=pathlib.Path, help="where to keep the jar")
    arguments = parser.parse_args()
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not installed; scripts/setup installs it")
    java = ["java", "-cp", reference_jar(arguments.jars), HERE / "HdrReader.java"]
    tool = arguments.tool
    with tempfile.TemporaryDirectory() as directory:
        our_log = pathlib.Path(directory, "ours.hdr")
        their_log = pathlib.Path(directory, "reference.hdr")
        values = pathlib.Path(directory, "values")
        written = run([tool, "write", our_log, values])
        recorded = run(java + ["record", values, their_log])
        of_values = [line for line in written if line[0] == "every-magnitude"]
        good = [
            compare("our log as written", written, run(java + ["read", our_log]), False),
            compare("our log as read", run([tool, "read", our_log]),
                    run(java + ["read", our_log]), True),
            compare("the same values", of_values, recorded, False,
                    ("tag", "start_ms", "length_ms")),
            compare("the reference's log", run([tool, "read", their_log]),
                    run(java + ["read", their_log]), True),
        ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
