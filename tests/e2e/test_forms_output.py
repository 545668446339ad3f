"""What `cqlperf forms` writes: files, charts, the page, JIRA's markup."""

import json
import re
import struct
import xml.etree.ElementTree
from html.parser import HTMLParser

from forms_runs import forms, start
from program import wait_until


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


def test_a_directory_that_cannot_be_written(program):
    finished = forms(program, "--embedded", "--out", "/proc/nothing", code=2)
    assert "--out /proc/nothing: " in finished.stderr


def fake_gnuplot(tmp_path, script):
    path = tmp_path / "bin" / "gnuplot"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return {"PATH": f"{path.parent}:/usr/bin:/bin"}


def test_a_gnuplot_that_draws_nothing(program, tmp_path):
    out = tmp_path / "out"
    finished = forms(program, "--embedded", "--scenarios", "inserts", "--forms", "cql,prepared",
                     "--out", out, environment=fake_gnuplot(tmp_path, "exit 0\n"))
    assert "no charts: gnuplot has left no whole pictures" in finished.stderr
    assert {path.name for path in out.iterdir()} == {"forms.md", "forms.json", "index.html"}


def test_a_gnuplot_that_hangs_is_interrupted(program, tmp_path):
    out = tmp_path / "out"
    mark = tmp_path / "drawing"
    running = start(program, "--embedded", "--scenarios", "inserts", "--forms", "cql,prepared",
                    "--out", out,
                    environment=fake_gnuplot(tmp_path, f"touch {mark}\nsleep 300\n"))
    wait_until(mark.exists)
    assert running.json_path.exists() and (out / "index.html").exists()
    running.send()
    finished = running.wait(0)
    assert "no charts: interrupted" in finished.stderr
    assert finished.document["ok"] and finished.seconds < 30
