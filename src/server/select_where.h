#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "server/key_values.h"
#include "server/schema.h"
#include "server/select_filter.h"
#include "server/select_token.h"

namespace cqlperf::server {

// How the rows of a WHERE are found: which relations name keys, which one an index answers, which
// are left for each row. Immutable; the table outlives it.
struct SelectWhere {
  // Of all columns of the partition key; std::nullopt: all partitions, or those of `tokens`.
  std::optional<PartitionKeyRestrictions> keys = {};
  TokenRestrictions tokens = {};
  // With `keys` only.
  std::optional<ClusteringRestrictions> clustering = {};
  // The index that is read, and the value that is looked up; nullptr: none.
  const Index* index = nullptr;
  cql::TypedTerm index_value = {};
  std::vector<RowFilter> filters = {};
  // By the position of columns in the table: whether one = restricts it to one value.
  std::vector<bool> equal_columns = {};
  // Whether = or IN restrict all columns of the partition key, also of a system table.
  bool names_partitions = false;

  // Errors (0x2200) as Cassandra's: what cannot be answered without ALLOW FILTERING, too.
  // `is_virtual`: filtering needs no permission. The rows of a system table are made for each
  // query, so all relations but those on tokens become filters.
  static cql::Result<SelectWhere> bind(const cql::Select& statement, const Table& table,
                                       bool is_virtual, cql::MarkerSpecs& markers);
};

}  // namespace cqlperf::server
