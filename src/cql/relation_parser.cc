#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cql/clause_parser.h"
#include "cql/term_parser.h"

namespace cqlperf::cql {
namespace {

std::optional<RelationOperator> comparison(const Token& token) {
  using enum RelationOperator;
  static constexpr auto kSigns =
      std::to_array<std::pair<std::string_view, RelationOperator>>({{"=", kEqual},
                                                                    {"!=", kNotEqual},
                                                                    {"<", kLess},
                                                                    {"<=", kLessEqual},
                                                                    {">", kGreater},
                                                                    {">=", kGreaterEqual}});
  if (token.kind != Token::Kind::kSymbol) return std::nullopt;
  const auto* const found =
      std::ranges::find(kSigns, token.text, [](const auto& entry) { return entry.first; });
  if (found == kSigns.end()) return std::nullopt;
  return found->second;
}

// Takes =, !=, <, <=, > or >=.
RelationOperator parse_comparison(ParserState& state) {
  const std::optional<RelationOperator> op = comparison(state.current());
  if (op) {
    state.take();
  } else {
    state.fail_here();
  }
  return op.value_or(RelationOperator::kEqual);
}

// `IN ?` or `IN (…)`, after IN, of one column.
void parse_in_values(ParserState& state, Relation& relation) {
  relation.op = RelationOperator::kIn;
  relation.in_marker = at_marker(state);
  if (relation.in_marker) {
    relation.values.push_back(parse_marker(state));
    return;
  }
  state.expect_symbol("(");
  relation.values = parse_terms(state, ")", TermScope::kValue);
}

// What follows `column` without a sign.
void parse_word_operator(ParserState& state, Relation& relation) {
  if (state.accept_word("in")) return parse_in_values(state, relation);
  if (state.accept_word("is")) {
    state.expect_word("not");
    state.expect_word("null");
    relation.op = RelationOperator::kIsNotNull;
    return;
  }
  if (state.accept_word("like")) {
    relation.op = RelationOperator::kLike;
  } else if (state.accept_word("contains")) {
    relation.op =
        state.accept_word("key") ? RelationOperator::kContainsKey : RelationOperator::kContains;
  } else {
    state.fail_here();
  }
  relation.values.push_back(parse_term(state, TermScope::kValue));
}

void parse_column_relation(ParserState& state, Relation& relation) {
  relation.columns.push_back(state.take_name());
  if (state.at_symbol("[")) {
    state.fail_unsupported(relation.position, "a condition on an element of a collection");
  } else if (comparison(state.current())) {
    relation.op = parse_comparison(state);
    relation.values.push_back(parse_term(state, TermScope::kValue));
  } else {
    parse_word_operator(state, relation);
  }
}

void parse_token_relation(ParserState& state, Relation& relation) {
  relation.left = Relation::Left::kToken;
  state.expect_symbol("(");
  relation.columns = parse_names(state, ")");
  relation.op = parse_comparison(state);
  relation.values.push_back(parse_term(state, TermScope::kValue));
}

// `(1, 2)` or a marker for one.
Term parse_tuple_or_marker(ParserState& state) {
  return at_marker(state) ? parse_marker(state) : parse_tuple(state);
}

// `IN ?`, `IN (?, ?)` or `IN ((1, 2), (3, 4))`, after IN.
void parse_tuple_in_values(ParserState& state, Relation& relation) {
  relation.op = RelationOperator::kIn;
  relation.in_marker = at_marker(state);
  if (relation.in_marker) {
    relation.values.push_back(parse_marker(state));
    return;
  }
  state.expect_symbol("(");
  if (state.accept_symbol(")")) return;
  const bool of_markers = at_marker(state);
  do {
    if (at_marker(state) != of_markers) state.fail_here();
    relation.values.push_back(parse_tuple_or_marker(state));
  } while (state.accept_comma());
  state.expect_symbol(")");
}

void parse_tuple_relation(ParserState& state, Relation& relation) {
  relation.left = Relation::Left::kTuple;
  state.expect_symbol("(");
  relation.columns = parse_names(state, ")");
  if (state.accept_word("in")) return parse_tuple_in_values(state, relation);
  relation.op = parse_comparison(state);
  relation.values.push_back(parse_tuple_or_marker(state));
}

// Whether `(` starts `(a, b)` and not a condition in parentheses.
bool at_tuple_of_names(ParserState& state) {
  return ParserState::is_name(state.peek(1)) &&
         (state.peek(2).is_symbol(",") || state.peek(2).is_symbol(")"));
}

Relation parse_relation(ParserState& state) {
  const Nesting nesting(state);
  Relation relation;
  relation.position = state.current().position;
  if (state.accept_word("token")) {
    parse_token_relation(state, relation);
  } else if (!state.at_symbol("(")) {
    parse_column_relation(state, relation);
  } else if (at_tuple_of_names(state)) {
    parse_tuple_relation(state, relation);
  } else {
    state.take();
    relation = parse_relation(state);
    state.expect_symbol(")");
  }
  return relation;
}

}  // namespace

std::vector<Relation> parse_where(ParserState& state) {
  std::vector<Relation> relations;
  state.expect_word("where");
  do relations.push_back(parse_relation(state));
  while (state.accept_word("and"));
  return relations;
}

}  // namespace cqlperf::cql
