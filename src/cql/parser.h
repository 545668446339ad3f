#pragma once

#include <string_view>

#include "cql/statement.h"
#include "protocol/types.h"

namespace cqlperf::cql {

// Texts longer than this and nesting deeper than this are refused.
inline constexpr size_t kStatementSizeMax = size_t{160} << 20;  // bytes: a blob literal of 64 MiB
inline constexpr int kNestingMax = 64;

// Reads one statement; a `;` at its end is taken. Errors: 0x2000 with the place for what is not
// CQL; 0x2000 or 0x2200 with the place for CQL that this server does not have. Pure: no state, any
// thread. Linear in the size of the text.
Result<ParsedStatement> parse_statement(std::string_view text);

// Reads a type as CQL writes it: `frozen<map<text, int>>`.
Result<protocol::ColumnType> parse_type(std::string_view text);

}  // namespace cqlperf::cql
