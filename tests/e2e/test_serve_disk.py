"""`cqlperf serve` on a disk that gets full, and gets room again."""

import contextlib
import os
import subprocess

import cql_wire as wire
import embedded
import pytest
from program import wait_until
from serve_client import Client, execute, prepare

KEYSPACE = ("CREATE KEYSPACE k WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}")
VALUE = os.urandom(1 << 20)
WRITES_MAX = 300


@pytest.fixture
def small_disk(tmp_path):
    """A directory on a file system of 60 MB, as far as the system lets a test mount one."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", tmp_path],
                             capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "-l", tmp_path], check=True)


def fill(client, insert):
    """Writes until an error, and returns it with the count of the rows before."""
    for number in range(WRITES_MAX):
        answer = client.ask(execute(insert, [wire.int_(number), VALUE]))
        if answer.opcode == wire.ERROR:
            return number, answer
    raise AssertionError("the disk does not get full")


def count(client):
    return int.from_bytes(client.query("SELECT count(*) FROM k.t").body[-8:], "big")


def test_a_full_disk(small_disk):
    data = small_disk / "data"
    with embedded.running("--data", str(data), "--memory", "16MiB") as server:
        client = Client(server.server).start()
        assert client.query(KEYSPACE).kind == 5
        assert client.query("CREATE TABLE k.t (a int PRIMARY KEY, b blob)").kind == 5
        insert = client.ask(prepare("INSERT INTO k.t (a, b) VALUES (?, ?)")).prepared_id
        written, answer = fill(client, insert)
        assert answer.error_code == 0x1500 and "No space left on device" in answer.error_text
        # What was acknowledged can be read.
        assert count(client) == written

        def takes_writes():
            return client.ask(execute(insert, [wire.int_(1), b"x"])).opcode != wire.ERROR

        subprocess.run(["mount", "-o", "remount,size=200m", small_disk], check=True)
        wait_until(takes_writes, what="writes to be taken again")
        assert client.query("CREATE TABLE k.other (a int PRIMARY KEY)").kind == 5
        assert client.query("INSERT INTO k.t (a, b) VALUES (1000, 0x00)").kind == 1
    with embedded.running("--data", str(data), "--memory", "16MiB") as server:
        assert count(Client(server.server).start()) == written + 1


def test_a_disk_without_room_at_the_start(small_disk):
    with contextlib.suppress(OSError):
        (small_disk / "filler").write_bytes(bytes(64 << 20))
    with pytest.raises(AssertionError, match="No space left on device"):
        embedded.start("--data", str(small_disk / "data"))
