// The part of Cassandra's RPC interface (20.1.0: Cassandra 2.2 to 3.11) that cqlperf speaks, as a
// client and in the embedded server. Written from the facts of the wire: names of calls, field
// numbers and types; what travels is all that it has in common with the interface of Cassandra.
// Super columns, ranges of rows, compare-and-set and ring calls are left out: field numbers that
// are skipped here belong to them, and a reader skips such fields.

namespace cpp cqlperf.thrift.idl

enum ConsistencyLevel {
  ONE = 1, QUORUM = 2, LOCAL_QUORUM = 3, EACH_QUORUM = 4, ALL = 5, ANY = 6, TWO = 7, THREE = 8,
  SERIAL = 9, LOCAL_SERIAL = 10, LOCAL_ONE = 11
}

enum Compression { GZIP = 1, NONE = 2 }  // GZIP is a zlib stream (RFC 1950)

enum CqlResultType { ROWS = 1, VOID = 2, INT = 3 }

enum IndexType { KEYS = 0, CUSTOM = 1, COMPOSITES = 2 }

// What a call may answer instead of its result.
exception InvalidRequestException { 1: required string why }
exception NotFoundException {}
exception UnavailableException {}
exception TimedOutException {
  1: optional i32 acknowledged_by,
  2: optional bool acknowledged_by_batchlog,
  3: optional bool paxos_in_progress
}
exception AuthenticationException { 1: required string why }
exception AuthorizationException { 1: required string why }
exception SchemaDisagreementException {}

struct AuthenticationRequest { 1: required map<string, string> credentials }

// Data.
struct Column {
  1: required binary name,
  2: optional binary value,
  3: optional i64 timestamp,  // microseconds since 1970; a write must have it
  4: optional i32 ttl         // seconds
}
struct CounterColumn { 1: required binary name, 2: required i64 value }
struct ColumnOrSuperColumn { 1: optional Column column, 3: optional CounterColumn counter_column }
struct ColumnParent { 3: required string column_family, 4: optional binary super_column }
struct SliceRange {
  1: required binary start,
  2: required binary finish,
  3: required bool reversed = 0,
  4: required i32 count = 100
}
struct SlicePredicate { 1: optional list<binary> column_names, 2: optional SliceRange slice_range }
struct Deletion {
  1: optional i64 timestamp,
  2: optional binary super_column,
  3: optional SlicePredicate predicate
}
struct Mutation {
  1: optional ColumnOrSuperColumn column_or_supercolumn,
  2: optional Deletion deletion
}

// Results of CQL.
struct CqlRow { 1: required binary key, 2: required list<Column> columns }
struct CqlMetadata {
  1: required map<binary, string> name_types,
  2: required map<binary, string> value_types,
  3: required string default_name_type,
  4: required string default_value_type
}
struct CqlResult {
  1: required CqlResultType type,
  2: optional list<CqlRow> rows,
  3: optional i32 num,
  4: optional CqlMetadata schema
}
struct CqlPreparedResult {
  1: required i32 itemId,
  2: required i32 count,
  3: optional list<string> variable_types,
  4: optional list<string> variable_names
}

// The schema.
struct ColumnDef {
  1: required binary name,
  2: required string validation_class,
  3: optional IndexType index_type,
  4: optional string index_name,
  5: optional map<string, string> index_options
}
struct CfDef {
  1: required string keyspace,
  2: required string name,
  3: optional string column_type = "Standard",
  5: optional string comparator_type = "BytesType",
  6: optional string subcomparator_type,
  8: optional string comment,
  13: optional list<ColumnDef> column_metadata,
  14: optional i32 gc_grace_seconds,
  15: optional string default_validation_class,
  16: optional i32 id,
  26: optional string key_validation_class,
  28: optional binary key_alias,
  40: optional i32 default_time_to_live
}
struct KsDef {
  1: required string name,
  2: required string strategy_class,
  3: optional map<string, string> strategy_options,
  5: required list<CfDef> cf_defs,
  6: optional bool durable_writes = 1
}

service Cassandra {
  void login(1: required AuthenticationRequest auth_request)
    throws (1: AuthenticationException authnx, 2: AuthorizationException authzx),
  void set_keyspace(1: required string keyspace) throws (1: InvalidRequestException ire),

  list<ColumnOrSuperColumn> get_slice(
      1: required binary key,
      2: required ColumnParent column_parent,
      3: required SlicePredicate predicate,
      4: required ConsistencyLevel consistency_level = ConsistencyLevel.ONE)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te),

  void insert(
      1: required binary key,
      2: required ColumnParent column_parent,
      3: required Column column,
      4: required ConsistencyLevel consistency_level = ConsistencyLevel.ONE)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te),
  void add(
      1: required binary key,
      2: required ColumnParent column_parent,
      3: required CounterColumn column,
      4: required ConsistencyLevel consistency_level = ConsistencyLevel.ONE)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te),
  void batch_mutate(
      1: required map<binary, map<string, list<Mutation>>> mutation_map,
      2: required ConsistencyLevel consistency_level = ConsistencyLevel.ONE)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te),
  void truncate(1: required string cfname)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te),

  list<KsDef> describe_keyspaces() throws (1: InvalidRequestException ire),
  KsDef describe_keyspace(1: required string keyspace)
    throws (1: NotFoundException nfe, 2: InvalidRequestException ire),
  string describe_cluster_name(),
  string describe_version(),

  string system_add_column_family(1: required CfDef cf_def)
    throws (1: InvalidRequestException ire, 2: SchemaDisagreementException sde),
  string system_drop_column_family(1: required string column_family)
    throws (1: InvalidRequestException ire, 2: SchemaDisagreementException sde),
  string system_add_keyspace(1: required KsDef ks_def)
    throws (1: InvalidRequestException ire, 2: SchemaDisagreementException sde),
  string system_drop_keyspace(1: required string keyspace)
    throws (1: InvalidRequestException ire, 2: SchemaDisagreementException sde),

  CqlResult execute_cql_query(1: required binary query, 2: required Compression compression)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te,
            4: SchemaDisagreementException sde),
  CqlResult execute_cql3_query(
      1: required binary query, 2: required Compression compression,
      3: required ConsistencyLevel consistency)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te,
            4: SchemaDisagreementException sde),
  CqlPreparedResult prepare_cql_query(1: required binary query, 2: required Compression compression)
    throws (1: InvalidRequestException ire),
  CqlPreparedResult prepare_cql3_query(
      1: required binary query, 2: required Compression compression)
    throws (1: InvalidRequestException ire),
  CqlResult execute_prepared_cql_query(1: required i32 itemId, 2: required list<binary> values)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te,
            4: SchemaDisagreementException sde),
  CqlResult execute_prepared_cql3_query(
      1: required i32 itemId, 2: required list<binary> values,
      3: required ConsistencyLevel consistency)
    throws (1: InvalidRequestException ire, 2: UnavailableException ue, 3: TimedOutException te,
            4: SchemaDisagreementException sde),
  void set_cql_version(1: required string version) throws (1: InvalidRequestException ire)
}
