#include "thrift/call_writer.h"

#include <string>

#include <Cassandra.h>

#include "core/check.h"
#include "thrift/frame.h"
#include "thrift/wire.h"

namespace cqlperf::thrift {
namespace {

// Writers of the structs that are on the path of an operation: the same fields in the same order as
// the generated code, from views.

void write_binary(WriteProtocol& out, int16_t id, ByteView bytes) {
  out.writeFieldBegin("", tp::T_STRING, id);
  out.writeString(bytes);
}

void write_text(WriteProtocol& out, int16_t id, std::string_view text) {
  out.writeFieldBegin("", tp::T_STRING, id);
  out.writeString(text);
}

void write_i32(WriteProtocol& out, int16_t id, int32_t value) {
  out.writeFieldBegin("", tp::T_I32, id);
  out.writeI32(value);
}

void write_i64(WriteProtocol& out, int16_t id, int64_t value) {
  out.writeFieldBegin("", tp::T_I64, id);
  out.writeI64(value);
}

void write_struct(WriteProtocol& out, int16_t id) { out.writeFieldBegin("", tp::T_STRUCT, id); }

void write_consistency(WriteProtocol& out, int16_t id, Consistency consistency) {
  write_i32(out, id, static_cast<int32_t>(consistency));
}

// Mutation{1: ColumnOrSuperColumn{1: Column}}
void write_mutation(WriteProtocol& out, const ColumnWrite& column) {
  write_struct(out, 1);
  write_struct(out, 1);
  write_binary(out, 1, column.name);
  write_binary(out, 2, column.value);
  write_i64(out, 3, column.timestamp_us);
  if (column.ttl_s) write_i32(out, 4, *column.ttl_s);
  out.writeFieldStop();
  out.writeFieldStop();
  out.writeFieldStop();
}

// Mutation{1: ColumnOrSuperColumn{3: CounterColumn}}
void write_mutation(WriteProtocol& out, const CounterWrite& counter) {
  write_struct(out, 1);
  write_struct(out, 3);
  write_binary(out, 1, counter.name);
  write_i64(out, 2, counter.delta);
  out.writeFieldStop();
  out.writeFieldStop();
  out.writeFieldStop();
}

void write_row(WriteProtocol& out, const RowWrite& row) {
  out.writeString(row.key);
  out.writeMapBegin(tp::T_STRING, tp::T_LIST, 1);
  out.writeString(row.column_family);
  const size_t count = row.columns.size() + row.counters.size();
  out.writeListBegin(tp::T_STRUCT, static_cast<uint32_t>(count));
  for (const ColumnWrite& column : row.columns) write_mutation(out, column);
  for (const CounterWrite& counter : row.counters) write_mutation(out, counter);
}

}  // namespace

struct CallWriter::Impl {
  WriteProtocol& begin(core::Buffer& out, Call call, int32_t seqid) {
    return encoder.begin(out, wire_name(call), tp::T_CALL, seqid);
  }
  void end() {
    const size_t size = encoder.end();
    CQLPERF_CHECK(size <= kFrameBytesMax, "a call larger than a frame can be");
  }

  Encoder encoder;
  // Of calls that are made once per connection.
  std::string keyspace;
  std::string query;
};

CallWriter::CallWriter() : impl_(std::make_unique<Impl>()) {}
CallWriter::~CallWriter() = default;

void CallWriter::login(int32_t seqid, std::string_view user, std::string_view password,
                       core::Buffer& out) {
  idl::AuthenticationRequest request;
  request.credentials = {{"username", std::string(user)}, {"password", std::string(password)}};
  idl::Cassandra_login_pargs arguments;
  arguments.auth_request = &request;
  arguments.write(&impl_->begin(out, Call::kLogin, seqid));
  impl_->end();
}

void CallWriter::set_keyspace(int32_t seqid, std::string_view keyspace, core::Buffer& out) {
  impl_->keyspace = keyspace;
  idl::Cassandra_set_keyspace_pargs arguments;
  arguments.keyspace = &impl_->keyspace;
  arguments.write(&impl_->begin(out, Call::kSetKeyspace, seqid));
  impl_->end();
}

void CallWriter::batch_mutate(int32_t seqid, std::span<const RowWrite> rows,
                              Consistency consistency, core::Buffer& out) {
  WriteProtocol& protocol = impl_->begin(out, Call::kBatchMutate, seqid);
  protocol.writeFieldBegin("", tp::T_MAP, 1);
  protocol.writeMapBegin(tp::T_STRING, tp::T_MAP, static_cast<uint32_t>(rows.size()));
  for (const RowWrite& row : rows) write_row(protocol, row);
  write_consistency(protocol, 2, consistency);
  protocol.writeFieldStop();
  impl_->end();
}

void CallWriter::get_slice(int32_t seqid, ByteView key, std::string_view column_family,
                           const SliceRange& range, Consistency consistency, core::Buffer& out) {
  WriteProtocol& protocol = impl_->begin(out, Call::kGetSlice, seqid);
  write_binary(protocol, 1, key);
  write_struct(protocol, 2);  // ColumnParent
  write_text(protocol, 3, column_family);
  protocol.writeFieldStop();
  write_struct(protocol, 3);  // SlicePredicate
  write_struct(protocol, 2);  // SliceRange
  write_binary(protocol, 1, range.start);
  write_binary(protocol, 2, range.finish);
  protocol.writeFieldBegin("", tp::T_BOOL, 3);
  protocol.writeBool(range.reversed);
  write_i32(protocol, 4, range.count);
  protocol.writeFieldStop();
  protocol.writeFieldStop();
  write_consistency(protocol, 4, consistency);
  protocol.writeFieldStop();
  impl_->end();
}

void CallWriter::execute_cql3_query(int32_t seqid, std::string_view query, Consistency consistency,
                                    core::Buffer& out) {
  WriteProtocol& protocol = impl_->begin(out, Call::kExecuteCql3Query, seqid);
  write_text(protocol, 1, query);
  write_i32(protocol, 2, static_cast<int32_t>(Compression::kNone));
  write_consistency(protocol, 3, consistency);
  protocol.writeFieldStop();
  impl_->end();
}

void CallWriter::prepare_cql3_query(int32_t seqid, std::string_view query, core::Buffer& out) {
  impl_->query = query;
  const idl::Compression::type compression = idl::Compression::NONE;
  idl::Cassandra_prepare_cql3_query_pargs arguments;
  arguments.query = &impl_->query;
  arguments.compression = &compression;
  arguments.write(&impl_->begin(out, Call::kPrepareCql3Query, seqid));
  impl_->end();
}

void CallWriter::execute_prepared_cql3_query(int32_t seqid, int32_t item_id,
                                             std::span<const ByteView> values,
                                             Consistency consistency, core::Buffer& out) {
  WriteProtocol& protocol = impl_->begin(out, Call::kExecutePreparedCql3Query, seqid);
  write_i32(protocol, 1, item_id);
  protocol.writeFieldBegin("", tp::T_LIST, 2);
  protocol.writeListBegin(tp::T_STRING, static_cast<uint32_t>(values.size()));
  for (const ByteView value : values) protocol.writeString(value);
  write_consistency(protocol, 3, consistency);
  protocol.writeFieldStop();
  impl_->end();
}

void CallWriter::call_without_arguments(int32_t seqid, Call call, core::Buffer& out) {
  impl_->begin(out, call, seqid).writeFieldStop();
  impl_->end();
}

}  // namespace cqlperf::thrift
