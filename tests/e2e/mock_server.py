"""A CQL server (native protocol v4 and v3) with faults on demand.

It stores what is inserted and answers what is read, and does what real servers do only when they
are in trouble. Tests start it with `with MockCluster() as mock:` and switch `mock.faults` while it
runs; `mock.log` is what it saw. By hand: `python mock_server.py --help`.
"""

import argparse
import asyncio
import socket
import struct
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field

import cql_wire as wire
from cql_store import Keyspace, ServerError, Store, Table, View, make_peer, prepared_id
from cql_text import CqlError, parse


@dataclass
class ErrorReply:
    code: int
    message: str
    extra: bytes = b""


WRITE_TIMEOUT = ErrorReply(
    wire.WRITE_TIMEOUT, "Operation timed out - received only 1 responses.",
    wire.short(4) + wire.int_(1) + wire.int_(2) + wire.string("SIMPLE"))
UNAVAILABLE = ErrorReply(
    wire.UNAVAILABLE, "Cannot achieve consistency level QUORUM",
    wire.short(4) + wire.int_(2) + wire.int_(1))
OVERLOADED = ErrorReply(wire.OVERLOADED, "Server is shedding load")
UNKNOWN_CODE = ErrorReply(0x7777, "an error from the future", b"\x01\x02\x03")


@dataclass
class Faults:
    """All off at first; may be changed at any time, and apply to what comes after."""
    silent: bool = False              # takes connections and bytes, and answers nothing
    http: bool = False                # answers as a web server
    garbage: bool = False             # answers EXECUTE with bytes that are no frame
    close_at_accept: bool = False
    close_after_startup: bool = False
    max_version: int = 4              # refuses above it, with an error
    refusal_version: int | None = None  # in the header of that error; None: max_version
    ddl_error: ErrorReply | None = None
    prepare_error: ErrorReply | None = None
    error: ErrorReply | None = None   # answers this share of the EXECUTEs
    error_share: float = 1.0
    unprepared_first: int = 0         # so many EXECUTEs are answered UNPREPARED
    delay_s: float = 0.0              # of replies to EXECUTE
    ddl_delay_s: float = 0.0          # until CREATE, ALTER and DROP take effect and are answered
    setup_delay_s: float = 0.0        # of replies to everything before and beside the load
    mute_every: int = 0               # each n-th EXECUTE is never answered
    disagreement_s: float = 0.0       # node 2 learns of schema changes so much later
    wrong_value_every: int = 0        # each n-th row that is read has another last value
    missing_row_every: int = 0        # each n-th read finds nothing


@dataclass
class Log:
    """What came in."""
    connections: int = 0
    open_connections: int = 0
    connections_by_address: Counter = field(default_factory=Counter)
    startups: list = field(default_factory=list)      # options of each STARTUP
    versions: Counter = field(default_factory=Counter)  # protocol version -> frames
    auth_tokens: int = 0
    opcodes: Counter = field(default_factory=Counter)
    consistencies: dict = field(default_factory=dict)  # opcode -> Counter of level names
    statements: list = field(default_factory=list)    # texts of QUERY
    prepares: list = field(default_factory=list)      # texts of PREPARE
    writes: list = field(default_factory=list)        # key of each INSERT, in order
    reads: list = field(default_factory=list)         # key of each SELECT
    execute_times: list = field(default_factory=list)  # arrival, seconds on the monotonic clock
    changes_to_come: int = 0                          # schema changes that wait for their delay
    outstanding: int = 0                              # EXECUTEs that wait for their delayed reply
    outstanding_max: int = 0

    @property
    def executes(self):
        return self.opcodes[wire.EXECUTE]

    def ddl(self, verb):
        return [text for text in self.statements if text.upper().startswith(verb)]


