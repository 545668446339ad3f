#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "protocol/auth_challenge.h"
#include "protocol/auth_response.h"
#include "protocol/auth_success.h"
#include "protocol/authenticate.h"
#include "protocol/batch.h"
#include "protocol/error.h"
#include "protocol/event.h"
#include "protocol/execute.h"
#include "protocol/options.h"
#include "protocol/prepare.h"
#include "protocol/query.h"
#include "protocol/ready.h"
#include "protocol/register.h"
#include "protocol/result.h"
#include "protocol/startup.h"
#include "protocol/supported.h"
#include "protocol/values.h"

namespace cqlperf::protocol::samples {

// At least one message of every kind and form. Each function calls visit(name, message); the names
// are those of vectors/*.txt (requests) and python_driver_test.py (responses).

inline const Bytes kId = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                          0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
inline const Bytes kMetadataId = {0xa0, 0xa1, 0xa2, 0xa3};
inline const Bytes kPagingState = {0xca, 0xfe, 0x00, 0x01};
inline const Bytes kInt7 = {0, 0, 0, 7};
inline const Bytes kEmpty = {};
inline const Uuid kUuid = *parse_uuid("123e4567-e89b-12d3-a456-426614174000");
inline const Uuid kTimeuuid = *parse_uuid("58e0a7d7-eebc-11d8-9669-0800200c9a66");
inline const InetAddress kIpv4 = *parse_inet_address("127.0.0.1");
inline const InetAddress kIpv6 = *parse_inet_address("2001:db8::1");

inline QueryParameters all_parameters(Version version) {
  QueryParameters parameters;
  parameters.consistency = Consistency::kLocalQuorum;
  parameters.values = {Value::of(kInt7), Value::null(), Value::of(kEmpty)};
  if (version >= Version::kV4) parameters.values.push_back(Value::unset());
  parameters.page_size = 5000;
  parameters.paging_state = kPagingState;
  parameters.serial_consistency = Consistency::kLocalSerial;
  parameters.default_timestamp_us = 1'700'000'000'123'456;
  return parameters;
}

// What only v5 has in requests.
template <class Visit>
void visit_requests_v5(Visit visit) {
  QueryParameters parameters;
  parameters.keyspace = "ks";
  visit("query_keyspace", Query{"SELECT * FROM t", parameters});
  parameters.now_seconds = -1;
  visit("query_now", Query{"SELECT * FROM t", parameters});
  parameters.keyspace.reset();
  visit("execute_now", Execute{kId, parameters, {}});
  visit("prepare_keyspace", Prepare{"INSERT INTO t (k) VALUES (?)", "ks"});
  Batch batch;
  batch.keyspace = "ks";
  visit("batch_keyspace", batch);
  batch.now_seconds = 1'700'000'000;
  visit("batch_now", batch);
}

template <class Visit>
void visit_queries(Version version, Visit visit) {
  visit("query_plain", Query{"SELECT key FROM system.local", {}});
  QueryParameters parameters = all_parameters(version);
  parameters.values.clear();
  visit("query_parameters", Query{"SELECT * FROM t WHERE k = 'h\u00e9'", parameters});
  visit("execute", Execute{kId, all_parameters(version), kMetadataId});
  QueryParameters few;
  few.consistency = Consistency::kOne;
  few.values = {Value::of(kInt7)};
  visit("execute_plain", Execute{kId, few, kMetadataId});
  few.skip_metadata = true;
  visit("execute_skip_metadata", Execute{kId, few, kMetadataId});
  few.values = {Value::of(kInt7), Value::null()};
  few.names = {"a", "bb"};
  visit("query_named", Query{"SELECT * FROM t WHERE k = :a AND c = :bb", few});
}

template <class Visit>
void visit_batches(Version version, Visit visit) {
  Batch batch;
  batch.type = BatchType::kUnlogged;
  batch.statements = {{"INSERT INTO t (k) VALUES (1)", {}},
                      {ByteView(kId), {Value::of(kInt7), Value::null()}}};
  batch.consistency = Consistency::kQuorum;
  visit("batch", batch);
  batch.type = BatchType::kCounter;
  if (version >= Version::kV4) batch.statements[1].values.push_back(Value::unset());
  batch.serial_consistency = Consistency::kSerial;
  batch.default_timestamp_us = 5;
  visit("batch_parameters", batch);
  visit("batch_empty", Batch{});
}

template <class Visit>
void visit_requests(Version version, Visit visit) {
  visit("startup", Startup{{{"CQL_VERSION", "3.4.5"}, {"DRIVER_NAME", "cqlperf"}}});
  visit("options", Options{});
  visit("auth_response", plain_auth_response("cassandra", "s\u00e9cret"));
  visit("auth_response_null", AuthResponse{});
  visit("prepare", Prepare{"INSERT INTO ks.t (k, v) VALUES (?, ?)"});
  visit("register", Register{{"TOPOLOGY_CHANGE", "STATUS_CHANGE", "SCHEMA_CHANGE"}});
  visit_queries(version, visit);
  visit_batches(version, visit);
  if (version >= Version::kV5) visit_requests_v5(visit);
}

// Two replicas that failed, as v5 says it.
inline FailureReasons failure_reasons(Version version) {
  if (version < Version::kV5) return {};
  return {{kIpv4, 2}, {kIpv6, 0x102}};
}

// Every code, with details where it has them; failures are v4 only.
template <class Visit>
void visit_errors(Version version, Visit visit) {
  const auto with = [](ErrorCode code, ErrorDetails details) {
    return ErrorMessage{static_cast<int32_t>(code), "the message", std::move(details)};
  };
  const auto plain = [&](ErrorCode code) { return with(code, {}); };
  const Consistency one = Consistency::kOne;
  const Consistency quorum = Consistency::kQuorum;
  visit("error_server", plain(ErrorCode::kServerError));
  visit("error_protocol", plain(ErrorCode::kProtocolError));
  visit("error_credentials", plain(ErrorCode::kBadCredentials));
  visit("error_unavailable", with(ErrorCode::kUnavailable, UnavailableDetails{quorum, 2, 1}));
  visit("error_overloaded", plain(ErrorCode::kOverloaded));
  visit("error_bootstrapping", plain(ErrorCode::kIsBootstrapping));
  visit("error_truncate", plain(ErrorCode::kTruncateError));
  visit("error_write_timeout",
        with(ErrorCode::kWriteTimeout, WriteTimeoutDetails{one, 0, 1, "SIMPLE"}));
  visit("error_read_timeout",
        with(ErrorCode::kReadTimeout, ReadTimeoutDetails{quorum, 1, 2, true}));
  visit("error_syntax", plain(ErrorCode::kSyntaxError));
  visit("error_unauthorized", plain(ErrorCode::kUnauthorized));
  visit("error_invalid", plain(ErrorCode::kInvalid));
  visit("error_config", plain(ErrorCode::kConfigError));
  visit("error_exists", with(ErrorCode::kAlreadyExists, AlreadyExistsDetails{"ks", "t"}));
  visit("error_unprepared", with(ErrorCode::kUnprepared, UnpreparedDetails{kId}));
  if (version < Version::kV4) return;
  const FailureReasons reasons = failure_reasons(version);
  visit("error_read_failure",
        with(ErrorCode::kReadFailure, ReadFailureDetails{quorum, 1, 2, 2, false, reasons}));
  visit("error_function",
        with(ErrorCode::kFunctionFailure, FunctionFailureDetails{"ks", "f", {"int", "text"}}));
  visit("error_write_failure",
        with(ErrorCode::kWriteFailure, WriteFailureDetails{quorum, 0, 2, 2, "BATCH", reasons}));
  visit("error_cdc", plain(ErrorCode::kCdcWriteFailure));
  if (version < Version::kV5) return;
  visit("error_cas_timeout",
        with(ErrorCode::kWriteTimeout, WriteTimeoutDetails{Consistency::kSerial, 1, 2, "CAS", 7}));
}

// Errors that the Python driver cannot decode.
template <class Visit>
void visit_uncommon_errors(Visit visit) {
  visit("error_cas_unknown",
        ErrorMessage{0x1700, "the message", CasWriteUnknownDetails{Consistency::kSerial, 1, 2}});
  visit("error_rate_limit", ErrorMessage{0xF000, "the message", RateLimitDetails{true, false}});
  visit("error_unknown", ErrorMessage{0x7777, "the message", UnknownErrorDetails{{1, 2, 3}}});
}

template <class Visit>
void visit_events(Version version, Visit visit) {
  visit("event_new_node", Event{TopologyChange{TopologyChange::Change::kNewNode, {kIpv4, 9042}}});
  visit("event_removed_node",
        Event{TopologyChange{TopologyChange::Change::kRemovedNode, {kIpv6, 9043}}});
  visit("event_up", Event{StatusChange{true, {kIpv4, 9042}}});
  visit("event_down", Event{StatusChange{false, {kIpv6, 9042}}});
  visit("event_keyspace",
        Event{SchemaChange{SchemaChangeType::kCreated, SchemaTarget::kKeyspace, "ks", {}, {}}});
  visit("event_table",
        Event{SchemaChange{SchemaChangeType::kDropped, SchemaTarget::kTable, "ks", "t", {}}});
  if (version < Version::kV4) return;
  visit("event_function",
        Event{SchemaChange{
            SchemaChangeType::kUpdated, SchemaTarget::kFunction, "ks", "f", {"int", "text"}}});
  visit("event_aggregate",
        Event{SchemaChange{SchemaChangeType::kCreated, SchemaTarget::kAggregate, "ks", "a", {}}});
}

inline ColumnSpec column(std::string name, ColumnType type, std::string table = "t") {
  return {"ks", std::move(table), std::move(name), std::move(type)};
}

inline ColumnType user_type() {
  ColumnType type = ColumnType::of(TypeId::kUdt);
  type.udt_keyspace = "ks";
  type.udt_name = "address";
  type.field_names = {"street", "number"};
  type.nested = {ColumnType::of(TypeId::kVarchar), ColumnType::of(TypeId::kInt)};
  return type;
}

// One column of each scalar type, in the order in which append_scalar_row() writes.
inline std::vector<ColumnSpec> scalar_columns() {
  std::vector<ColumnSpec> columns;
  const std::pair<const char*, TypeId> names[] = {
      {"tinyint", TypeId::kTinyint},
      {"smallint", TypeId::kSmallint},
      {"int", TypeId::kInt},
      {"bigint", TypeId::kBigint},
      {"varint", TypeId::kVarint},
      {"counter", TypeId::kCounter},
      {"boolean", TypeId::kBoolean},
      {"float", TypeId::kFloat},
      {"double", TypeId::kDouble},
      {"text", TypeId::kVarchar},
      {"ascii", TypeId::kAscii},
      {"blob", TypeId::kBlob},
      {"uuid", TypeId::kUuid},
      {"timeuuid", TypeId::kTimeuuid},
      {"inet", TypeId::kInet},
      {"inet6", TypeId::kInet},
      {"timestamp", TypeId::kTimestamp},
      {"date", TypeId::kDate},
      {"time", TypeId::kTime},
  };
  for (const auto& [name, type] : names) columns.push_back(column(name, ColumnType::of(type)));
  return columns;
}

inline void append_scalar_row(core::Buffer& out) {
  append_tinyint(out, -8);
  append_smallint(out, -1600);
  append_int(out, -320'000);
  append_bigint(out, -64'000'000'000);
  append_varint(out, 128);
  append_counter(out, 42);
  append_boolean(out, true);
  append_float(out, 1.5F);
  append_double(out, -2.25);
  append_text(out, "h\u00e9llo");
  append_text(out, "plain");
  append_blob(out, kPagingState);
  append_uuid(out, kUuid);
  append_uuid(out, kTimeuuid);
  append_inet_value(out, kIpv4);
  append_inet_value(out, kIpv6);
  append_timestamp(out, 1'700'000'000'123);
  append_date(out, 19'000);
  append_time(out, 3'723'000'000'004);
}

inline core::Buffer scalar_rows(Version version) {
  core::Buffer out;
  const std::vector<ColumnSpec> columns = scalar_columns();
  const size_t start = begin_rows(out, version, RowsMetadata::of(columns));
  append_scalar_row(out);
  for (size_t i = 0; i < columns.size(); ++i) append_null(out);
  end_rows(out, start, 2);
  return out;
}

// Columns of two tables, collections, a further page.
inline core::Buffer collection_rows(Version version) {
  const ColumnType text = ColumnType::of(TypeId::kVarchar);
  RowsMetadata metadata =
      RowsMetadata::of({column("tokens", ColumnType::set_of(text)),
                        column("options", ColumnType::map_of(text, text), "other"),
                        column("pair", ColumnType::tuple_of({ColumnType::of(TypeId::kInt), text})),
                        column("home", user_type())});
  metadata.paging_state = kPagingState;
  core::Buffer out;
  const size_t rows = begin_rows(out, version, metadata);
  append_text_list(out, {"-1", "5"});
  append_text_map(out, {{"a", "1"}, {"b", "2"}});
  for (const char* name : {"seven", "street"}) {
    const bool is_udt = std::string_view(name) == "street";
    const size_t value = begin_value(out);
    if (is_udt) append_text(out, name);
    append_int(out, 7);
    if (!is_udt) append_text(out, name);
    end_value(out, value);
  }
  end_rows(out, rows, 1);
  return out;
}

// Its metadata is no longer that of the prepared statement (v5).
inline core::Buffer changed_rows() {
  RowsMetadata metadata = RowsMetadata::of({column("d", ColumnType::of(TypeId::kDuration))});
  metadata.paging_state = kPagingState;
  metadata.new_metadata_id = kMetadataId;
  core::Buffer out;
  const size_t start = begin_rows(out, Version::kV5, metadata);
  append_blob(out, Bytes{2, 4, 6});  // one month, two days, three nanoseconds
  end_rows(out, start, 1);
  return out;
}

inline core::Buffer bare_rows(Version version) {
  core::Buffer out;
  const size_t start = begin_rows(out, version, RowsMetadata{2, {}, {}, {}});
  append_int(out, 1);
  append_text(out, "x");
  end_rows(out, start, 1);
  return out;
}

inline Prepared prepared_select() {
  const ColumnType integer = ColumnType::of(TypeId::kInt);
  Prepared prepared;
  prepared.id = kId;
  prepared.bind.columns = {column("b", integer), column("a", ColumnType::of(TypeId::kBlob))};
  prepared.result = RowsMetadata::of({column("c", ColumnType::list_of(integer))});
  return prepared;
}

template <class Visit>
void visit_results(Version version, Visit visit) {
  visit("result_void", ResultMessage{VoidResult{}});
  visit("result_keyspace", ResultMessage{SetKeyspace{"ks"}});
  visit("result_schema", ResultMessage{SchemaChange{
                             SchemaChangeType::kCreated, SchemaTarget::kTable, "ks", "t", {}}});
  Prepared prepared = prepared_select();
  if (version >= Version::kV4) prepared.bind.partition_key_indexes = {1, 0};
  if (version >= Version::kV5) prepared.result_metadata_id = kMetadataId;
  visit("result_prepared", ResultMessage{prepared});
  visit("result_prepared_insert", ResultMessage{Prepared{kId, {}, {}, {}}});
  const core::Buffer scalars = scalar_rows(version);
  visit("result_scalars", ResultMessage{*RowsView::decode(version, scalars.bytes())});
  const core::Buffer collections = collection_rows(version);
  visit("result_collections", ResultMessage{*RowsView::decode(version, collections.bytes())});
  const core::Buffer bare = bare_rows(version);
  visit("result_bare", ResultMessage{*RowsView::decode(version, bare.bytes())});
  if (version < Version::kV5) return;
  const core::Buffer changed = changed_rows();
  visit("result_changed", ResultMessage{*RowsView::decode(version, changed.bytes())});
}

template <class Visit>
void visit_responses(Version version, Visit visit) {
  visit("ready", Ready{});
  visit("authenticate", Authenticate{"org.apache.cassandra.auth.PasswordAuthenticator"});
  visit("auth_challenge", AuthChallenge{Bytes{1, 2, 3}});
  visit("auth_success", AuthSuccess{Bytes{}});
  visit("auth_success_null", AuthSuccess{});
  visit("supported", Supported{{{"COMPRESSION", {}},
                                {"CQL_VERSION", {"3.4.7"}},
                                {"PROTOCOL_VERSIONS", {"3/v3", "4/v4"}}}});
  visit_errors(version, visit);
  visit_events(version, visit);
  visit_results(version, visit);
}

}  // namespace cqlperf::protocol::samples
