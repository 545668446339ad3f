#!/usr/bin/env python3
"""Writes requests_v3.txt to requests_v5.txt beside itself: frames of each request as the Python
driver (package cassandra-driver) encodes them, one a line: name, then the frame in hex. The
messages are those of the same names in tests/protocol/samples.h. Writes segments.txt, too: the
driver's segments for all of v5's frames (package lz4)."""

import io
import pathlib

import lz4.block
from cassandra import ConsistencyLevel as CL
from cassandra.protocol import (
    _UNSET_VALUE,
    AuthResponseMessage,
    BatchMessage,
    ExecuteMessage,
    OptionsMessage,
    PrepareMessage,
    ProtocolHandler,
    QueryMessage,
    RegisterMessage,
    StartupMessage,
)
from cassandra.query import BatchType
from cassandra.segment import SegmentCodec

STREAM = 0x1234
ID = bytes.fromhex("00112233445566778899aabbccddeeff")
METADATA_ID = bytes.fromhex("a0a1a2a3")
PAGING_STATE = bytes.fromhex("cafe0001")
INT7 = b"\0\0\0\x07"
TIMESTAMP_US = 1_700_000_000_123_456


def requests(version):
    unset = [_UNSET_VALUE] if version >= 4 else []
    yield "startup", StartupMessage(
        "3.4.5", {"CQL_VERSION": "3.4.5", "DRIVER_NAME": "cqlperf"})
    yield "options", OptionsMessage()
    yield "auth_response", AuthResponseMessage("\0cassandra\0sécret".encode())
    yield "prepare", PrepareMessage("INSERT INTO ks.t (k, v) VALUES (?, ?)")
    yield "register", RegisterMessage(["TOPOLOGY_CHANGE", "STATUS_CHANGE", "SCHEMA_CHANGE"])
    yield "query_plain", QueryMessage("SELECT key FROM system.local", CL.ONE)
    yield "query_parameters", QueryMessage(
        "SELECT * FROM t WHERE k = 'hé'", CL.LOCAL_QUORUM, CL.LOCAL_SERIAL, 5000, PAGING_STATE,
        TIMESTAMP_US)
    yield "execute", ExecuteMessage(
        ID, [INT7, None, b""] + unset, CL.LOCAL_QUORUM, CL.LOCAL_SERIAL, 5000, PAGING_STATE,
        TIMESTAMP_US, result_metadata_id=METADATA_ID)
    yield "execute_plain", ExecuteMessage(ID, [INT7], CL.ONE, result_metadata_id=METADATA_ID)
    statements = [(False, "INSERT INTO t (k) VALUES (1)", []), (True, ID, [INT7, None])]
    yield "batch", BatchMessage(BatchType.UNLOGGED, statements, CL.QUORUM)
    statements = [statements[0], (True, ID, [INT7, None] + unset)]
    yield "batch_parameters", BatchMessage(
        BatchType.COUNTER, statements, CL.QUORUM, CL.SERIAL, 5)
    yield "batch_empty", BatchMessage(BatchType.LOGGED, [], CL.ONE)
    if version < 5:
        return
    yield "query_keyspace", QueryMessage("SELECT * FROM t", CL.ONE, keyspace="ks")
    yield "prepare_keyspace", PrepareMessage("INSERT INTO t (k) VALUES (?)", "ks")
    yield "batch_keyspace", BatchMessage(BatchType.LOGGED, [], CL.ONE, keyspace="ks")


def lz4_compress(data):
    """As the driver's: the length, big-endian, and a block."""
    return len(data).to_bytes(4, "big") + lz4.block.compress(data, store_size=False)


def segments():
    """All frames in segments; with LZ4 all of them twice, and one of several segments between."""
    small = [ProtocolHandler.encode_message(message, STREAM, 5, None, False)
             for _, message in requests(5)]
    large = ProtocolHandler.encode_message(
        AuthResponseMessage(b"x" * 300_000), STREAM, 5, None, False)
    for name, codec, frames in (
            ("plain", SegmentCodec(), small),
            ("lz4", SegmentCodec(lz4_compress, lambda data: data), [*small, large, *small])):
        encoded = io.BytesIO()
        for frame in frames:
            codec.encode(encoded, frame)
        yield name, encoded.getvalue()


def main():
    here = pathlib.Path(__file__).resolve().parent
    for version in (3, 4, 5):
        lines = []
        for name, message in requests(version):
            frame = ProtocolHandler.encode_message(message, STREAM, version, None, False)
            lines.append(f"{name} {frame.hex()}\n")
        (here / f"requests_v{version}.txt").write_text("".join(lines))
    (here / "segments.txt").write_text(
        "".join(f"{name} {encoded.hex()}\n" for name, encoded in segments()))


if __name__ == "__main__":
    main()