class Session(asyncio.Protocol):
    """One connection."""

    def __init__(self, node):
        self.node = node
        self.cluster = node.cluster
        self.log = node.cluster.log
        self.buffer = b""
        self.out = []       # frames to send now
        self.later = {}     # delay -> frames to send after it
        self.started = False
        self.ready = False
        self.registered = False
        self.keyspace = ""
        self.transport = None

    @property
    def faults(self):
        return self.node.faults or self.cluster.faults

    def connection_made(self, transport):
        self.transport = transport
        self.log.connections += 1
        self.log.connections_by_address[self.node.address] += 1
        if self.faults.close_at_accept:
            transport.close()
            return
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.log.open_connections += 1
        self.node.sessions.add(self)

    def connection_lost(self, _error):
        if self in self.node.sessions:
            self.node.sessions.remove(self)
            self.log.open_connections -= 1

    def data_received(self, data):
        if self.faults.silent or self.transport.is_closing():
            return
        if self.faults.http:
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            self.transport.close()
            return
        frames, self.buffer = wire.split_frames(self.buffer + data)
        for frame in frames:
            if not self.transport.is_closing():
                self.handle_frame(*frame)
        self.flush()

    def flush(self):
        if self.out:
            self.transport.write(b"".join(self.out))
            self.out.clear()
        for delay, frames in self.later.items():
            asyncio.get_running_loop().call_later(delay, self.send_later, frames)
        self.later = {}

    def send_later(self, frames):
        self.log.outstanding -= sum(1 for _, counted in frames if counted)
        if not self.transport.is_closing():
            self.transport.write(b"".join(frame for frame, _ in frames))

    def handle_frame(self, version, _flags, stream, opcode, body):
        self.log.opcodes[opcode] += 1
        self.log.versions[version] += 1
        if not 3 <= version <= self.faults.max_version:
            self.refuse_version(version, stream)
            return
        if opcode == wire.QUERY:
            text = wire.Reader(body).long_string()
            self.log.statements.append(text)
            if text.upper().startswith(("CREATE", "ALTER", "DROP")) and self.faults.ddl_delay_s:
                self.log.changes_to_come += 1
                asyncio.get_running_loop().call_later(
                    self.faults.ddl_delay_s, self.answer_later, version, stream, opcode, body)
                return
        self.answer_frame(version, stream, opcode, body)

    def answer_later(self, *frame):
        """What was asked for is done even when the client is gone by now."""
        self.answer_frame(*frame)
        self.log.changes_to_come -= 1
        if not self.transport.is_closing():
            self.flush()

    def answer_frame(self, version, stream, opcode, body):
        try:
            answer = self.answer(version, opcode, wire.Reader(body))
        except ServerError as error:
            answer = wire.ERROR, wire.error(error.code, str(error), error.extra)
        except CqlError as error:
            answer = wire.ERROR, wire.error(wire.SYNTAX_ERROR, str(error))
        except (ValueError, UnicodeDecodeError, IndexError) as error:
            answer = wire.ERROR, wire.error(wire.PROTOCOL_ERROR, f"malformed body: {error}")
        if answer is not None:
            self.reply(opcode, wire.frame(version, stream, *answer))

    def reply(self, opcode, frame):
        counted = opcode == wire.EXECUTE
        delay = self.faults.delay_s if counted else self.faults.setup_delay_s
        if not delay:
            self.out.append(frame)
            return
        self.log.outstanding += counted
        self.log.outstanding_max = max(self.log.outstanding_max, self.log.outstanding)
        self.later.setdefault(delay, []).append((frame, counted))

    def refuse_version(self, version, stream):
        most = self.faults.max_version
        supported = ", ".join(f"{v}/v{v}" for v in range(3, most + 1))
        text = (f"Invalid or unsupported protocol version ({version}); "
                f"supported versions are ({supported})")
        body = wire.error(wire.PROTOCOL_ERROR, text)
        self.out.append(wire.frame(self.faults.refusal_version or most, stream, wire.ERROR, body))
        self.flush()
        self.transport.close()

    def answer(self, version, opcode, reader):
        """(opcode, body) of the reply, or None for no reply."""
        if opcode == wire.OPTIONS:
            return wire.SUPPORTED, wire.string_multimap({
                "CQL_VERSION": ["3.4.7"], "COMPRESSION": [], "PROTOCOL_VERSIONS": ["3/v3", "4/v4"]})
        if opcode == wire.STARTUP:
            return self.startup(reader)
        if opcode == wire.AUTH_RESPONSE and self.started and not self.ready:
            return self.auth_response(reader)
        if not self.ready:
            raise ServerError(wire.PROTOCOL_ERROR, "the connection is not ready for this request")
        if opcode == wire.REGISTER:
            self.registered = bool(reader.string_list())
            return wire.READY, b""
        handler = {wire.QUERY: self.query, wire.PREPARE: self.prepare,
                   wire.EXECUTE: self.execute}.get(opcode)
        if handler is None:
            raise ServerError(wire.PROTOCOL_ERROR, f"opcode {opcode} is not known here")
        return handler(version, reader)

    def startup(self, reader):
        self.log.startups.append(reader.string_map())
        if self.faults.close_after_startup:
            self.transport.close()
            return None
        self.started = True
        if self.cluster.password is None:
            self.ready = True
            return wire.READY, b""
        return wire.AUTHENTICATE, wire.string("org.apache.cassandra.auth.PasswordAuthenticator")

    def auth_response(self, reader):
        self.log.auth_tokens += 1
        _, user, password = reader.value().decode().split("\0")
        if (user, password) != (self.cluster.user, self.cluster.password):
            raise ServerError(wire.BAD_CREDENTIALS,
                              f"Provided username {user} and/or password are incorrect")
        self.ready = True
        return wire.AUTH_SUCCESS, wire.int_(-1)

    def note_consistency(self, opcode, level):
        self.log.consistencies.setdefault(opcode, Counter())[level] += 1

    def query(self, _version, reader):
        text = reader.long_string()
        level, values, _ = reader.query_parameters()
        self.note_consistency(wire.QUERY, level)
        statement = parse(text)
        store = self.cluster.store
        if statement.kind.startswith(("create", "alter", "drop")):
            return self.change_schema(statement)
        if statement.kind == "use":
            store.use(statement)
            self.keyspace = statement.keyspace
            return wire.RESULT, wire.set_keyspace(self.keyspace)
        if statement.kind == "truncate":
            store.truncate(statement, self.keyspace)
            return wire.RESULT, wire.VOID
        return self.run_statement(store.prepare(statement, self.keyspace), values, False)

    def change_schema(self, statement):
        if self.faults.ddl_error:
            error = self.faults.ddl_error
            raise ServerError(error.code, error.message, error.extra)
        before = self.cluster.store.schema_version
        change = self.cluster.store.change_schema(statement, self.keyspace)
        if change is None:
            return wire.RESULT, wire.VOID
        self.cluster.schema_changed(before, self.faults.disagreement_s)
        body = wire.schema_change(*change)
        for session in self.node.sessions:
            if session.registered:
                event = wire.string("SCHEMA_CHANGE") + body[4:]
                session.transport.write(wire.frame(4, -1, wire.EVENT, event))
        return wire.RESULT, body

    def prepare(self, version, reader):
        text = reader.long_string()
        self.log.prepares.append(text)
        if self.faults.prepare_error:
            error = self.faults.prepare_error
            raise ServerError(error.code, error.message, error.extra)
        prepared = self.cluster.store.prepare(parse(text), self.keyspace)
        statement_id = prepared_id(self.keyspace, text)
        self.cluster.prepared[statement_id] = prepared
        return wire.RESULT, wire.prepared(
            version, statement_id, prepared.keyspace, prepared.statement.table, prepared.markers,
            prepared.key_indexes, prepared.results)

    def execute(self, _version, reader):
        self.log.execute_times.append(time.monotonic())
        statement_id = reader.short_bytes()
        level, values, skip_metadata = reader.query_parameters()
        self.note_consistency(wire.EXECUTE, level)
        prepared = self.cluster.prepared.get(statement_id)
        # What the program prepares for its set-up is left alone by the faults of the load.
        if prepared is not None and prepared.keyspace.startswith("system"):
            return self.run_statement(prepared, values, skip_metadata)
        return self.execute_load(statement_id, prepared, values, skip_metadata)

    def execute_load(self, statement_id, prepared, values, skip_metadata):
        faults = self.faults
        self.cluster.load_executes += 1
        if faults.garbage:
            self.out.append(b"\xff" * 64)
            return None
        if faults.mute_every and self.cluster.load_executes % faults.mute_every == 0:
            return None
        if prepared is None or faults.unprepared_first > 0:
            faults.unprepared_first = max(0, faults.unprepared_first - 1)
            self.cluster.prepared.pop(statement_id, None)
            text = f"Prepared query with ID {statement_id.hex()} not found"
            raise ServerError(wire.UNPREPARED, text, wire.short(len(statement_id)) + statement_id)
        if faults.error and self.cluster.takes_share(faults.error_share):
            raise ServerError(faults.error.code, faults.error.message, faults.error.extra)
        if len(values) != len(prepared.markers):
            raise ServerError(wire.INVALID, f"there were {len(prepared.markers)} markers but "
                                            f"{len(values)} bound values")
        return self.run_statement(prepared, values, skip_metadata)

    def run_statement(self, prepared, values, skip_metadata):
        statement, store = prepared.statement, self.cluster.store
        if statement.kind == "insert":
            key = store.insert(prepared, values)
            self.log.writes.append(int.from_bytes(key[0], "big", signed=True))
            return wire.RESULT, wire.VOID
        rows = store.select(prepared, values, self.node.view())
        if not prepared.keyspace.startswith("system") and values:
            self.log.reads.append(int.from_bytes(values[0], "big", signed=True))
            rows = self.spoil(rows)
        return wire.RESULT, wire.rows(prepared.keyspace, statement.table, prepared.results, rows,
                                      skip_metadata)

    def spoil(self, rows):
        faults, count = self.faults, len(self.log.reads)
        if faults.missing_row_every and count % faults.missing_row_every == 0:
            return []
        if faults.wrong_value_every and count % faults.wrong_value_every == 0:
            last = rows[0][-1]
            return [[*rows[0][:-1], bytes(byte ^ 0x55 for byte in last)]]
        return rows


