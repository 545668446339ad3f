#!/usr/bin/env python3
"""Decodes our responses with the Python driver (package cassandra-driver) and compares what it
finds with what was said. Usage: python_driver_test.py PROTOCOL_SAMPLES_PROGRAM"""

import datetime
import io
import logging
import struct
import subprocess
import sys
import unittest
import uuid

import lz4.block
from cassandra import ConsistencyLevel as CL
from cassandra import WriteType, cqltypes
from cassandra.protocol import ProtocolHandler
from cassandra.segment import SegmentCodec
from cassandra.util import Date, Duration, Time

ID = bytes.fromhex("00112233445566778899aabbccddeeff")
METADATA_ID = bytes.fromhex("a0a1a2a3")
PAGING_STATE = bytes.fromhex("cafe0001")
TIMEUUID = uuid.UUID("58e0a7d7-eebc-11d8-9669-0800200c9a66")

ERRORS = {
    "error_server": (0x0000, {}),
    "error_protocol": (0x000A, {}),
    "error_credentials": (0x0100, {}),
    "error_unavailable": (
        0x1000, {"consistency": CL.QUORUM, "required_replicas": 2, "alive_replicas": 1}),
    "error_overloaded": (0x1001, {}),
    "error_bootstrapping": (0x1002, {}),
    "error_truncate": (0x1003, {}),
    "error_write_timeout": (
        0x1100, {"consistency": CL.ONE, "received_responses": 0, "required_responses": 1,
                 "write_type": WriteType.SIMPLE}),
    "error_read_timeout": (
        0x1200, {"consistency": CL.QUORUM, "received_responses": 1, "required_responses": 2,
                 "data_retrieved": True}),
    "error_syntax": (0x2000, {}),
    "error_unauthorized": (0x2100, {}),
    "error_invalid": (0x2200, {}),
    "error_config": (0x2300, {}),
    "error_exists": (0x2400, {"keyspace": "ks", "table": "t"}),
    "error_unprepared": (0x2500, ID),
}


def errors_v4(version):
    """Those that v3 does not have."""
    reasons = {"127.0.0.1": 2, "2001:db8::1": 0x102} if version >= 5 else None
    return {
        "error_read_failure": (
            0x1300, {"consistency": CL.QUORUM, "received_responses": 1, "required_responses": 2,
                     "failures": 2, "error_code_map": reasons, "data_retrieved": False}),
        "error_function": (
            0x1400, {"keyspace": "ks", "function": "f", "arg_types": ["int", "text"]}),
        "error_write_failure": (
            0x1500, {"consistency": CL.QUORUM, "received_responses": 0, "required_responses": 2,
                     "failures": 2, "error_code_map": reasons, "write_type": WriteType.BATCH}),
        "error_cdc": (0x1600, {}),
    }



EVENTS = {
    "event_new_node": ("TOPOLOGY_CHANGE", {
        "change_type": "NEW_NODE", "address": ("127.0.0.1", 9042)}),
    "event_removed_node": ("TOPOLOGY_CHANGE", {
        "change_type": "REMOVED_NODE", "address": ("2001:db8::1", 9043)}),
    "event_up": ("STATUS_CHANGE", {"change_type": "UP", "address": ("127.0.0.1", 9042)}),
    "event_down": ("STATUS_CHANGE", {"change_type": "DOWN", "address": ("2001:db8::1", 9042)}),
    "event_keyspace": ("SCHEMA_CHANGE", {
        "change_type": "CREATED", "target_type": "KEYSPACE", "keyspace": "ks"}),
    "event_table": ("SCHEMA_CHANGE", {
        "change_type": "DROPPED", "target_type": "TABLE", "keyspace": "ks", "table": "t"}),
}
EVENTS_V4 = {
    "event_function": ("UPDATED", "function", "f", ["int", "text"]),
    "event_aggregate": ("CREATED", "aggregate", "a", []),
}

