"""The schema and the rows of the mock server: tables of a user as dicts, system tables made up."""

import hashlib
import uuid
from dataclasses import dataclass, field

import cql_wire as wire
from cql_text import Marker, Statement

RELEASE = "5.0.8"


class ServerError(Exception):
    """What is answered with an ERROR frame."""

    def __init__(self, code, message, extra=b""):
        super().__init__(message)
        self.code = code
        self.extra = extra


@dataclass
class Table:
    types: dict
    key: list
    options: dict = field(default_factory=dict)
    rows: dict = field(default_factory=dict)  # bytes of the key columns -> {column: bytes}


@dataclass
class Keyspace:
    options: dict
    tables: dict = field(default_factory=dict)


@dataclass
class Peer:
    """A row of system.peers; None is null."""
    address: str
    port: int = 9042
    rpc_address: str | None = None
    host_id: str | None = None
    data_center: str | None = "datacenter1"
    rack: str | None = "rack1"
    schema_version: uuid.UUID | None = None
    tokens: list | None = None


@dataclass
class View:
    """What one node says of itself and of the others in its system tables."""
    address: str
    port: int
    host_id: uuid.UUID
    schema_version: uuid.UUID
    peers: list


@dataclass
class Prepared:
    statement: Statement
    keyspace: str
    markers: list        # (name, type), in the order of the text
    key_indexes: list    # of the markers that make up the partition key
    results: list | None  # (name, type) of a SELECT


_LOCAL = {
    "key": "text", "bootstrapped": "text", "broadcast_address": "inet", "cluster_name": "text",
    "cql_version": "text", "data_center": "text", "host_id": "uuid", "listen_address": "inet",
    "native_protocol_version": "text", "partitioner": "text", "rack": "text",
    "release_version": "text", "rpc_address": "inet", "rpc_port": "int",
    "schema_version": "uuid", "tokens": "set<text>"}
_PEERS = {
    "peer": "inet", "data_center": "text", "host_id": "uuid", "preferred_ip": "inet",
    "rack": "text", "release_version": "text", "rpc_address": "inet", "schema_version": "uuid",
    "tokens": "set<text>"}
_PEERS_V2 = {
    "peer": "inet", "peer_port": "int", "data_center": "text", "host_id": "uuid",
    "native_address": "inet", "native_port": "int", "rack": "text", "release_version": "text",
    "schema_version": "uuid", "tokens": "set<text>"}
_KEYSPACES = {
    "keyspace_name": "text", "durable_writes": "boolean", "replication": "map<text, text>"}
_TABLES = {
    "keyspace_name": "text", "table_name": "text", "comment": "text", "flags": "set<text>",
    "id": "uuid", "default_time_to_live": "int", "compression": "map<text, text>",
    "compaction": "map<text, text>", "extensions": "map<text, blob>"}
_COLUMNS = {
    "keyspace_name": "text", "table_name": "text", "column_name": "text",
    "clustering_order": "text", "kind": "text", "position": "int", "type": "text"}
# Tables of system_schema that are always empty here, and the columns that are asked for.
_OTHERS = {"keyspace_name": "text", "table_name": "text", "view_name": "text"}
_EMPTY = ("aggregates", "dropped_columns", "functions", "indexes", "triggers", "types", "views")


def _local_rows(_store, view):
    return [{
        "key": "local", "bootstrapped": "COMPLETED", "broadcast_address": view.address,
        "cluster_name": "mock", "cql_version": "3.4.7", "data_center": "datacenter1",
        "host_id": view.host_id, "listen_address": view.address, "native_protocol_version": "4",
        "partitioner": "org.apache.cassandra.dht.Murmur3Partitioner", "rack": "rack1",
        "release_version": RELEASE, "rpc_address": view.address, "rpc_port": view.port,
        "schema_version": view.schema_version, "tokens": ["-9223372036854775808"]}]


