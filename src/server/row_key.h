#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/buffer.h"
#include "cql/error.h"
#include "cql/typed_term.h"
#include "protocol/metadata.h"
#include "protocol/strings.h"
#include "server/schema.h"
#include "storage/key.h"

namespace cqlperf::server {

// The keys of rows, from the values of key columns. Buffers are the caller's, for reuse.

// The longest partition key, in routing form, and the longest clustering value, in bytes.
inline constexpr size_t kKeySizeMax = 65'535;

// What a partition key is looked up by.
struct PartitionKey {
  int64_t token = 0;
  protocol::Bytes routing;  // the routing form: storage/token.h

  bool operator==(const PartitionKey&) const = default;
};

// The types and orders of the table's clustering columns, as storage wants them.
std::vector<storage::ClusteringColumn> clustering_columns(const Table& table);

// What a term or marker for the column receives.
protocol::ColumnSpec receiver_of(const Table& table, const Column& column);

// The value of a key column: never null or unset (0x2200). Views as TypedTerm::evaluate does.
cql::Result<protocol::ByteView> evaluate_key_value(const cql::TypedTerm& term,
                                                   const cql::Evaluation& evaluation,
                                                   const Column& column);

// Appends a column's part of a composite routing form: [short length][bytes][0]. The key of one
// column is that column's bytes alone. The value must not be longer than kKeySizeMax.
void append_routing_part(core::Buffer& out, protocol::ByteView value);
// 0x2200 for a key that is empty or longer than kKeySizeMax.
cql::Status check_routing_key(protocol::ByteView routing);
// The columns' values in a routing form that was checked: views into it.
std::vector<protocol::ByteView> split_routing_key(protocol::ByteView routing, size_t columns);

// Appends the key of a row: `clustering` is encoded (storage/key.h).
void append_row_key(core::Buffer& out, int64_t token, protocol::ByteView routing,
                    protocol::ByteView clustering);
// Appends the key of the partition's entry (storage/partition.h).
void append_partition_key(core::Buffer& out, int64_t token, protocol::ByteView routing);

}  // namespace cqlperf::server
