#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cql/error.h"
#include "protocol/rows.h"
#include "server/schema.h"
#include "thrift/call_reader.h"

namespace cqlperf::server {

// The columns of a table as Thrift has them: its regular columns, by their index, ordered by name.

// 0x2200 when there is none of that name: this server has no others than the schema's.
cql::Result<uint16_t> find_thrift_column(const Table& table, thrift::ByteView name);

// Those that a predicate selects, in the order in which they are answered; names of columns that do
// not exist select nothing. 0x2200, in Cassandra's words, for a predicate that is none.
cql::Result<std::vector<uint16_t>> select_columns(const Table& table,
                                                  const thrift::Predicate& predicate);

// The cells of the columns that a row of ThriftPlans::slice() has; appended to `cells`. Views.
void append_cells(const Table& table, const protocol::RowView& row,
                  std::span<const uint16_t> columns, size_t count_max,
                  std::vector<thrift::Cell>& cells);

}  // namespace cqlperf::server
