#pragma once

#include "cql/parser_state.h"
#include "protocol/types.h"

namespace cqlperf::cql {

// A type as CQL writes it. Names that are no native type are user-defined types, without fields;
// strings are custom classes; `frozen` leaves no trace. Vectors are refused.
protocol::ColumnType parse_column_type(ParserState& state);

}  // namespace cqlperf::cql