def _peer_rows(_store, view):
    return [{
        "peer": peer.address, "peer_port": 7000, "native_address": peer.rpc_address,
        "native_port": peer.port, "rpc_address": peer.rpc_address, "host_id": peer.host_id,
        "data_center": peer.data_center, "rack": peer.rack, "release_version": RELEASE,
        "schema_version": peer.schema_version, "tokens": peer.tokens} for peer in view.peers]


def _keyspace_rows(store, _view):
    rows = [{"keyspace_name": name, "durable_writes": True,
             "replication": {"class": "org.apache.cassandra.locator.LocalStrategy"}}
            for name in ("system", "system_schema")]
    for name, keyspace in store.keyspaces.items():
        replication = {key: str(text)
                       for key, text in keyspace.options.get("replication", {}).items()}
        rows.append({"keyspace_name": name, "replication": replication, "durable_writes":
                     keyspace.options.get("durable_writes", True)})
    return rows


def _table_rows(store, _view):
    return [{"keyspace_name": keyspace_name, "table_name": name,
             "comment": table.options.get("comment", ""), "flags": ["compound"],
             "id": uuid.uuid5(uuid.NAMESPACE_OID, f"{keyspace_name}.{name}"),
             "default_time_to_live": table.options.get("default_time_to_live", 0),
             "compression": {}, "compaction": {}, "extensions": {}}
            for keyspace_name, keyspace in store.keyspaces.items()
            for name, table in keyspace.tables.items()]


def _column_rows(store, _view):
    return [{"keyspace_name": keyspace_name, "table_name": table_name, "column_name": column,
             "clustering_order": "none", "type": type_name,
             "kind": "partition_key" if column in table.key else "regular",
             "position": table.key.index(column) if column in table.key else -1}
            for keyspace_name, keyspace in store.keyspaces.items()
            for table_name, table in keyspace.tables.items()
            for column, type_name in table.types.items()]


def _no_rows(_store, _view):
    return []


_SYSTEM = {
    ("system", "local"): (_LOCAL, ["key"], _local_rows),
    ("system", "peers"): (_PEERS, ["peer"], _peer_rows),
    ("system", "peers_v2"): (_PEERS_V2, ["peer"], _peer_rows),
    ("system_schema", "keyspaces"): (_KEYSPACES, ["keyspace_name"], _keyspace_rows),
    ("system_schema", "tables"): (_TABLES, ["keyspace_name"], _table_rows),
    ("system_schema", "columns"): (_COLUMNS, ["keyspace_name"], _column_rows),
    **{("system_schema", name): (_OTHERS, ["keyspace_name"], _no_rows)
       for name in _EMPTY}}


def make_peer(address, port, schema_version):
    """A complete row."""
    return Peer(address, port, address, uuid.uuid5(uuid.NAMESPACE_DNS, address),
                schema_version=schema_version, tokens=["0"])


