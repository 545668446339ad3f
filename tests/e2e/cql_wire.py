"""The CQL native protocol v3 and v4, as much of it as the mock server speaks.

Bodies are read with Reader and made with the functions below it (section 3 of the specification).
"""

import ipaddress
import struct
import uuid

# Opcodes.
ERROR = 0x00
STARTUP = 0x01
READY = 0x02
AUTHENTICATE = 0x03
OPTIONS = 0x05
SUPPORTED = 0x06
QUERY = 0x07
RESULT = 0x08
PREPARE = 0x09
EXECUTE = 0x0A
REGISTER = 0x0B
EVENT = 0x0C
BATCH = 0x0D
AUTH_RESPONSE = 0x0F
AUTH_SUCCESS = 0x10

# Error codes.
PROTOCOL_ERROR = 0x000A
BAD_CREDENTIALS = 0x0100
UNAVAILABLE = 0x1000
OVERLOADED = 0x1001
WRITE_TIMEOUT = 0x1100
SYNTAX_ERROR = 0x2000
UNAUTHORIZED = 0x2100
INVALID = 0x2200
ALREADY_EXISTS = 0x2400
UNPREPARED = 0x2500

CONSISTENCY = ("ANY", "ONE", "TWO", "THREE", "QUORUM", "ALL", "LOCAL_QUORUM", "EACH_QUORUM",
               "SERIAL", "LOCAL_SERIAL", "LOCAL_ONE")

HEADER_BYTES = 9
_header = struct.Struct(">BBhBi")


def frame(version, stream, opcode, body):
    """A response frame; `version` goes into the header as it is."""
    return _header.pack(0x80 | version, 0, stream, opcode, len(body)) + body


def split_frames(data):
    """All complete request frames in `data` as (version, stream, opcode, body), and the rest."""
    frames = []
    start = 0
    while len(data) - start >= HEADER_BYTES:
        version, flags, stream, opcode, length = _header.unpack_from(data, start)
        end = start + HEADER_BYTES + length
        if end > len(data):
            break
        frames.append((version, flags, stream, opcode, data[start + HEADER_BYTES:end]))
        start = end
    return frames, data[start:]


class Reader:
    def __init__(self, body):
        self.body = body
        self.at = 0

    def take(self, count):
        taken = self.body[self.at:self.at + count]
        if len(taken) != count:
            raise ValueError(f"the body of {len(self.body)} bytes ends too soon")
        self.at += count
        return taken

    def byte(self):
        return self.take(1)[0]

    def short(self):
        return int.from_bytes(self.take(2), "big")

    def int(self):
        return int.from_bytes(self.take(4), "big", signed=True)

    def string(self):
        return self.take(self.short()).decode()

    def long_string(self):
        return self.take(self.int()).decode()

    def short_bytes(self):
        return self.take(self.short())

    def value(self):
        """The bytes of a [value]; None for null and unset."""
        length = self.int()
        return None if length < 0 else self.take(length)

    def string_map(self):
        return {self.string(): self.string() for _ in range(self.short())}

    def string_list(self):
        return [self.string() for _ in range(self.short())]

    def query_parameters(self):
        """(consistency name, values, whether metadata can be skipped)."""
        consistency = CONSISTENCY[self.short()]
        flags = self.byte()
        values = []
        if flags & 0x01:
            for _ in range(self.short()):
                if flags & 0x40:
                    self.string()
                values.append(self.value())
        if flags & 0x04:
            self.int()
        if flags & 0x08:
            self.value()
        if flags & 0x10:
            self.short()
        if flags & 0x20:
            self.take(8)
        if self.at != len(self.body):
            raise ValueError(f"{len(self.body) - self.at} bytes too many after the parameters")
        return consistency, values, bool(flags & 0x02)


def short(number):
    return number.to_bytes(2, "big")


def int_(number):
    return number.to_bytes(4, "big", signed=True)


def string(text):
    """A lone surrogate U+DCxx becomes the byte xx, so that texts can be made that are no UTF-8."""
    encoded = text.encode(errors="surrogateescape")
    return short(len(encoded)) + encoded


