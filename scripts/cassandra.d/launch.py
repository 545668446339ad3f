"""Starts the nodes of an instance, and waits until they serve."""

import itertools
import json
import os
import re
import resource
import signal
import socket
import string
import subprocess
import sys
import time
from pathlib import Path

from basics import TEMPLATES, Failure, pause, say, show_tail
from instance import DAEMON, all_instances, kill_nodes
from native import why_not_joined, why_not_serving
from software import find_java, jars

STORAGE_PORT = 7000


def parse_cpus(text):
    """'0,2-3' -> {0, 2, 3}; None means all."""
    cpus = set()
    for part in filter(None, (text or "").split(",")):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def check_ports(nodes):
    """Every address and port must be free, or Cassandra fails late and obscurely."""
    for node in nodes:
        for port in filter(None, (node.port, STORAGE_PORT, node.thrift_port)):
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind((node.address, port))
                except OSError as error:
                    raise Failure(f"{node.address}:{port} cannot be used: {error.strerror}"
                                  f"{owner_of(node.address)}; choose another --address"
                                  f"{' or --port' if port != STORAGE_PORT else ''}") from error


def owner_of(address):
    for instance in all_instances():
        if any(node.address == address for node in instance.running()):
            return f" (instance '{instance.name}' runs there: " \
                   f"scripts/cassandra stop --name {instance.name})"
    return ""


def check_memory(count, heap):
    amount, unit = int(heap[:-1]), heap[-1]
    # Beside its heap a node takes about half a GiB.
    needed = count * ((amount << 10 if unit == "G" else amount) + 512)
    match = re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())
    available = int(match[1]) >> 10
    if needed > available:
        raise Failure(f"{count} node(s) with --heap {heap} take about {needed} MiB of memory, and "
                      f"{available} MiB are free; lower --heap or --nodes")


def tokens(number, count):
    """16 tokens of node NUMBER, so that every node of COUNT owns the same share of the ring."""
    step = 2**64 // (16 * count)
    return ",".join(str(-(2**63) + 1 + (i * count + number - 1) * step) for i in range(16))


def configuration(node):
    """cassandra.yaml; strings are quoted as JSON, which is YAML too."""
    settings = node.instance.settings
    auth = settings["auth"]
    values = {name: str(node.folder / name)
              for name in ("data", "commitlog", "saved_caches", "hints", "cdc_raw")}
    values |= {
        "address": node.address,
        "tokens": tokens(node.number, settings["nodes"]),
        "seed": settings["address"],
        "authenticator": "PasswordAuthenticator" if auth else "AllowAllAuthenticator",
        "authorizer": "CassandraAuthorizer" if auth else "AllowAllAuthorizer",
    }
    values = {name: json.dumps(value) for name, value in values.items()}
    values |= {"port": node.port, "storage_port": STORAGE_PORT, "thrift_port": node.thrift_port}
    template = (TEMPLATES / settings["version"] / "cassandra.yaml").read_text()
    text = string.Template(template).substitute(values)
    for key, value in settings["set"].items():
        line = f"{key}: {value}"
        text, found = re.subn(rf"^{key}:.*", lambda _, line=line: line, text, flags=re.MULTILINE)
        text += "" if found else line + "\n"
    return text


def command_line(node, java, jar_folder):
    settings = node.instance.settings
    paths = sorted(map(str, jar_folder.glob("*.jar")))
    agent = next(path for path in paths if "/jamm-" in path)
    # Nodes of one machine need the time of a gossip round or two to hear of each other.
    ring_delay_ms = 100 if settings["nodes"] == 1 else 5000
    command = [java, f"@{TEMPLATES / 'jvm.options'}", f"-javaagent:{agent}",
               f"-Xms{settings['heap']}", f"-Xmx{settings['heap']}",
               f"-Dlogback.configurationFile={(TEMPLATES / 'logback.xml').as_uri()}",
               f"-Dcassandra.config={(node.folder / 'cassandra.yaml').as_uri()}",
               f"-Dcassandra.storagedir={node.folder}",
               f"-Dcassandra.ring_delay_ms={ring_delay_ms}"]
    if node.thrift_port:
        # 3.11 reports an error when it has no JMX port; 0 takes any free one, on loopback.
        command.append("-Dcassandra.jmx.local.port=0")
    return command + ["-cp", ":".join(paths), DAEMON]


def prepare_child(cpus):
    """Runs between fork and exec: what the server must not inherit, and where it may run."""
    # Else they stay ignored in the server, if a shell had set them so for a background job.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if cpus:
        os.sched_setaffinity(0, cpus)


def launch(node, java, jar_folder):
    node.folder.mkdir(parents=True, exist_ok=True)
    (node.folder / "cassandra.yaml").write_text(configuration(node))
    if node.log.exists():
        node.log.replace(node.log.with_name("log.1"))
    cpus = parse_cpus(node.instance.settings["cpus"])
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")}
    with open(node.log, "wb") as log:
        child = subprocess.Popen(command_line(node, java, jar_folder), stdin=subprocess.DEVNULL,
                                 stdout=log, stderr=subprocess.STDOUT, env=environment,
                                 cwd=node.folder, start_new_session=True,
                                 preexec_fn=lambda: prepare_child(cpus))
    node.pid_file.write_text(f"{child.pid}\n")
    return child


def show_errors(log):
    """The first errors: the stack trace that follows them often fills the whole tail."""
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in itertools.islice((line for line in lines if line.startswith("ERROR")), 3):
            print("  | " + line.rstrip()[:300], file=sys.stderr)
    print("  | ...", file=sys.stderr)


def wait_until(reason_why_not, node, deadline, child=None):
    """Waits until reason_why_not() is None; a child that ends, or the deadline, is a failure."""
    while reason := reason_why_not():
        if child and child.poll() is not None:
            show_errors(node.log)
            show_tail(node.log, 30)
            raise Failure(f"node {node.number} ended with exit code {child.returncode} while it "
                          f"started; its log is {node.log}")
        if time.monotonic() > deadline:
            show_tail(node.log, 30)
            raise Failure(f"node {node.number} ({node.endpoint()}) is not ready in time: {reason}; "
                          f"its log is {node.log}. A slow machine may need a longer --timeout")
        pause()


def start_nodes(instance, missing, timeout_s):
    """Starts the missing nodes one after another and waits for all; or leaves none of them."""
    java = find_java()
    jar_folder = jars(instance.settings["version"])
    nodes = instance.nodes()
    check_ports(missing)
    check_memory(len(missing), instance.settings["heap"])
    instance.folder.mkdir(parents=True, exist_ok=True)
    instance.save()
    children = []
    try:
        for node in missing:
            started = time.monotonic()
            say(f"Cassandra {instance.settings['version']}: starting node {node.number} of "
                f"{len(nodes)} on {node.endpoint()} ... ", end="")
            child = launch(node, java, jar_folder)
            children.append(child)
            wait_until(lambda node=node: why_not_serving(node), node, started + timeout_s, child)
            say(f"ready in {time.monotonic() - started:.1f} s (pid {child.pid})")
        join_nodes(nodes, timeout_s)
    except BaseException:
        say("")
        kill_nodes(missing)
        for child in children:
            child.wait()
        raise


def join_nodes(nodes, timeout_s):
    """Waits until every node serves and, when there are several, reaches all the others."""
    deadline = time.monotonic() + timeout_s
    for node in nodes:
        wait_until(lambda node=node: why_not_serving(node), node, deadline)
    for node in nodes if len(nodes) > 1 else ():
        wait_until(lambda node=node: why_not_joined(node, len(nodes)), node, deadline)
