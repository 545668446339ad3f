#pragma once

#include <string>
#include <vector>

#include "cql/parser_state.h"

namespace cqlperf::cql {

// The functions of the parser that read what several statements have in common.

// `keyspace.table` or `table`.
TableName parse_table_name(ParserState& state);

// Names with commas between, up to and with `closing`; at least one.
std::vector<std::string> parse_names(ParserState& state, std::string_view closing);

// `WHERE` and its conditions.
std::vector<Relation> parse_where(ParserState& state);

// `USING …`, if there is one.
Using parse_using(ParserState& state);

// `TIMEOUT 500ms` of ScyllaDB, which is taken and left out.
void parse_timeout(ParserState& state);

// `IF EXISTS` or `IF NOT EXISTS` of schema statements, if it is there.
bool parse_if_exists(ParserState& state);
bool parse_if_not_exists(ParserState& state);

// `name = value`, where a value is a constant or a map of constants. Properties may come once.
void parse_option(ParserState& state, Options& options);
// `name = value AND …`.
void parse_options(ParserState& state, Options& options);

// ASC or DESC, if one is there. True for DESC.
bool parse_descending(ParserState& state);

}  // namespace cqlperf::cql