class Store:
    def __init__(self):
        self.keyspaces = {}
        self.schema_version = uuid.uuid4()

    def keyspace(self, name):
        if name not in self.keyspaces:
            raise ServerError(wire.INVALID, f"keyspace {name} does not exist")
        return self.keyspaces[name]

    def table(self, keyspace, name):
        if name not in self.keyspace(keyspace).tables:
            raise ServerError(wire.INVALID, f"table {name} does not exist")
        return self.keyspaces[keyspace].tables[name]

    def change_schema(self, statement, keyspace_in_use):
        """Does a CREATE, ALTER or DROP: (change, target, names...), or None when nothing was
        to be done."""
        verb, target = statement.kind.split()
        keyspace = statement.keyspace or keyspace_in_use
        names = (keyspace,) if target == "keyspace" else (keyspace, statement.table)
        place = self.keyspaces if target == "keyspace" else self.keyspace(keyspace).tables
        exists = names[-1] in place
        if verb == "create" and exists and not statement.conditional:
            raise ServerError(wire.ALREADY_EXISTS, f'Cannot add existing {target} "{names[-1]}"',
                              wire.string(keyspace) + wire.string(statement.table))
        if verb != "create" and not exists and not statement.conditional:
            raise ServerError(wire.INVALID, f"{target.capitalize()} '{names[-1]}' doesn't exist")
        if exists == (verb == "create"):
            return None
        self._do_change(verb, target, place, names[-1], statement)
        self.schema_version = uuid.uuid4()
        change = {"create": "CREATED", "alter": "UPDATED", "drop": "DROPPED"}[verb]
        return (change, target.upper(), *names)

    @staticmethod
    def _do_change(verb, target, place, name, statement):
        if verb == "drop":
            del place[name]
        elif verb == "alter":
            place[name].options.update(statement.options)
        elif target == "keyspace":
            place[name] = Keyspace(statement.options)
        else:
            place[name] = Table(statement.types, statement.key, statement.options)

    def truncate(self, statement, keyspace_in_use):
        self.table(statement.keyspace or keyspace_in_use, statement.table).rows.clear()

    def use(self, statement):
        if statement.keyspace not in self.keyspaces:
            raise ServerError(wire.INVALID, f"Keyspace '{statement.keyspace}' does not exist")

    def _columns(self, statement, keyspace):
        """(types, key columns) of the table that is read or written."""
        if (keyspace, statement.table) in _SYSTEM:
            types, key, _ = _SYSTEM[keyspace, statement.table]
            return types, key
        if keyspace in ("system", "system_schema"):
            raise ServerError(wire.INVALID, f"table {statement.table} does not exist")
        table = self.table(keyspace, statement.table)
        return table.types, table.key

    def prepare(self, statement, keyspace_in_use):
        keyspace = statement.keyspace or keyspace_in_use
        types, key = self._columns(statement, keyspace)
        given = statement.values if statement.kind == "insert" else statement.where
        for column in [*given, *statement.columns]:
            if column != "count" and column not in types:
                raise ServerError(wire.INVALID, f"Undefined column name {column}")
        names = [name for name, term in given.items() if isinstance(term, Marker)]
        markers = [(name, types[name]) for name in names]
        key_indexes = [names.index(name) for name in key if name in names]
        results = None
        if statement.kind == "select":
            results = [(name, types.get(name, "bigint"))
                       for name in statement.columns or types]
            if isinstance(statement.limit, Marker):
                markers.append(("[limit]", "int"))
        return Prepared(statement, keyspace, markers, key_indexes, results)

    def insert(self, prepared, values):
        """The bytes of the key of the row that was written."""
        table = self.table(prepared.keyspace, prepared.statement.table)
        row = _bound(prepared.statement.values, table.types, values)
        key = tuple(row[column] for column in table.key)
        table.rows.setdefault(key, {}).update(row)
        return key

    def select(self, prepared, values, view):
        """The rows, each as a list of bytes."""
        statement = prepared.statement
        types, key = self._columns(statement, prepared.keyspace)
        where = _bound(statement.where, types, values)
        rows = self._matching(prepared.keyspace, statement.table, types, key, where, view)
        if statement.columns == ["count"]:
            return [[wire.encode("bigint", len(rows))]]
        if statement.limit is not None:
            limit = values[-1] if isinstance(statement.limit, Marker) else None
            rows = rows[:int.from_bytes(limit, "big") if limit else statement.limit]
        return [[row.get(name) for name, _ in prepared.results] for row in rows]

    def _matching(self, keyspace, table_name, types, key, where, view):
        if (keyspace, table_name) in _SYSTEM:
            made = _SYSTEM[keyspace, table_name][2](self, view)
            rows = [{name: wire.encode(types[name], row.get(name)) for name in types}
                    for row in made]
        else:
            rows = self.keyspaces[keyspace].tables[table_name].rows
            if set(where) == set(key):
                found = rows.get(tuple(where[column] for column in key))
                return [found] if found else []
            rows = list(rows.values())
        return [row for row in rows
                if all(row.get(name) == data for name, data in where.items())]


def _bound(terms, types, values):
    """Column -> bytes, with the bound values in the places of the markers."""
    bound = iter(values)
    row = {}
    for column, term in terms.items():
        row[column] = next(bound) if isinstance(term, Marker) else wire.encode(types[column], term)
    return row


def prepared_id(keyspace, text):
    return hashlib.md5(f"{keyspace}{text}".encode()).digest()
