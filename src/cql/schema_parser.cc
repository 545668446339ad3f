#include <array>
#include <utility>

#include <fmt/format.h>

#include "cql/clause_parser.h"
#include "cql/statement_parsers.h"
#include "cql/table_parser.h"

namespace cqlperf::cql {
namespace {

// What Cassandra can CREATE, ALTER or DROP and this server cannot, by the first word.
constexpr auto kRefusedKinds =
    std::to_array<std::string_view>({"type", "function", "aggregate", "materialized", "trigger",
                                     "role", "user", "or", "identity", "service_level"});

// Fails: `verb` is not taken before the current word.
Statement refuse_kind(ParserState& state, Position position, std::string_view verb) {
  for (const std::string_view kind : kRefusedKinds) {
    if (!state.at_word(kind)) continue;
    state.fail_unsupported(position, fmt::format("{} {}", verb, upper_case(kind)));
  }
  state.fail_here();
  return {};
}

bool accept_keyspace(ParserState& state) {
  return state.accept_word("keyspace") || state.accept_word("schema");
}

bool accept_table(ParserState& state) {
  return state.accept_word("table") || state.accept_word("columnfamily");
}

CreateKeyspace parse_create_keyspace(ParserState& state) {
  CreateKeyspace create;
  create.if_not_exists = parse_if_not_exists(state);
  create.keyspace = state.take_name();
  state.expect_word("with");
  parse_options(state, create.options);
  return create;
}

AlterKeyspace parse_alter_keyspace(ParserState& state) {
  AlterKeyspace alter;
  alter.if_exists = parse_if_exists(state);
  alter.keyspace = state.take_name();
  state.expect_word("with");
  parse_options(state, alter.options);
  return alter;
}

void parse_indexed_column(ParserState& state, CreateIndex& create) {
  const Position position = state.current().position;
  if (state.at_symbol(")"))
    return state.fail_unsupported(position, "an index that does not name its column");
  if (state.peek().is_symbol("("))
    return state.fail_unsupported(position, "an index on a part of a collection");
  create.column = state.take_name();
  if (state.at_symbol(","))
    state.fail_unsupported(state.current().position, "an index on more than one column");
}

void parse_index_class(ParserState& state, CreateIndex& create, bool is_custom) {
  if (state.accept_word("using")) {
    if (state.current().kind != Token::Kind::kString) return state.fail_expecting("a string");
    create.custom_class = unquote(state.take());
  } else if (is_custom) {
    state.fail_with(fail(protocol::ErrorCode::kConfigError,
                         fmt::format("{} CREATE CUSTOM INDEX needs USING and the class of the "
                                     "index",
                                     create.position.to_string()))
                        .error());
  }
}

CreateIndex parse_create_index(ParserState& state, Position position, bool is_custom) {
  CreateIndex create;
  create.position = position;
  create.if_not_exists = parse_if_not_exists(state);
  if (!state.at_word("on")) create.index = state.take_name();
  state.expect_word("on");
  create.table = parse_table_name(state);
  state.expect_symbol("(");
  parse_indexed_column(state, create);
  state.expect_symbol(")");
  parse_index_class(state, create, is_custom);
  if (state.accept_word("with")) {
    parse_options(state, create.options);
    if (!create.custom_class) state.fail_invalid("Cannot specify options for a non-CUSTOM index");
  }
  return create;
}

}  // namespace

Statement parse_create(ParserState& state) {
  const Position position = state.current().position;
  state.expect_word("create");
  if (accept_keyspace(state)) return parse_create_keyspace(state);
  if (accept_table(state)) return parse_create_table(state);
  const bool is_custom = state.accept_word("custom");
  if (state.accept_word("index")) return parse_create_index(state, position, is_custom);
  return refuse_kind(state, position, "CREATE");
}

Statement parse_alter(ParserState& state) {
  const Position position = state.current().position;
  state.expect_word("alter");
  if (accept_keyspace(state)) return parse_alter_keyspace(state);
  if (accept_table(state)) return parse_alter_table(state);
  return refuse_kind(state, position, "ALTER");
}

Statement parse_drop(ParserState& state) {
  const Position position = state.current().position;
  state.expect_word("drop");
  if (accept_keyspace(state)) {
    const bool if_exists = parse_if_exists(state);
    return DropKeyspace{state.take_name(), if_exists};
  }
  if (accept_table(state)) {
    const bool if_exists = parse_if_exists(state);
    return DropTable{parse_table_name(state), if_exists};
  }
  if (state.accept_word("index")) {
    const bool if_exists = parse_if_exists(state);
    return DropIndex{parse_table_name(state), if_exists};
  }
  return refuse_kind(state, position, "DROP");
}

Truncate parse_truncate(ParserState& state) {
  state.expect_word("truncate");
  accept_table(state);
  Truncate truncate{parse_table_name(state)};
  if (state.accept_word("using")) parse_timeout(state);
  return truncate;
}

Use parse_use(ParserState& state) {
  state.expect_word("use");
  return {state.take_name()};
}

}  // namespace cqlperf::cql
