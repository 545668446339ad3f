"""Instances and their nodes: folders, settings and processes.

A process is taken for a node of ours only when its command line names that node's folder. No pid
file is trusted, so a stale or lost one does no harm; it is there for people and tests to read.
"""

import contextlib
import ipaddress
import json
import os
import signal
import sys
import time
from pathlib import Path

from basics import CACHE, POLL_S, Failure, write_atomically
from native import Native

DAEMON = "org.apache.cassandra.service.CassandraDaemon"


class Node:
    """One node of an instance: its addresses, its folder, and the process that runs in it."""

    def __init__(self, instance, number):
        settings = instance.settings
        self.instance = instance
        self.number = number
        self.address = str(ipaddress.ip_address(settings["address"]) + number - 1)
        self.port = settings["port"]
        self.thrift_port = settings["thrift_port"]
        self.folder = instance.folder / f"node{number}"
        self.log = self.folder / "log"
        self.pid_file = self.folder / "pid"

    def endpoint(self):
        return f"{self.address}:{self.port}"

    def pid(self):
        """The pid of the running daemon, or None."""
        return node_processes().get(str(self.folder))

    def answers(self):
        try:
            with Native(self.address, self.port) as native:
                native.options()
            return True
        except OSError:
            return False

    def has_data(self):
        return (self.folder / "data").is_dir()


class Instance:
    """A named cluster: what it was started with (settings.json) and its nodes."""

    def __init__(self, name):
        self.name = name
        self.folder = CACHE / "instances" / name
        self.settings_file = self.folder / "settings.json"
        self.settings = self._load()

    def _load(self):
        try:
            return json.loads(self.settings_file.read_text())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise Failure(f"{self.settings_file} cannot be read ({error}); delete it") from error

    def save(self):
        write_atomically(self.settings_file, json.dumps(self.settings, indent=2) + "\n")

    def nodes(self):
        count = self.settings["nodes"] if self.settings else 0
        return [Node(self, number) for number in range(1, count + 1)]

    def running(self):
        return [node for node in self.nodes() if node.pid()]


def all_instances():
    folder = CACHE / "instances"
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    return [instance for instance in map(Instance, names) if instance.settings]


def node_processes():
    """Folder of each running node of ours -> pid, by the command lines in /proc."""
    marker = f"-Dcassandra.storagedir={CACHE}/"
    found = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            arguments = Path(entry.path, "cmdline").read_bytes().decode("utf-8", "replace")
            if DAEMON not in arguments:
                continue
            for argument in arguments.split("\0"):
                if argument.startswith(marker):
                    found[argument.partition("=")[2]] = int(entry.name)
    return found


def signal_nodes(nodes, number):
    for node in nodes:
        pid = node.pid()
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def wait_gone(nodes, timeout_s):
    """Waits until none of the nodes runs; returns those that still do at the deadline."""
    deadline = time.monotonic() + timeout_s
    while True:
        processes = node_processes()
        left = [node for node in nodes if str(node.folder) in processes]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(POLL_S)


def kill_nodes(nodes):
    """SIGKILL, for a start that failed; ends within seconds."""
    signal_nodes(nodes, signal.SIGKILL)
    for node in wait_gone(nodes, 10):
        print(f"pid {node.pid()} does not die, not even by SIGKILL", file=sys.stderr)
    for node in nodes:
        node.pid_file.unlink(missing_ok=True)
