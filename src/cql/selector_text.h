#pragma once

#include <string>

#include "cql/statement.h"

namespace cqlperf::cql {

// How Cassandra 5.0 names the column of a result that an expression without an alias gives: the
// column's name, `writetime(c)`, `system.token(a, b)`, `system.todate(system.now())`.
std::string selector_text(const Term& expression, const std::vector<Marker>& markers);

}  // namespace cqlperf::cql
