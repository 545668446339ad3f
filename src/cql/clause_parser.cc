#include "cql/clause_parser.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cql/term_parser.h"

namespace cqlperf::cql {
namespace {

// More properties than any statement has.
constexpr size_t kOptionsMax = 256;

void parse_attribute(ParserState& state, Using& attributes) {
  if (state.accept_word("timestamp")) {
    attributes.timestamp = parse_integer(state);
  } else if (state.accept_word("ttl")) {
    attributes.ttl = parse_integer(state);
  } else if (state.at_word("timeout")) {
    parse_timeout(state);
  } else {
    state.fail_here();
  }
}

}  // namespace

TableName parse_table_name(ParserState& state) {
  TableName name;
  name.table = state.take_name();
  if (state.accept_symbol(".")) name.keyspace = std::exchange(name.table, state.take_name());
  return name;
}

std::vector<std::string> parse_names(ParserState& state, std::string_view closing) {
  std::vector<std::string> names;
  do names.push_back(state.take_name());
  while (state.accept_comma());
  state.expect_symbol(closing);
  return names;
}

Using parse_using(ParserState& state) {
  Using attributes;
  if (!state.accept_word("using")) return attributes;
  do parse_attribute(state, attributes);
  while (state.accept_word("and"));
  return attributes;
}

void parse_timeout(ParserState& state) {
  state.expect_word("timeout");
  if (at_marker(state))
    state.fail_unsupported(state.current().position, "a bind marker as TIMEOUT");
  if (state.current().kind != Token::Kind::kDuration) state.fail_expecting("a duration");
  state.take();
}

bool parse_if_exists(ParserState& state) {
  if (!state.accept_word("if")) return false;
  state.expect_word("exists");
  return true;
}

bool parse_if_not_exists(ParserState& state) {
  if (!state.accept_word("if")) return false;
  state.expect_word("not");
  state.expect_word("exists");
  return true;
}

void parse_option(ParserState& state, Options& options) {
  const Position position = state.current().position;
  std::string name = state.take_name();
  state.expect_symbol("=");
  Term value = state.at_symbol("{") ? parse_constant_map(state) : parse_constant(state);
  const auto same = [&name](const auto& option) { return option.first == name; };
  if (std::ranges::any_of(options, same))
    state.fail_syntax(position, fmt::format("Multiple definitions for property '{}'", name));
  if (options.size() == kOptionsMax)
    state.fail_invalid(
        fmt::format("{} more than {} properties", position.to_string(), kOptionsMax));
  options.emplace_back(std::move(name), std::move(value));
}

void parse_options(ParserState& state, Options& options) {
  do parse_option(state, options);
  while (state.accept_word("and"));
}

bool parse_descending(ParserState& state) {
  if (state.accept_word("desc")) return true;
  state.accept_word("asc");
  return false;
}

}  // namespace cqlperf::cql
