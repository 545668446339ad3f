#pragma once

#include <string_view>

#include "cql/statement.h"
#include "protocol/types.h"

namespace cqlperf::cql {

// `STRING`, `INTEGER`: what Cassandra calls a kind of literal.
std::string_view literal_kind_name(Term::Kind kind);

// Whether a scalar type takes literals of the kind at all. False for what is no literal, and for
// null.
bool literal_fits(Term::Kind kind, const protocol::ColumnType& type);

}  // namespace cqlperf::cql
