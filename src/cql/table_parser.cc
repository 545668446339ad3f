#include "cql/table_parser.h"

#include <utility>

#include <fmt/format.h>

#include "cql/clause_parser.h"
#include "cql/type_parser.h"

namespace cqlperf::cql {
namespace {

ColumnDefinition parse_column_definition(ParserState& state) {
  ColumnDefinition column;
  column.position = state.current().position;
  column.name = state.take_name();
  column.type = parse_column_type(state);
  column.is_static = state.accept_word("static");
  if (state.at_word("masked")) state.fail_unsupported(state.current().position, "a masked column");
  return column;
}

void check_single_key(ParserState& state, const CreateTable& create) {
  if (create.partition_key.empty()) return;
  state.fail_invalid(
      fmt::format("{} Multiple PRIMARY KEY specified for table '{}' (exactly one "
                  "required)",
                  state.current().position.to_string(), create.name.table));
}

// `PRIMARY KEY (a, b)` or `PRIMARY KEY ((a, b), c)`.
void parse_primary_key(ParserState& state, CreateTable& create) {
  check_single_key(state, create);
  state.expect_word("primary");
  state.expect_word("key");
  state.expect_symbol("(");
  if (state.accept_symbol("(")) {
    create.partition_key = parse_names(state, ")");
  } else {
    create.partition_key = {state.take_name()};
  }
  if (state.accept_comma()) {
    create.clustering_key = parse_names(state, ")");
  } else {
    state.expect_symbol(")");
  }
}

void parse_table_column(ParserState& state, CreateTable& create) {
  if (state.at_word("primary")) return parse_primary_key(state, create);
  ColumnDefinition column = parse_column_definition(state);
  if (state.at_word("primary")) {
    check_single_key(state, create);
    state.take();
    state.expect_word("key");
    create.partition_key = {column.name};
  }
  create.columns.push_back(std::move(column));
}

// Cassandra takes empty places between the commas, but not before the first.
void parse_table_columns(ParserState& state, CreateTable& create) {
  state.expect_symbol("(");
  parse_table_column(state, create);
  while (state.accept_comma()) {
    if (!state.at_symbol(",") && !state.at_symbol(")")) parse_table_column(state, create);
  }
  state.expect_symbol(")");
}

void parse_clustering_order(ParserState& state, CreateTable& create) {
  state.expect_word("by");
  state.expect_symbol("(");
  do {
    std::string column = state.take_name();
    if (!state.at_word("asc") && !state.at_word("desc")) state.fail_expecting("ASC or DESC");
    create.clustering_order.emplace_back(std::move(column), parse_descending(state));
  } while (state.accept_comma());
  state.expect_symbol(")");
}

void parse_table_option(ParserState& state, CreateTable& create) {
  if (state.accept_words("clustering", "order")) {
    parse_clustering_order(state, create);
  } else if (state.accept_words("compact", "storage")) {
    create.compact_storage = true;
  } else {
    parse_option(state, create.options);
  }
}

void parse_added_columns(ParserState& state, AlterTable& alter) {
  alter.add_if_not_exists = parse_if_not_exists(state);
  if (!state.accept_symbol("(")) {
    alter.added.push_back(parse_column_definition(state));
    return;
  }
  do alter.added.push_back(parse_column_definition(state));
  while (state.accept_comma());
  state.expect_symbol(")");
}

}  // namespace

CreateTable parse_create_table(ParserState& state) {
  CreateTable create;
  create.if_not_exists = parse_if_not_exists(state);
  create.name = parse_table_name(state);
  parse_table_columns(state, create);
  if (state.accept_word("with")) {
    do parse_table_option(state, create);
    while (state.accept_word("and"));
  }
  return create;
}

AlterTable parse_alter_table(ParserState& state) {
  AlterTable alter;
  alter.if_exists = parse_if_exists(state);
  alter.name = parse_table_name(state);
  const Token action = state.current();
  if (state.accept_word("add")) {
    parse_added_columns(state, alter);
  } else if (state.accept_word("with")) {
    parse_options(state, alter.options);
  } else if (action.is_word("drop") || action.is_word("rename") || action.is_word("alter")) {
    state.fail_unsupported(action.position,
                           fmt::format("ALTER TABLE … {}", upper_case(action.text)));
  } else {
    state.fail_here();
  }
  return alter;
}

}  // namespace cqlperf::cql
