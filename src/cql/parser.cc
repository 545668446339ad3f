#include "cql/parser.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "cql/parser_state.h"
#include "cql/statement_parsers.h"
#include "cql/type_parser.h"

namespace cqlperf::cql {
namespace {

// Statements that Cassandra or ScyllaDB have and this server has not, by the first word.
constexpr auto kRefused = std::to_array<std::string_view>(
    {"grant", "revoke", "list", "describe", "desc", "add", "prune"});

Statement refuse_statement(ParserState& state) {
  for (const std::string_view word : kRefused) {
    if (state.at_word(word)) state.fail_unsupported(state.current().position, upper_case(word));
  }
  state.fail_here();
  return {};
}

Statement parse_any(ParserState& state) {
  if (state.at_word("select")) return parse_select(state);
  if (state.at_word("insert")) return parse_insert(state);
  if (state.at_word("update")) return parse_update(state);
  if (state.at_word("delete")) return parse_delete(state);
  if (state.at_word("begin")) return parse_batch(state);
  if (state.at_word("create")) return parse_create(state);
  if (state.at_word("alter")) return parse_alter(state);
  if (state.at_word("drop")) return parse_drop(state);
  if (state.at_word("truncate")) return parse_truncate(state);
  if (state.at_word("use")) return parse_use(state);
  return refuse_statement(state);
}

// The text is neither too long nor other than UTF-8.
Status check_text(std::string_view text) {
  if (text.size() > kStatementSizeMax) {
    return invalid(fmt::format("a statement of {} bytes; at most {} are taken: bind large values",
                               text.size(), kStatementSizeMax));
  }
  const size_t valid = core::utf8_prefix(text);
  if (valid == text.size()) return {};
  return syntax_error({}, fmt::format("the statement is not UTF-8 from byte {} on", valid));
}

}  // namespace

Result<ParsedStatement> parse_statement(std::string_view text) {
  if (Status checked = check_text(text); !checked) return std::unexpected(checked.error());
  ParserState state(text);
  ParsedStatement parsed{parse_any(state), {}};
  while (state.accept_symbol(";")) continue;
  state.expect_end();
  if (!state.ok()) return std::unexpected(state.take_failure());
  parsed.markers = state.take_markers();
  parsed.token_count = state.token_count();
  return parsed;
}

Result<protocol::ColumnType> parse_type(std::string_view text) {
  if (Status checked = check_text(text); !checked) return std::unexpected(checked.error());
  ParserState state(text);
  protocol::ColumnType type = parse_column_type(state);
  state.expect_end();
  if (!state.ok()) return std::unexpected(state.take_failure());
  return type;
}

}  // namespace cqlperf::cql
