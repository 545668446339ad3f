"""One connection to a CQL server through the Python driver's codec: the answers as they are."""

import threading

from cassandra import ConsistencyLevel
from cassandra.connection import DefaultEndPoint
from cassandra.io.asyncorereactor import AsyncoreConnection
from cassandra.protocol import (BatchMessage, ErrorMessage, ExecuteMessage, PrepareMessage,
                                QueryMessage, ResultMessage)
from cassandra.query import BatchType, PreparedStatement

KIND_VOID, KIND_ROWS, KIND_SET_KEYSPACE, KIND_PREPARED, KIND_SCHEMA_CHANGE = 1, 2, 3, 4, 5
ANSWER_TIMEOUT_S = 60


class RawClient:
    """Every answer is returned, errors too: ResultMessage or ErrorMessage."""

    def __init__(self, address, port, version=4):
        AsyncoreConnection.initialize_reactor()
        self.version = version
        self._connection = AsyncoreConnection.factory(
            DefaultEndPoint(address, port), timeout=10, protocol_version=version,
            cql_version=None)

    def close(self):
        self._connection.close()

    def query(self, text, fetch_size=None, paging_state=None):
        return self._ask(QueryMessage(text, ConsistencyLevel.ONE, fetch_size=fetch_size,
                                      paging_state=paging_state))

    def prepare(self, text):
        return self._ask(PrepareMessage(text))

    def execute(self, text, values, fetch_size=None, paging_state=None):
        """Prepares, binds by the driver's own rules and executes; a refusal to prepare is the
        answer."""
        prepared = self.prepare(text)
        if isinstance(prepared, ErrorMessage):
            return prepared
        statement = PreparedStatement(
            prepared.bind_metadata, prepared.query_id, None, text, None, self.version,
            prepared.column_metadata, getattr(prepared, "result_metadata_id", None))
        bound = statement.bind(values)
        return self._ask(ExecuteMessage(
            prepared.query_id, bound.values, ConsistencyLevel.ONE, fetch_size=fetch_size,
            paging_state=paging_state,
            result_metadata_id=getattr(prepared, "result_metadata_id", None)),
            prepared.column_metadata)

    def batch(self, texts, kind="LOGGED"):
        entries = [(False, text, ()) for text in texts]
        return self._ask(BatchMessage(getattr(BatchType, kind), entries, ConsistencyLevel.ONE))

    def _ask(self, message, result_metadata=None):
        answered = threading.Event()
        answers = []

        def take(answer):
            answers.append(answer)
            answered.set()

        connection = self._connection
        with connection.lock:
            request_id = connection.get_request_id()
        connection.send_msg(message, request_id, take, result_metadata=result_metadata)
        if not answered.wait(ANSWER_TIMEOUT_S):
            raise TimeoutError(f"no answer to {message}")
        with connection.lock:
            connection.request_ids.append(request_id)
        answer = answers[0]
        if not isinstance(answer, (ResultMessage, ErrorMessage)):
            raise answer
        return answer
