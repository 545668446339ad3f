#include "cql/statement.h"

#include <array>

namespace cqlperf::cql {

const char* relation_operator_name(RelationOperator op) {
  static constexpr auto kNames = std::to_array<const char*>(
      {"=", "!=", "<", "<=", ">", ">=", "IN", "CONTAINS", "CONTAINS KEY", "LIKE", "IS NOT NULL"});
  return kNames.at(static_cast<size_t>(op));
}

}  // namespace cqlperf::cql
