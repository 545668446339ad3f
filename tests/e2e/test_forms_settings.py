"""`cqlperf forms` with settings that change the way and not the result."""

import pytest
from forms_runs import forms
from forms_servers import both  # noqa: F401


@pytest.mark.parametrize("flags", [
    ("--threads", "3"), ("--parallelism", "1"), ("--protocol", "5", "--compression", "lz4"),
    ("--protocol", "3"), ("--columns", "12", "--value-size", "1"), ("--value-size", "10KiB"),
    ("--rate-limit", "5k"), ("--read-keys", "uniform"),
    ("--rounds", "2", "--warm-up", "10ms"),
    ("--connections", "3"), ("--cardinality", "1"),
    ("--consistency", "QUORUM"), ("--rows", "1"), ("--rows", "7"),
], ids=lambda flags: " ".join(flags))
def test_every_row_is_right_all_the_same(program, both, flags):
    server, thrift = both
    small = ("--count", "120", "--rows", "60", "--rounds", "1", "--warm-up", "0", "--settle", "0")
    kept = tuple(word for pair in zip(small[::2], small[1::2]) if pair[0] not in flags
                 for word in pair)
    finished = forms(program, "--server", server.server, "--thrift-port", thrift, *flags,
                     size=kept)
    assert finished.document["ok"]
