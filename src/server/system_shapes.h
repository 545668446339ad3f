#pragma once

#include <span>
#include <string_view>

#include "server/schema.h"

namespace cqlperf::server {

// A system table as Cassandra 5.0 has it.
struct SystemShape {
  std::string_view keyspace;
  std::string_view table;
  std::string_view id;  // Cassandra's, a hash of the names; empty for virtual tables
  std::string_view comment;
  SystemTable kind;
  // `name type` for each column, in the order of SELECT *, with `; ` between; the columns of the
  // partition key end in ` P`, those of the clustering key in ` C`.
  std::string_view columns;
};

// In the order of keyspaces; the tables of one keyspace are together.
std::span<const SystemShape> system_shapes();

}  // namespace cqlperf::server
