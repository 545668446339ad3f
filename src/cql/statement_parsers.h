#pragma once

#include "cql/parser_state.h"

namespace cqlperf::cql {

// The functions of the parser that read statements, each from its first word to its last one; the
// end of the text is the caller's.

Select parse_select(ParserState& state);

Insert parse_insert(ParserState& state);
Update parse_update(ParserState& state);
Delete parse_delete(ParserState& state);
Batch parse_batch(ParserState& state);

// CREATE, ALTER, DROP of what there is; all else is refused.
Statement parse_create(ParserState& state);
Statement parse_alter(ParserState& state);
Statement parse_drop(ParserState& state);

Truncate parse_truncate(ParserState& state);
Use parse_use(ParserState& state);

}  // namespace cqlperf::cql
