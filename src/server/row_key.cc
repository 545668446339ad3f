#include "server/row_key.h"

#include <fmt/format.h>

#include "core/byte_reader.h"

namespace cqlperf::server {

std::vector<storage::ClusteringColumn> clustering_columns(const Table& table) {
  std::vector<storage::ClusteringColumn> columns;
  for (const Column& column : table.clustering_key()) {
    columns.push_back({column.type, column.descending});
  }
  return columns;
}

protocol::ColumnSpec receiver_of(const Table& table, const Column& column) {
  return {table.keyspace, table.name, column.name, column.type};
}

cql::Result<protocol::ByteView> evaluate_key_value(const cql::TypedTerm& term,
                                                   const cql::Evaluation& evaluation,
                                                   const Column& column) {
  auto value = term.evaluate(evaluation);
  if (!value) return std::unexpected(std::move(value.error()));
  if (value->kind == protocol::Value::Kind::kBytes) [[likely]]
    return value->bytes;
  if (value->kind == protocol::Value::Kind::kUnset) {
    return cql::invalid(fmt::format("Invalid unset value for column {}", column.name));
  }
  return cql::invalid(fmt::format("Invalid null value in condition for column {}", column.name));
}

void append_routing_part(core::Buffer& out, protocol::ByteView value) {
  protocol::append_short_bytes(out, value);
  out.append_u8(0);
}

cql::Status check_routing_key(protocol::ByteView routing) {
  if (routing.empty()) return cql::invalid("Key may not be empty");
  if (routing.size() <= kKeySizeMax) return {};
  return cql::invalid(
      fmt::format("Key length of {} is longer than maximum of {}", routing.size(), kKeySizeMax));
}

std::vector<protocol::ByteView> split_routing_key(protocol::ByteView routing, size_t columns) {
  if (columns == 1) return {routing};
  std::vector<protocol::ByteView> values;
  core::ByteReader in(routing);
  for (size_t column = 0; column < columns; ++column) {
    values.push_back(protocol::read_short_bytes(in));
    in.read_u8();
  }
  return values;
}

void append_row_key(core::Buffer& out, int64_t token, protocol::ByteView routing,
                    protocol::ByteView clustering) {
  storage::append_partition_prefix(out, token, routing);
  out.append_u8(storage::kRowEntry);
  out.append(clustering);
}

void append_partition_key(core::Buffer& out, int64_t token, protocol::ByteView routing) {
  storage::append_partition_prefix(out, token, routing);
  out.append_u8(storage::kPartitionEntry);
}

}  // namespace cqlperf::server
