#pragma once

#include <vector>

#include "cql/parser_state.h"

namespace cqlperf::cql {

// The functions of the parser that read values. On failure the state has it and the result is worth
// nothing; so it is with all functions that take a ParserState.

enum class TermScope : uint8_t {
  kValue,      // what a statement stores or compares with: no columns
  kSelection,  // what SELECT names: columns and their functions, no collections
};

// A literal, marker, function, or collection of such. `(x)` is x. Arithmetic, casts, type hints,
// literals of user types and functions outside of `system` are refused.
Term parse_term(ParserState& state, TermScope scope);

// Terms with commas between, up to and with `closing`; maybe none.
std::vector<Term> parse_terms(ParserState& state, std::string_view closing, TermScope scope);

// `(1, ?)`, also with one item.
Term parse_tuple(ParserState& state);

bool at_marker(const ParserState& state);
Term parse_marker(ParserState& state);

// An integer or a marker, as LIMIT and USING take.
Term parse_integer(ParserState& state);

// A string or a marker, as INSERT JSON takes.
Term parse_string(ParserState& state);

// A literal without nesting, as properties take; and a map of such.
Term parse_constant(ParserState& state);
Term parse_constant_map(ParserState& state);

}  // namespace cqlperf::cql
