"""The HdrHistogram interval log, as a file; that HdrHistogram reads it is tested elsewhere."""

import base64
import re
import time
import zlib

from program import wait_until

LINE = re.compile(r"Tag=([^,]+),(\d+\.\d{3}),(\d+\.\d{3}),(\d+(?:\.\d+)?),([A-Za-z0-9+/]+=*)")
V2_COMPRESSED_COOKIE = 0x1C849314


def test_a_line_for_each_interval_and_kind(program, mock, tmp_path):
    path = tmp_path / "run.hdr"
    before = time.time()
    finished = program.load(mock.server, "mixed", "--keys", "50", "--rate-limit", "200",
                            "--duration", "1s", "--interval", "250ms", "--hdr-log", path)
    lines = path.read_text().splitlines()
    comments = [line for line in lines if line.startswith("#")]
    assert any("1.3" in line for line in comments)
    base, = (float(match[1]) for line in comments
             if (match := re.match(r"#\[BaseTime: (\d+\.\d+)", line)))
    assert before - 1 < base < time.time() + 1
    records = [match.groups() for line in lines if (match := LINE.fullmatch(line))]
    # What is left is the line with the names of the columns.
    assert len(lines) == len(comments) + len(records) + 1
    tags = {tag for tag, *_ in records}
    assert tags == {"response", "response-insert", "response-read",
                    "service", "service-insert", "service-read"}
    rows = len(finished.document["intervals"])
    assert len(records) == rows * len(tags)
    for tag in tags:
        starts = [float(start) for name, start, *_ in records if name == tag]
        assert starts == sorted(starts) and len(set(starts)) == rows
    for *_, encoded in records:
        data = base64.b64decode(encoded, validate=True)
        assert int.from_bytes(data[:4], "big") == V2_COMPRESSED_COOKIE
        zlib.decompress(data[8:])


def test_an_interrupted_run_has_its_log(program, mock, tmp_path):
    path = tmp_path / "run.hdr"
    running = program.start_load(mock.server, "--rate-limit", "100", "--interval", "100ms",
                                 "--hdr-log", path)
    wait_until(lambda: mock.log.executes >= 30)
    running.send()
    running.wait(code=130)
    assert len([line for line in path.read_text().splitlines() if LINE.fullmatch(line)]) >= 4