def string_list(texts):
    return short(len(texts)) + b"".join(string(text) for text in texts)


def string_multimap(lists):
    return short(len(lists)) + b"".join(
        string(key) + string_list(texts) for key, texts in lists.items())


def value(data):
    return int_(-1) if data is None else int_(len(data)) + data


def error(code, message, extra=b""):
    return int_(code) + string(message) + extra


# Types by their CQL names, with the two ways between values and bytes.
_TYPE_IDS = {"ascii": 0x1, "bigint": 0x2, "blob": 0x3, "boolean": 0x4, "double": 0x7, "int": 0x9,
             "timestamp": 0xB, "uuid": 0xC, "text": 0xD, "varchar": 0xD, "inet": 0x10}


def _inner_types(name):
    inner = name[name.index("<") + 1:-1]
    return [part.strip() for part in inner.split(",")]


def _unfrozen(name):
    return name[len("frozen<"):-1] if name.startswith("frozen<") else name


def type_option(name):
    name = _unfrozen(name)
    for prefix, type_id in (("list<", 0x20), ("map<", 0x21), ("set<", 0x22)):
        if name.startswith(prefix):
            return short(type_id) + b"".join(type_option(inner) for inner in _inner_types(name))
    return short(_TYPE_IDS[name])


def encode(type_name, data):
    """The bytes of a Python value in the named CQL type; None is null."""
    if data is None:
        return None
    name = _unfrozen(type_name)
    if name.startswith(("list<", "set<")):
        inner, = _inner_types(name)
        return int_(len(data)) + b"".join(value(encode(inner, item)) for item in data)
    if name.startswith("map<"):
        key, item = _inner_types(name)
        return int_(len(data)) + b"".join(
            value(encode(key, k)) + value(encode(item, v)) for k, v in data.items())
    return _encode_scalar(name, data)


def _encode_scalar(name, data):
    if name in ("text", "varchar", "ascii"):
        return data.encode()
    if name == "int":
        return struct.pack(">i", data)
    if name in ("bigint", "timestamp"):
        return struct.pack(">q", data)
    if name == "double":
        return struct.pack(">d", data)
    if name == "boolean":
        return bytes([bool(data)])
    if name == "uuid":
        return uuid.UUID(str(data)).bytes
    if name == "inet":
        return ipaddress.ip_address(data).packed
    if name == "blob":
        return bytes(data)
    raise ValueError(f"no value of type {name} can be made")


def _column_specs(keyspace, table, columns):
    return string(keyspace) + string(table) + b"".join(
        string(name) + type_option(type_name) for name, type_name in columns)


def rows(keyspace, table, columns, rows_of_bytes, skip_metadata=False):
    """RESULT Rows; `columns` are (name, type) pairs, each row a list of bytes or None."""
    head = int_(2) + int_(0x4 if skip_metadata else 0x1) + int_(len(columns))
    if not skip_metadata:
        head += _column_specs(keyspace, table, columns)
    return head + int_(len(rows_of_bytes)) + b"".join(
        value(cell) for row in rows_of_bytes for cell in row)


VOID = int_(1)


def set_keyspace(keyspace):
    return int_(3) + string(keyspace)


def schema_change(change, target, *names):
    """The kind and what follows it: for a RESULT, and without the kind for an EVENT."""
    return int_(5) + b"".join(string(text) for text in (change, target, *names))


def prepared(version, prepared_id, keyspace, table, markers, key_indexes, results):
    """RESULT Prepared; `markers` and `results` are (name, type) pairs, `results` None if it has
    none."""
    body = int_(4) + short(len(prepared_id)) + prepared_id + int_(0x1) + int_(len(markers))
    if version >= 4:
        body += int_(len(key_indexes)) + b"".join(short(index) for index in key_indexes)
    body += _column_specs(keyspace, table, markers)
    if results is None:
        return body + int_(0x4) + int_(0)
    return body + int_(0x1) + int_(len(results)) + _column_specs(keyspace, table, results)
