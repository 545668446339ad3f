"""Writes rows as fast as it can and remembers which ones were acknowledged."""

import threading

from cassandra import ConsistencyLevel
from cassandra.connection import DefaultEndPoint
from cassandra.io.asyncorereactor import AsyncoreConnection
from cassandra.protocol import ErrorMessage, ExecuteMessage, PrepareMessage, ResultMessage

IN_FLIGHT = 64


def value_of(row):
    """What row `row` holds: a function of its key, and often larger than a log block."""
    return f"value {row} ".encode() * (row % 97)


class Writer:
    """One connection with requests in flight until the server is gone. `statement` takes a bigint
    key and a blob, once or more often; the rows are `first`, `first + 1`, ..."""

    def __init__(self, server, statement, first):
        AsyncoreConnection.initialize_reactor()
        self.acknowledged = []
        self.errors = []
        self.next_row = first
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._connection = AsyncoreConnection.factory(
            DefaultEndPoint(server.address, server.port), timeout=10, protocol_version=4,
            cql_version=None)
        self._prepared = self._connection.wait_for_response(PrepareMessage(statement), timeout=10)
        self._times = len(self._prepared.bind_metadata) // 2

    def start(self):
        for _ in range(IN_FLIGHT):
            self._send()

    def stop(self):
        """Call it when the server is gone."""
        self._done.set()
        self._connection.close()

    def _send(self):
        if self._done.is_set():
            return
        with self._lock:
            row = self.next_row
            self.next_row += 1
        key = row.to_bytes(8, "big", signed=True)
        message = ExecuteMessage(self._prepared.query_id, [key, value_of(row)] * self._times,
                                 ConsistencyLevel.ONE)
        connection = self._connection
        try:
            with connection.lock:
                request_id = connection.get_request_id()
            connection.send_msg(message, request_id, lambda answer: self._take(row, request_id,
                                                                               answer))
        except Exception:  # the server is gone: what kind the driver raises depends on when
            self._done.set()

    def _take(self, row, request_id, answer):
        if isinstance(answer, ResultMessage):
            self.acknowledged.append(row)
            with self._connection.lock:
                self._connection.request_ids.append(request_id)
            self._send()
        elif isinstance(answer, ErrorMessage):
            self.errors.append(answer)
            self._done.set()
        else:
            self._done.set()
