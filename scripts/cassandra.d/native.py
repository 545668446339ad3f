"""The CQL native protocol, as much of it as tells whether a node serves."""

import socket
import struct

USER = PASSWORD = "cassandra"


class Native:
    """A connection that speaks CQL protocol v4. Any failure is an OSError."""

    OPTIONS, SUPPORTED = 0x05, 0x06
    STARTUP, READY, AUTHENTICATE, AUTH_RESPONSE, AUTH_SUCCESS = 0x01, 0x02, 0x03, 0x0F, 0x10
    QUERY, RESULT, ERROR = 0x07, 0x08, 0x00
    CONSISTENCY_ONE, CONSISTENCY_ALL = 0x0001, 0x0005
    SKIP_METADATA = 0x02

    def __init__(self, address, port, timeout_s=5):
        self.socket = socket.create_connection((address, port), timeout=timeout_s)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _read(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionError("connection closed")
            data += part
        return data

    def ask(self, opcode, body, *expected):
        self.socket.sendall(struct.pack(">BBhBI", 4, 0, 0, opcode, len(body)) + body)
        version, _, _, answer, size = struct.unpack(">BBhBI", self._read(9))
        if version != 0x84 or size > 1 << 24:
            raise ConnectionError("the answer is not CQL protocol v4")
        data = self._read(size)
        if answer == self.ERROR:
            raise ConnectionError(data[6:].decode("utf-8", "replace"))
        if answer not in expected:
            raise ConnectionError(f"unexpected answer 0x{answer:02x}")
        return answer, data

    def options(self):
        self.ask(self.OPTIONS, b"", self.SUPPORTED)

    def login(self):
        startup = struct.pack(">HH11sH5s", 1, 11, b"CQL_VERSION", 5, b"3.0.0")
        if self.ask(self.STARTUP, startup, self.READY, self.AUTHENTICATE)[0] == self.READY:
            return
        token = f"\0{USER}\0{PASSWORD}".encode()
        response = struct.pack(">I", len(token)) + token
        self.ask(self.AUTH_RESPONSE, response, self.AUTH_SUCCESS)

    def query(self, text, consistency):
        """Rows of a SELECT, each a list of raw values."""
        body = struct.pack(">I", len(text)) + text.encode()
        body += struct.pack(">HB", consistency, self.SKIP_METADATA)
        data = self.ask(self.QUERY, body, self.RESULT)[1]
        columns, rows = struct.unpack_from(">II", data, 8)
        position, values = 16, []
        for _ in range(columns * rows):
            (size,) = struct.unpack_from(">i", data, position)
            values.append(data[position + 4 : position + 4 + size] if size >= 0 else None)
            position += 4 + max(size, 0)
        return [values[row * columns : (row + 1) * columns] for row in range(rows)]


def why_not_serving(node):
    """None when the node serves all that it should, else the reason why not."""
    try:
        with Native(node.address, node.port) as native:
            native.options()
            native.login()
        if node.thrift_port:
            socket.create_connection((node.address, node.thrift_port), timeout=5).close()
        return None
    except OSError as error:
        return str(error)


def why_not_joined(node, count):
    """None when the node knows all others, agrees with them on the schema and reaches them."""
    try:
        with Native(node.address, node.port, timeout_s=15) as native:
            native.login()
            one = native.CONSISTENCY_ONE
            local = native.query("SELECT schema_version FROM system.local", one)
            peers = native.query("SELECT schema_version, rpc_address FROM system.peers", one)
            if len(peers) != count - 1 or any(None in peer for peer in peers):
                return f"knows {len(peers)} of {count - 1} other nodes"
            if any(peer[0] != local[0][0] for peer in peers):
                return "the schema is not the same on all nodes"
            # Its replication factor is 1, so reading all of it takes every node of the ring.
            native.query("SELECT role FROM system_auth.roles", native.CONSISTENCY_ALL)
        return None
    except OSError as error:
        return str(error)