class Node:
    """One address that is listened on."""

    def __init__(self, cluster, index, address):
        self.cluster = cluster
        self.index = index
        self.address = address
        self.faults = None  # of this node alone, instead of the cluster's
        self.sessions = set()
        self.server = None
        self.host_id = uuid.uuid5(uuid.NAMESPACE_DNS, address)

    @property
    def schema_version(self):
        return self.cluster.schema_version_of(self.index)

    def view(self):
        others = [make_peer(node.address, self.cluster.port, node.schema_version)
                  for node in self.cluster.nodes if node is not self]
        return View(self.address, self.cluster.port, self.host_id, self.schema_version,
                    others + self.cluster.extra_peers)

    async def listen(self, port):
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        self.server = await asyncio.get_running_loop().create_server(
            lambda: Session(self), self.address, port, family=family, backlog=1024)
        return self.server.sockets[0].getsockname()[1]

    def close(self):
        """Ends listening and resets all connections, as a killed process does."""
        self.server.close()
        for session in list(self.sessions):
            # Linger of 0: the other side sees a reset, and no port waits in TIME_WAIT.
            session.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            session.transport.abort()


class MockCluster:
    """One or more nodes on one port, in a thread of their own.

    `user` and `password` turn authentication on. All methods are for the thread of the test.
    """

    def __init__(self, addresses=("127.0.0.1",), port=0, user=None, password=None, faults=None):
        self.user = user
        self.password = password
        self.faults = faults or Faults()
        self.log = Log()
        self.store = Store()
        self.port = port
        self.extra_peers = []
        self.prepared = {}
        self.load_executes = 0
        self.nodes = [Node(self, index, address) for index, address in enumerate(addresses)]
        self._share = 0.0
        self._old_schema = (None, 0.0)  # the version that node 2 still has, and until when
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._call(self._listen(self.nodes))
        return self

    def __exit__(self, *_):
        self._call(self._close(self.nodes))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def server(self):
        """What to give to --server: the first node."""
        address = self.nodes[0].address
        return f"[{address}]:{self.port}" if ":" in address else f"{address}:{self.port}"

    def rows(self, keyspace="test_keyspace", table="test_table"):
        """The stored rows of int columns: key -> {column: value}."""
        stored = self.store.keyspaces[keyspace].tables[table]
        to_int = lambda data: None if data is None else int.from_bytes(data, "big", signed=True)
        return {to_int(key[0]): {name: to_int(data) for name, data in row.items()}
                for key, row in stored.rows.items()}

    def make_keyspace(self, name, *tables):
        """What somebody else made: no table bears the program's mark."""
        self.store.keyspaces[name] = Keyspace({"replication": {"class": "SimpleStrategy"}}, {
            table: Table({"id": "int", "va": "int", "vb": "int", "vc": "int"}, ["id"])
            for table in tables})

    def freeze(self, seconds):
        """No reads and no replies for so long; connections are still accepted by the kernel."""
        self._loop.call_soon_threadsafe(time.sleep, seconds)

    def go_down(self, node=None):
        """The end of all nodes, or of that with this number."""
        self._call(self._close(self._chosen(node)))

    def come_back(self, node=None):
        self._call(self._listen(self._chosen(node)))

    def takes_share(self, share):
        """True for this share of the calls, evenly spread."""
        self._share += share
        if self._share < 1:
            return False
        self._share -= 1
        return True

    def schema_changed(self, before, disagreement_s):
        old, until = self._old_schema
        if disagreement_s > 0 and len(self.nodes) > 1:
            now = time.monotonic()
            self._old_schema = (old if now < until else before, now + disagreement_s)

    def schema_version_of(self, index):
        old, until = self._old_schema
        return old if index == 1 and time.monotonic() < until else self.store.schema_version

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout=30)

    def _chosen(self, node):
        return self.nodes if node is None else [self.nodes[node]]

    async def _listen(self, nodes):
        for node in nodes:
            self.port = await node.listen(self.port)

    async def _close(self, nodes):
        for node in nodes:
            node.close()


def main():
    parser = argparse.ArgumentParser(description="A CQL server with faults, until Ctrl-C.")
    parser.add_argument("--port", type=int, default=9042)
    parser.add_argument("--user")
    parser.add_argument("--password")
    names = ", ".join(name for name, kind in Faults.__annotations__.items()
                      if kind in (bool, int, float))
    parser.add_argument("--fault", action="append", default=[], metavar="NAME[=NUMBER]",
                        help=f"one of: {names}")
    arguments = parser.parse_args()
    faults = Faults()
    for fault in arguments.fault:
        name, _, number = fault.partition("=")
        setattr(faults, name, type(getattr(faults, name))(float(number or 1)))
    with MockCluster(port=arguments.port, user=arguments.user, password=arguments.password,
                     faults=faults) as cluster:
        print(f"listening on {cluster.server}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(dict(cluster.log.opcodes))


if __name__ == "__main__":
    main()
