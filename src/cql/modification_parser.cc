#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cql/clause_parser.h"
#include "cql/statement_parsers.h"
#include "cql/term_parser.h"

namespace cqlperf::cql {
namespace {

Condition parse_if_not_exists_condition(ParserState& state) {
  return parse_if_not_exists(state) ? Condition::kIfNotExists : Condition::kNone;
}

// IF EXISTS. Conditions on columns are refused.
Condition parse_condition(ParserState& state) {
  const Position position = state.current().position;
  if (!state.accept_word("if")) return Condition::kNone;
  const Token& after = state.peek();
  const bool is_compared = after.kind == Token::Kind::kSymbol && !after.is_symbol(";");
  if (state.at_word("exists") && !is_compared) {
    state.take();
    return Condition::kIfExists;
  }
  if (state.at_name()) {
    state.fail_unsupported(position, "a condition on a column after IF");
  } else {
    state.fail_here();
  }
  return Condition::kNone;
}

void parse_values(ParserState& state, Insert& insert) {
  state.expect_symbol("(");
  insert.columns = parse_names(state, ")");
  state.expect_word("values");
  const Position position = state.current().position;
  state.expect_symbol("(");
  insert.values = parse_terms(state, ")", TermScope::kValue);
  if (insert.columns.size() != insert.values.size()) {
    state.fail_invalid(fmt::format("Unmatched column names/values: {} columns, and {} values at {}",
                                   insert.columns.size(), insert.values.size(),
                                   position.to_string()));
  }
}

// What follows JSON.
void parse_json(ParserState& state, Insert& insert) {
  insert.json = parse_string(state);
  if (!state.accept_word("default")) return;
  insert.default_unset = state.accept_word("unset");
  if (!insert.default_unset && !state.accept_word("null")) state.fail_here();
}

// `column = column + term`, where the sign may also be a negative number's own.
void parse_difference(ParserState& state, Assignment& assignment) {
  const Token operand = state.current();
  const std::string name = state.take_name();
  const bool is_signed_number = state.current().kind == Token::Kind::kInteger;
  assignment.kind = state.at_symbol("-") ? Assignment::Kind::kSubtract : Assignment::Kind::kAdd;
  const char* sign = assignment.kind == Assignment::Kind::kAdd ? "+" : "-";
  if (!is_signed_number) state.expect_symbol(sign);
  if (name != assignment.column) {
    state.fail_syntax(
        operand.position,
        fmt::format("Only expressions of the form X = X {} <value> are supported", sign));
  }
  assignment.value = parse_term(state, TermScope::kValue);
}

// Whether the value starts with a column, and not with a constant, function or cast.
bool at_column(ParserState& state) {
  return state.at_name() && !state.peek().is_symbol("(") && !state.peek().is_symbol(".");
}

void parse_assigned(ParserState& state, Assignment& assignment) {
  if (state.accept_symbol("+=")) {
    assignment.kind = Assignment::Kind::kAdd;
  } else if (state.accept_symbol("-=")) {
    assignment.kind = Assignment::Kind::kSubtract;
  } else {
    state.expect_symbol("=");
    if (at_column(state)) return parse_difference(state, assignment);
  }
  assignment.value = parse_term(state, TermScope::kValue);
}

Assignment parse_assignment(ParserState& state) {
  Assignment assignment;
  assignment.position = state.current().position;
  assignment.column = state.take_name();
  if (state.at_symbol("[")) {
    state.fail_unsupported(assignment.position, "setting an element of a collection");
  } else if (state.at_symbol(".")) {
    state.fail_unsupported(assignment.position, "setting a field of a user-defined type");
  } else {
    parse_assigned(state, assignment);
  }
  return assignment;
}

// A column may be set once; amounts may be added to it as often as one likes.
void check_assignments(ParserState& state, const std::vector<Assignment>& assignments) {
  std::map<std::string_view, Assignment::Kind> kinds;
  for (const Assignment& assignment : assignments) {
    const auto [earlier, is_first] = kinds.emplace(assignment.column, assignment.kind);
    if (is_first) continue;
    if (earlier->second != Assignment::Kind::kSet && assignment.kind != Assignment::Kind::kSet)
      continue;
    state.fail_syntax(assignment.position,
                      fmt::format("Multiple incompatible setting of column {}", assignment.column));
    return;
  }
}

std::string parse_deleted_column(ParserState& state) {
  const Position position = state.current().position;
  std::string column = state.take_name();
  if (state.at_symbol("[")) state.fail_unsupported(position, "deleting an element of a collection");
  if (state.at_symbol("."))
    state.fail_unsupported(position, "deleting a field of a user-defined type");
  return column;
}

Batch::Kind parse_batch_kind(ParserState& state) {
  if (state.accept_word("unlogged")) return Batch::Kind::kUnlogged;
  if (state.accept_word("counter")) return Batch::Kind::kCounter;
  return Batch::Kind::kLogged;
}

void parse_batched(ParserState& state, Batch& batch) {
  while (state.ok()) {
    if (state.at_word("insert")) {
      batch.statements.emplace_back(parse_insert(state));
    } else if (state.at_word("update")) {
      batch.statements.emplace_back(parse_update(state));
    } else if (state.at_word("delete")) {
      batch.statements.emplace_back(parse_delete(state));
    } else {
      return;
    }
    state.accept_symbol(";");
  }
}

}  // namespace

Insert parse_insert(ParserState& state) {
  Insert insert;
  state.expect_word("insert");
  state.expect_word("into");
  insert.table = parse_table_name(state);
  if (state.accept_word("json")) {
    parse_json(state, insert);
  } else {
    parse_values(state, insert);
  }
  insert.condition = parse_if_not_exists_condition(state);
  insert.attributes = parse_using(state);
  return insert;
}

Update parse_update(ParserState& state) {
  Update update;
  state.expect_word("update");
  update.table = parse_table_name(state);
  update.attributes = parse_using(state);
  state.expect_word("set");
  do update.assignments.push_back(parse_assignment(state));
  while (state.accept_comma());
  check_assignments(state, update.assignments);
  update.where = parse_where(state);
  update.condition = parse_condition(state);
  return update;
}

Delete parse_delete(ParserState& state) {
  Delete statement;
  state.expect_word("delete");
  if (!state.at_word("from")) {
    do statement.columns.push_back(parse_deleted_column(state));
    while (state.accept_comma());
  }
  state.expect_word("from");
  statement.table = parse_table_name(state);
  const Token attributes = state.peek();
  statement.attributes = parse_using(state);
  if (statement.attributes.ttl)
    state.fail_syntax(attributes.position, "DELETE takes no TTL, only USING TIMESTAMP");
  statement.where = parse_where(state);
  statement.condition = parse_condition(state);
  return statement;
}

Batch parse_batch(ParserState& state) {
  Batch batch;
  state.expect_word("begin");
  batch.kind = parse_batch_kind(state);
  state.expect_word("batch");
  batch.attributes = parse_using(state);
  if (batch.attributes.ttl)
    state.fail_invalid("Global TTL on the BATCH statement is not supported.");
  parse_batched(state, batch);
  state.expect_word("apply");
  state.expect_word("batch");
  return batch;
}

}  // namespace cqlperf::cql
