#!/usr/bin/env python3
"""Writes requests_v3.txt and requests_v4.txt beside itself: frames of each request as the Python
driver (package cassandra-driver) encodes them, one a line: name, then the frame in hex. The
messages are those of the same names in tests/protocol/samples.h."""

import pathlib

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

STREAM = 0x1234
ID = bytes.fromhex("00112233445566778899aabbccddeeff")
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
        TIMESTAMP_US)
    yield "execute_plain", ExecuteMessage(ID, [INT7], CL.ONE)
    statements = [(False, "INSERT INTO t (k) VALUES (1)", []), (True, ID, [INT7, None])]
    yield "batch", BatchMessage(BatchType.UNLOGGED, statements, CL.QUORUM)
    statements = [statements[0], (True, ID, [INT7, None] + unset)]
    yield "batch_parameters", BatchMessage(
        BatchType.COUNTER, statements, CL.QUORUM, CL.SERIAL, 5)
    yield "batch_empty", BatchMessage(BatchType.LOGGED, [], CL.ONE)


def main():
    here = pathlib.Path(__file__).resolve().parent
    for version in (3, 4):
        lines = []
        for name, message in requests(version):
            frame = ProtocolHandler.encode_message(message, STREAM, version, None, False)
            lines.append(f"{name} {frame.hex()}\n")
        (here / f"requests_v{version}.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
