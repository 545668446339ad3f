#pragma once

#include <cstddef>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/schema.h"
#include "server/select_where.h"

namespace cqlperf::server {

// ORDER BY, checked: rows of a partition come in the order of their keys or in the reverse.
struct SelectOrder {
  bool is_reversed = false;
  // Clustering columns, from the first, that rows of several partitions are to be sorted by; 0:
  // there is no ORDER BY, and partitions come one after the other.
  size_t columns = 0;

  // Errors (0x2200) as Cassandra's.
  static cql::Result<SelectOrder> make(const std::vector<cql::Ordering>& order_by,
                                       const Table& table, const SelectWhere& where);
};

}  // namespace cqlperf::server
