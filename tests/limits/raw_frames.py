"""Requests of the native protocol, v4, as bytes, for tests that hold thousands of connections."""

import socket
import struct

STARTUP, READY, OPTIONS, SUPPORTED, QUERY, RESULT = 0x01, 0x02, 0x05, 0x06, 0x07, 0x08
HEADER = struct.Struct(">BBhBi")
ANSWER_S = 30


def frame(opcode, body=b"", stream=0):
    return HEADER.pack(4, 0, stream, opcode, len(body)) + body


def short_string(text):
    return struct.pack(">H", len(text)) + text.encode()


def startup():
    return frame(STARTUP, struct.pack(">H", 1) + short_string("CQL_VERSION") +
                 short_string("3.0.0"))


def query(text, stream=0, page_size=None, paging_state=None):
    flags, parameters = 0, b""
    if page_size is not None:
        flags |= 0x04
        parameters += struct.pack(">i", page_size)
    if paging_state is not None:
        flags |= 0x08
        parameters += struct.pack(">i", len(paging_state)) + paging_state
    return frame(QUERY, struct.pack(">i", len(text)) + text.encode() +
                 struct.pack(">HB", 1, flags) + parameters, stream)


def receive(connection):
    """The opcode and body of the next answer."""
    header = receive_bytes(connection, HEADER.size)
    _, _, _, opcode, size = HEADER.unpack(header)
    return opcode, receive_bytes(connection, size)


def receive_bytes(connection, size):
    received = bytearray()
    while len(received) < size:
        piece = connection.recv(size - len(received))
        assert piece, "the server has closed the connection"
        received += piece
    return bytes(received)


def read_page(body, column_count):
    """The paging state of a Rows result, how many rows it has, and the bytes of these. The columns
    must be ints, in one table."""
    kind, flags, columns = struct.unpack_from(">iii", body)
    assert (kind, columns) == (2, column_count) and flags & 1, (kind, flags, columns)
    position, state = 12, None
    if flags & 2:
        size, = struct.unpack_from(">i", body, position)
        state = body[position + 4:position + 4 + size]
        position += 4 + size
    for _ in range(2):  # keyspace, table
        position += 2 + struct.unpack_from(">H", body, position)[0]
    for _ in range(columns):
        position += 2 + struct.unpack_from(">H", body, position)[0] + 2
    return state, struct.unpack_from(">i", body, position)[0], body[position + 4:]


def read_ids(connection, table, column_count, page_size):
    """The first column of every row of a table of ints without nulls, by pages."""
    row = struct.Struct(">4xi" + "8x" * (column_count - 1))
    state = None
    while True:
        connection.sendall(query(f"SELECT * FROM {table}", 0, page_size, state))
        opcode, body = receive(connection)
        assert opcode == RESULT, body
        state, count, rows = read_page(body, column_count)
        assert len(rows) == count * row.size and count <= page_size
        yield from (number for number, in row.iter_unpack(rows))
        if state is None:
            return


def connect(server):
    """A connection that is ready for queries."""
    connection = socket.create_connection((server.address, server.port), timeout=ANSWER_S)
    connection.sendall(startup())
    opcode, body = receive(connection)
    assert opcode == READY, body
    return connection