SCALARS = (
    ("tinyint", cqltypes.ByteType, -8),
    ("smallint", cqltypes.ShortType, -1600),
    ("int", cqltypes.Int32Type, -320000),
    ("bigint", cqltypes.LongType, -64000000000),
    ("varint", cqltypes.IntegerType, 128),
    ("counter", cqltypes.CounterColumnType, 42),
    ("boolean", cqltypes.BooleanType, True),
    ("float", cqltypes.FloatType, 1.5),
    ("double", cqltypes.DoubleType, -2.25),
    ("text", cqltypes.VarcharType, "héllo"),
    ("ascii", cqltypes.AsciiType, "plain"),
    ("blob", cqltypes.BytesType, PAGING_STATE),
    ("uuid", cqltypes.UUIDType, uuid.UUID("123e4567-e89b-12d3-a456-426614174000")),
    ("timeuuid", cqltypes.TimeUUIDType, TIMEUUID),
    ("inet", cqltypes.InetAddressType, "127.0.0.1"),
    ("inet6", cqltypes.InetAddressType, "2001:db8::1"),
    ("timestamp", cqltypes.DateType, datetime.datetime(2023, 11, 14, 22, 13, 20, 123000)),
    ("date", cqltypes.SimpleDateType, Date(19000)),
    ("time", cqltypes.TimeType, Time(3723000000004)),
)


def lz4_decompress(data):
    """As the driver's: the length, big-endian, and a block."""
    return lz4.block.decompress(data[4:], uncompressed_size=int.from_bytes(data[:4], "big"))


SEGMENT_CODECS = {
    "segments_plain": SegmentCodec(),
    "segments_lz4": SegmentCodec(lambda data: data, lz4_decompress),
}


def decode(frame):
    """The message of a response frame."""
    first, flags, stream, opcode, size = struct.unpack(">BBhBi", frame[:9])
    assert first & 0x80 and stream == 77 and size == len(frame) - 9, frame[:9].hex()
    return ProtocolHandler.decode_message(
        first & 0x7F, {}, stream, flags, opcode, frame[9:], None, [])


