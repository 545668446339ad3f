"""A Thrift server for tests that answers the set-up calls, and a given way every other call."""

import contextlib
import socketserver
import struct
import threading

_REPLY = 2
_EXCEPTION = 3
_STOP = b"\0"


def _string(text):
    encoded = text.encode()
    return struct.pack(">i", len(encoded)) + encoded


def _field(kind, number, value):
    return struct.pack(">bh", kind, number) + value


# What the calls of a form may be answered with, by the number of their exception's field.
EXCEPTIONS = {
    "InvalidRequestException": _field(12, 1, _field(11, 1, _string("it was made so")) + _STOP),
    "UnavailableException": _field(12, 2, _STOP),
    "TimedOutException": _field(12, 3, _STOP),
    "SchemaDisagreementException": _field(12, 4, _STOP),
}


def _prepared(item_id):
    return _field(12, 0, _field(8, 1, struct.pack(">i", item_id)) +
                  _field(8, 2, struct.pack(">i", 0)) + _STOP)


class _Connection(socketserver.StreamRequestHandler):
    def handle(self):
        while header := self.rfile.read(4):
            message = self.rfile.read(struct.unpack(">i", header)[0])
            size = struct.unpack(">i", message[4:8])[0]
            name = message[8:8 + size].decode()
            seqid, = struct.unpack(">i", message[8 + size:12 + size])
            if not self.reply(name, seqid):
                return

    def reply(self, name, seqid):
        how = self.server.how
        if name == "describe_version":
            return self.send(name, seqid, _field(11, 0, _string("20.1.0")))
        if name in ("login", "set_keyspace"):
            return self.send(name, seqid, b"")
        if name == "prepare_cql3_query":
            return self.send(name, seqid, _prepared(7))
        if how == "application":
            body = _field(11, 1, _string("broken down")) + _field(8, 2, struct.pack(">i", 6))
            return self.send(name, seqid, body, _EXCEPTION)
        if how == "close":
            return False
        if how == "silent":
            return True
        if how == "other-seqid":
            return self.send(name, seqid + 1, b"")
        if how == "garbage":
            self.wfile.write(b"\xff" * 64)
            return True
        return self.send(name, seqid, EXCEPTIONS[how])

    def send(self, name, seqid, body, kind=_REPLY):
        message = (struct.pack(">I", 0x80010000 | kind) + _string(name) +
                   struct.pack(">i", seqid) + body + _STOP)
        self.wfile.write(struct.pack(">i", len(message)) + message)
        return True


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


@contextlib.contextmanager
def running(how):
    """Gives its port, on 127.0.0.1."""
    with _Server(("127.0.0.1", 0), _Connection) as server:
        server.how = how
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()
