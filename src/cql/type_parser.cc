#include "cql/type_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cqlperf::cql {
namespace {

using protocol::ColumnType;
using protocol::TypeId;

std::optional<TypeId> native_type(std::string_view name) {
  using enum TypeId;
  static constexpr auto kNames = std::to_array<std::pair<std::string_view, TypeId>>(
      {{"ascii", kAscii},         {"bigint", kBigint},     {"blob", kBlob},
       {"boolean", kBoolean},     {"counter", kCounter},   {"date", kDate},
       {"decimal", kDecimal},     {"double", kDouble},     {"duration", kDuration},
       {"float", kFloat},         {"inet", kInet},         {"int", kInt},
       {"smallint", kSmallint},   {"text", kVarchar},      {"time", kTime},
       {"timestamp", kTimestamp}, {"timeuuid", kTimeuuid}, {"tinyint", kTinyint},
       {"uuid", kUuid},           {"varchar", kVarchar},   {"varint", kVarint}});
  const auto* const found =
      std::ranges::find(kNames, name, [](const auto& entry) { return entry.first; });
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

ColumnType parse_frozen(ParserState& state) {
  state.expect_symbol("<");
  const Position position = state.current().position;
  ColumnType type = parse_column_type(state);
  if (type.id < TypeId::kList && type.id != TypeId::kCustom) {
    state.fail_syntax(position, fmt::format("frozen<> is only allowed on collections, tuples and "
                                            "user-defined types (got {})",
                                            type.cql_name()));
  }
  state.expect_symbol(">");
  return type;
}

ColumnType parse_map(ParserState& state) {
  state.expect_symbol("<");
  ColumnType key = parse_column_type(state);
  state.expect_symbol(",");
  ColumnType value = parse_column_type(state);
  state.expect_symbol(">");
  return ColumnType::map_of(std::move(key), std::move(value));
}

ColumnType parse_elements(ParserState& state, TypeId id) {
  ColumnType type = ColumnType::of(id);
  state.expect_symbol("<");
  do type.nested.push_back(parse_column_type(state));
  while (id == TypeId::kTuple && state.accept_comma());
  state.expect_symbol(">");
  return type;
}

// A word that `<` follows.
ColumnType parse_parametric(ParserState& state) {
  const Token name = state.take();
  if (name.is_word("frozen")) return parse_frozen(state);
  if (name.is_word("map")) return parse_map(state);
  if (name.is_word("list")) return parse_elements(state, TypeId::kList);
  if (name.is_word("set")) return parse_elements(state, TypeId::kSet);
  if (name.is_word("tuple")) return parse_elements(state, TypeId::kTuple);
  if (name.is_word("vector")) {
    state.fail_unsupported(name.position, "the type vector");
  } else {
    state.fail_here();
  }
  return {};
}

ColumnType parse_user_type(ParserState& state) {
  ColumnType type = ColumnType::of(TypeId::kUdt);
  type.udt_name = state.take_name();
  if (state.accept_symbol(".")) type.udt_keyspace = std::exchange(type.udt_name, state.take_name());
  return type;
}

}  // namespace

ColumnType parse_column_type(ParserState& state) {
  const Nesting nesting(state);
  const Token& token = state.current();
  if (token.kind == Token::Kind::kString) {
    ColumnType type = ColumnType::of(TypeId::kCustom);
    type.custom_class = unquote(state.take());
    return type;
  }
  if (token.kind == Token::Kind::kWord) {
    if (state.peek().is_symbol("<")) return parse_parametric(state);
    const std::optional<TypeId> native = native_type(fold_case(token.text));
    if (native && !state.peek().is_symbol(".")) {
      state.take();
      return ColumnType::of(*native);
    }
  }
  return parse_user_type(state);
}

}  // namespace cqlperf::cql