class PythonDriverTest(unittest.TestCase):
    """One case for each kind of response, in all versions."""

    frames = {}

    def each(self, name):
        """The message of that name, in each version."""
        for version in (3, 4, 5):
            yield version, decode(self.frames.pop((version, name)))

    def test_connection_messages(self):
        for _, message in self.each("ready"):
            self.assertEqual(message.name, "READY")
        for _, message in self.each("authenticate"):
            self.assertEqual(
                message.authenticator, "org.apache.cassandra.auth.PasswordAuthenticator")
        for _, message in self.each("auth_challenge"):
            self.assertEqual(message.challenge, b"\x01\x02\x03")
        for _, message in self.each("auth_success"):
            self.assertEqual(message.token, "")
        for _, message in self.each("supported"):
            self.assertEqual(message.cql_versions, ["3.4.7"])
            self.assertEqual(
                message.options, {"COMPRESSION": [], "PROTOCOL_VERSIONS": ["3/v3", "4/v4"]})

    def test_errors(self):
        for name, (code, info) in ERRORS.items():
            for _, message in self.each(name):
                self.check_error(message, code, info)
        for version in (4, 5):
            for name, (code, info) in errors_v4(version).items():
                self.check_error(decode(self.frames.pop((version, name))), code, info)

    def test_contentions(self):
        # The driver passes over what follows the type of the write.
        self.check_error(decode(self.frames.pop((5, "error_cas_timeout"))), 0x1100, {
            "consistency": CL.SERIAL, "received_responses": 1, "required_responses": 2,
            "write_type": WriteType.CAS})

    def check_error(self, message, code, info):
        self.assertEqual((message.code, message.message), (code, "the message"))
        self.assertEqual(message.info or {}, info)

    def test_events(self):
        for name, (event_type, arguments) in EVENTS.items():
            for _, message in self.each(name):
                self.assertEqual(message.event_type, event_type)
                self.assertEqual(message.event_args, arguments)
        for version in (4, 5):
            for name, (change, kind, function, types) in EVENTS_V4.items():
                arguments = decode(self.frames.pop((version, name))).event_args
                self.assertEqual(arguments["change_type"], change)
                self.assertEqual(arguments[kind].name, function)
                self.assertEqual(arguments[kind].argument_types, types)

    def test_small_results(self):
        for _, message in self.each("result_void"):
            self.assertEqual(message.kind, 1)
        for _, message in self.each("result_keyspace"):
            self.assertEqual(message.new_keyspace, "ks")
        for _, message in self.each("result_schema"):
            self.assertEqual(message.schema_change_event, {
                "change_type": "CREATED", "target_type": "TABLE", "keyspace": "ks", "table": "t"})

    def test_prepared(self):
        for version, message in self.each("result_prepared"):
            self.assertEqual(message.query_id, ID)
            self.assertEqual(
                getattr(message, "result_metadata_id", None), METADATA_ID if version >= 5 else None)
            self.assertEqual(message.pk_indexes, [1, 0] if version >= 4 else None)
            self.assertEqual(
                [tuple(column) for column in message.bind_metadata],
                [("ks", "t", "b", cqltypes.Int32Type), ("ks", "t", "a", cqltypes.BytesType)])
            column, = message.column_metadata
            self.assertEqual(column[:3], ("ks", "t", "c"))
            self.assertEqual(column[3].cql_parameterized_type(), "list<int>")
        for _, message in self.each("result_prepared_insert"):
            self.assertEqual((message.bind_metadata, message.column_metadata), ([], None))

    def test_scalars(self):
        for _, message in self.each("result_scalars"):
            self.assertEqual(message.column_names, [name for name, _, _ in SCALARS])
            self.assertEqual(message.column_types, [kind for _, kind, _ in SCALARS])
            self.assertEqual(message.parsed_rows, [
                tuple(value for _, _, value in SCALARS), (None,) * len(SCALARS)])
            self.assertIsNone(message.paging_state)

    def test_collections(self):
        for _, message in self.each("result_collections"):
            self.assertEqual(
                [column[:3] for column in message.column_metadata],
                [("ks", "t", "tokens"), ("ks", "other", "options"), ("ks", "t", "pair"),
                 ("ks", "t", "home")])
            self.assertEqual(
                [kind.cql_parameterized_type() for kind in message.column_types[:3]],
                ["set<varchar>", "map<varchar, varchar>", "frozen<tuple<int, varchar>>"])
            (tokens, options, pair, home), = message.parsed_rows
            self.assertEqual(set(tokens), {"-1", "5"})
            self.assertEqual(dict(options), {"a": "1", "b": "2"})
            self.assertEqual(pair, (7, "seven"))
            self.assertEqual((home.street, home.number), ("street", 7))
            self.assertEqual(message.paging_state, PAGING_STATE)

    def test_bare_rows(self):
        metadata = [("ks", "t", "a", cqltypes.Int32Type), ("ks", "t", "b", cqltypes.UTF8Type)]
        for version in (3, 4, 5):
            frame = self.frames.pop((version, "result_bare"))
            message = ProtocolHandler.decode_message(
                version, {}, 77, frame[1], frame[4], frame[9:], None, metadata)
            self.assertEqual(message.parsed_rows, [(1, "x")])

    def test_changed_metadata(self):
        message = decode(self.frames.pop((5, "result_changed")))
        self.assertEqual(message.result_metadata_id, METADATA_ID)
        self.assertEqual(message.paging_state, PAGING_STATE)
        self.assertEqual(message.column_types, [cqltypes.DurationType])
        self.assertEqual(message.parsed_rows, [(Duration(1, 2, 3),)])

    def test_segments(self):
        frames = self.frames.pop((5, "segments_frames"))
        for name, codec in SEGMENT_CODECS.items():
            encoded = io.BytesIO(self.frames.pop((5, name)))
            segments = []
            while encoded.tell() < len(encoded.getbuffer()):
                segments.append(codec.decode(encoded, codec.decode_header(encoded)))
            self.assertEqual(b"".join(segment.payload for segment in segments), frames)
            # Three frames in the first, one frame in the next three, one in the last.
            self.assertEqual(
                [segment.is_self_contained for segment in segments],
                [True, False, False, False, True])

    def test_envelope(self):
        for version, message in self.each("envelope"):
            self.assertEqual(message.trace_id, TIMEUUID)
            self.assertEqual(message.new_keyspace, "ks")
            if version >= 4:
                self.assertEqual(message.warnings, ["first", "second"])
                self.assertEqual(message.custom_payload, {"key": ID, "none": None})

    @classmethod
    def tearDownClass(cls):
        # The driver cannot decode a null token.
        for version in (3, 4, 5):
            cls.frames.pop((version, "auth_success_null"))
        assert not cls.frames, f"not looked at: {sorted(cls.frames)}"


def main():
    logging.disable(logging.WARNING)  # the driver logs each server warning
    program = sys.argv.pop(1)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        version, name, frame = line.split()
        PythonDriverTest.frames[int(version), name] = bytes.fromhex(frame)
    unittest.main()


if __name__ == "__main__":
    main()
