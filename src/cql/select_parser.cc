#include <utility>

#include "cql/clause_parser.h"
#include "cql/selector_text.h"
#include "cql/statement_parsers.h"
#include "cql/term_parser.h"

namespace cqlperf::cql {
namespace {

// JSON and DISTINCT may be columns, too: then what follows is not the start of a selection.
bool accept_modifier(ParserState& state, std::string_view word) {
  if (!state.at_word(word)) return false;
  const Token& after = state.peek();
  if (after.is_word("from") || after.is_word("as")) return false;
  for (const std::string_view sign : {",", "(", "[", "."}) {
    if (after.is_symbol(sign)) return false;
  }
  state.take();
  return true;
}

// count(*) and count(1).
bool accept_count_star(ParserState& state) {
  if (!state.at_word("count") || !state.peek(1).is_symbol("(")) return false;
  const Token& counted = state.peek(2);
  const bool is_one = counted.kind == Token::Kind::kInteger && counted.text == "1";
  if (!counted.is_symbol("*") && !is_one) return false;
  state.take();
  state.take();
  state.take();
  state.expect_symbol(")");
  return true;
}

Selector parse_selector(ParserState& state) {
  Selector selector;
  const Position position = state.current().position;
  selector.star = accept_count_star(state);
  if (selector.star) {
    selector.expression.kind = Term::Kind::kFunction;
    selector.expression.text = "count";
    selector.expression.position = position;
    selector.text = "count";
  } else {
    selector.expression = parse_term(state, TermScope::kSelection);
    if (state.ok()) selector.text = selector_text(selector.expression, state.markers());
  }
  if (state.accept_word("as")) selector.alias = state.take_name();
  return selector;
}

std::vector<Selector> parse_selection(ParserState& state) {
  std::vector<Selector> selectors;
  if (state.accept_symbol("*")) return selectors;
  do selectors.push_back(parse_selector(state));
  while (state.accept_comma());
  return selectors;
}

std::string parse_grouping(ParserState& state) {
  if (state.peek().is_symbol("("))
    state.fail_unsupported(state.current().position, "GROUP BY of a function");
  return state.take_name();
}

Ordering parse_ordering(ParserState& state) {
  Ordering ordering;
  ordering.column = state.take_name();
  if (state.at_word("ann")) state.fail_unsupported(state.current().position, "ANN OF");
  ordering.descending = parse_descending(state);
  return ordering;
}

void parse_grouping_and_order(ParserState& state, Select& select) {
  if (state.accept_word("group")) {
    state.expect_word("by");
    do select.group_by.push_back(parse_grouping(state));
    while (state.accept_comma());
  }
  if (state.accept_word("order")) {
    state.expect_word("by");
    do select.order_by.push_back(parse_ordering(state));
    while (state.accept_comma());
  }
}

void parse_limits(ParserState& state, Select& select) {
  if (state.accept_word("per")) {
    state.expect_word("partition");
    state.expect_word("limit");
    select.per_partition_limit = parse_integer(state);
  }
  if (state.accept_word("limit")) select.limit = parse_integer(state);
}

// What comes last; all but ALLOW FILTERING is ScyllaDB's, and without effect.
void parse_extras(ParserState& state, Select& select) {
  if (state.accept_word("allow")) {
    state.expect_word("filtering");
    select.allow_filtering = true;
  }
  if (state.accept_word("bypass")) state.expect_word("cache");
  if (state.accept_word("using")) parse_timeout(state);
}

}  // namespace

Select parse_select(ParserState& state) {
  Select select;
  state.expect_word("select");
  select.json = accept_modifier(state, "json");
  select.distinct = accept_modifier(state, "distinct");
  select.selectors = parse_selection(state);
  state.expect_word("from");
  select.table = parse_table_name(state);
  if (state.at_word("where")) select.where = parse_where(state);
  parse_grouping_and_order(state, select);
  parse_limits(state, select);
  parse_extras(state, select);
  return select;
}

}  // namespace cqlperf::cql
