"""`cqlperf serve` for tests, and a client of it that can send any bytes."""

import socket
import struct
import zlib

import cql_wire as wire
from cassandra.segment import compute_crc24

WAIT_S = 30
CRC32_SEED = bytes((0xFA, 0x2D, 0x55, 0xCA))
_header = struct.Struct(">BBhBi")


def request(version, opcode, body=b"", stream=1, flags=0):
    return _header.pack(version, flags, stream, opcode, len(body)) + body


def startup(version=4, **options):
    pairs = {"CQL_VERSION": "3.0.0", **options}
    body = wire.short(len(pairs)) + b"".join(
        wire.string(name) + wire.string(text) for name, text in pairs.items())
    return request(version, wire.STARTUP, body)


def query(text, version=4, stream=1):
    flags = bytes(4) if version >= 5 else bytes(1)
    encoded = text.encode()
    return request(version, wire.QUERY, wire.int_(len(encoded)) + encoded + wire.short(1) + flags,
                   stream)


def prepare(text, version=4, stream=1):
    encoded = text.encode()
    return request(version, wire.PREPARE, wire.int_(len(encoded)) + encoded +
                   (bytes(4) if version >= 5 else b""), stream)


def execute(prepared_id, values=(), stream=1):
    """Of version 4."""
    body = (wire.short(len(prepared_id)) + prepared_id + wire.short(1) + bytes([1]) +
            wire.short(len(values)) + b"".join(wire.value(value) for value in values))
    return request(4, wire.EXECUTE, body, stream)


def login(user, password, version=4):
    return request(version, wire.AUTH_RESPONSE,
                   wire.value(f"\0{user}\0{password}".encode()))


def _crc24(header, size):
    return compute_crc24(header, size).to_bytes(3, "little")


def segment(payload, self_contained=True):
    """An uncompressed segment of version 5."""
    header = len(payload) | self_contained << 17
    checksum = zlib.crc32(payload, zlib.crc32(CRC32_SEED))
    return (header.to_bytes(3, "little") + _crc24(header, 3) + payload +
            checksum.to_bytes(4, "little"))


class Answer:
    def __init__(self, version, flags, stream, opcode, body):
        self.version = version
        self.flags = flags
        self.stream = stream
        self.opcode = opcode
        self.body = body

    @property
    def error_code(self):
        assert self.opcode == wire.ERROR, self
        return wire.Reader(self.body).int()

    @property
    def error_text(self):
        reader = wire.Reader(self.body)
        reader.int()
        return reader.string()

    @property
    def kind(self):
        assert self.opcode == wire.RESULT, self
        return wire.Reader(self.body).int()

    @property
    def prepared_id(self):
        assert self.kind == 4
        reader = wire.Reader(self.body)
        reader.int()
        return reader.short_bytes()

    def __repr__(self):
        return f"v{self.version} stream {self.stream} opcode {self.opcode:#x}: {self.body!r}"


class Client:
    """A socket; in_segments says whether answers come in segments of version 5."""

    def __init__(self, server):
        host, _, port = server.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=WAIT_S)
        self.in_segments = False
        self._frames = b""

    def send(self, data):
        self.socket.sendall(data)

    def _take(self, count):
        taken = bytearray()
        while len(taken) < count:
            piece = self.socket.recv(count - len(taken))
            if not piece:
                raise EOFError(f"the server closed the connection after {bytes(taken)!r}")
            taken += piece
        return bytes(taken)

    def _take_frame_bytes(self, count):
        if not self.in_segments:
            return self._take(count)
        while len(self._frames) < count:
            head = self._take(6)
            header = int.from_bytes(head[:3], "little")
            assert head[3:] == _crc24(header, 3)
            payload = self._take(header & 0x1FFFF)
            assert int.from_bytes(self._take(4), "little") == zlib.crc32(
                payload, zlib.crc32(CRC32_SEED))
            self._frames += payload
        taken, self._frames = self._frames[:count], self._frames[count:]
        return taken

    def receive(self):
        version, flags, stream, opcode, size = _header.unpack(self._take_frame_bytes(9))
        assert version & 0x80
        return Answer(version & 0x7F, flags, stream, opcode, self._take_frame_bytes(size))

    def ask(self, data):
        self.send(data)
        return self.receive()

    def start(self, version=4, **options):
        """Is let in; returns itself."""
        answer = self.ask(startup(version, **options))
        assert answer.opcode == wire.READY, answer
        self.in_segments = version >= 5
        return self

    def query(self, text):
        return self.ask(query(text))

    def expect_end(self):
        """Nothing more comes: the server has closed the connection."""
        try:
            rest = self.socket.recv(1)
        except ConnectionResetError:
            return
        assert rest == b"", rest

    def close(self):
        self.socket.close()
