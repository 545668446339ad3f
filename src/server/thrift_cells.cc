#include "server/thrift_cells.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"
#include "protocol/values.h"

namespace cqlperf::server {
namespace {

constexpr size_t kNameMax = 65'535;   // bytes
constexpr size_t kCellsOfColumn = 3;  // of a slice: value, WRITETIME, TTL

std::string_view as_text(thrift::ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<uint16_t> named_columns(const Table& table, const thrift::Predicate& predicate) {
  std::vector<uint16_t> columns;
  const auto all = table.regular_columns();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto has_name = [&](thrift::ByteView name) { return as_text(name) == all[i].name; };
    if (std::ranges::any_of(predicate.names, has_name)) columns.push_back(static_cast<uint16_t>(i));
  }
  return columns;
}

// `reversed` says which end is which; as in Cassandra, columns of the schema come in their order
// all the same.
cql::Result<std::vector<uint16_t>> columns_between(const Table& table,
                                                   const thrift::SliceRange& range) {
  const std::string_view first = as_text(range.reversed ? range.finish : range.start);
  const std::string_view last = as_text(range.reversed ? range.start : range.finish);
  if (!first.empty() && !last.empty() && first > last)
    return cql::invalid("range finish must come after start in the order of traversal");
  if (range.count < 0) return cql::invalid("get_slice requires non-negative count");
  std::vector<uint16_t> columns;
  const auto all = table.regular_columns();
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_inside = all[i].name >= first && (last.empty() || all[i].name <= last);
    if (is_inside) columns.push_back(static_cast<uint16_t>(i));
  }
  return columns;
}

}  // namespace

cql::Result<uint16_t> find_thrift_column(const Table& table, thrift::ByteView name) {
  if (name.empty()) return cql::invalid("column name must not be empty");
  if (name.size() > kNameMax)
    return cql::invalid(fmt::format("column name length must not be greater than {}", kNameMax));
  const auto all = table.regular_columns();
  const auto found = std::ranges::lower_bound(all, as_text(name), {}, &Column::name);
  if (found != all.end() && found->name == as_text(name))
    return static_cast<uint16_t>(found - all.begin());
  return cql::invalid(
      fmt::format("table {} has no column {}: this server has only the columns of the schema",
                  table.name, core::printable(as_text(name), 256)));
}

cql::Result<std::vector<uint16_t>> select_columns(const Table& table,
                                                  const thrift::Predicate& predicate) {
  if (!predicate.has_names && !predicate.range)
    return cql::invalid("predicate column_names and slice_range may not both be null");
  if (predicate.has_names && predicate.range)
    return cql::invalid("predicate column_names and slice_range may not both be present");
  if (predicate.has_names) return named_columns(table, predicate);
  return columns_between(table, *predicate.range);
}

void append_cells(const Table& table, const protocol::RowView& row,
                  std::span<const uint16_t> columns, size_t count_max,
                  std::vector<thrift::Cell>& cells) {
  std::vector<protocol::Cell> values;
  values.reserve(row.size());
  for (const protocol::Cell& value : row) values.push_back(value);
  for (const uint16_t index : columns) {
    const size_t at = table.is_counter ? index : index * kCellsOfColumn;
    if (cells.size() >= count_max) return;
    if (!values[at]) continue;
    thrift::Cell cell;
    cell.name = protocol::as_bytes(table.regular_columns()[index].name);
    cell.is_counter = table.is_counter;
    if (table.is_counter) {
      cell.counter = protocol::decode_counter(*values[at]).value_or(0);
    } else {
      cell.value = *values[at];
      if (values[at + 1]) cell.timestamp_us = protocol::decode_bigint(*values[at + 1]).value_or(0);
      if (values[at + 2]) cell.ttl_s = protocol::decode_int(*values[at + 2]).value_or(0);
    }
    cells.push_back(cell);
  }
}

}  // namespace cqlperf::server
