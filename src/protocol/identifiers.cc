#include "protocol/identifiers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

// The words that Cassandra does not take as names without quotes.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"add",      "allow",    "alter",    "and",          "apply",    "asc",    "authorize",
     "batch",    "begin",    "by",       "columnfamily", "create",   "delete", "desc",
     "describe", "drop",     "entries",  "execute",      "false",    "from",   "full",
     "grant",    "if",       "in",       "index",        "infinity", "insert", "into",
     "is",       "keyspace", "limit",    "materialized", "modify",   "nan",    "norecursive",
     "not",      "null",     "of",       "on",           "or",       "order",  "primary",
     "rename",   "revoke",   "schema",   "select",       "set",      "table",  "to",
     "token",    "true",     "truncate", "unlogged",     "update",   "use",    "using",
     "view",     "where",    "with"});
static_assert(std::ranges::is_sorted(kReserved));
// The words that Cassandra takes, but puts in quotes itself, and other servers may not take.
constexpr auto kQuoted =
    std::to_array<std::string_view>({"default", "mbean", "mbeans", "replace", "unset"});

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word_character(char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; }
bool is_name_character(char c) { return is_word_character(c) || (c >= 'A' && c <= 'Z'); }

bool is_bare(std::string_view name) {
  return !name.empty() && is_lower(name[0]) && std::ranges::all_of(name, is_word_character) &&
         !is_reserved_word(name) && std::ranges::find(kQuoted, name) == kQuoted.end();
}

}  // namespace

bool is_reserved_word(std::string_view word) { return std::ranges::binary_search(kReserved, word); }

std::string identifier_to_cql(std::string_view name) {
  if (is_bare(name)) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string table_to_cql(std::string_view keyspace, std::string_view table) {
  return identifier_to_cql(keyspace) + '.' + identifier_to_cql(table);
}

core::Status check_schema_name(std::string_view what, std::string_view name) {
  constexpr size_t kNameMax = 48;
  if (!name.empty() && name.size() <= kNameMax && std::ranges::all_of(name, is_name_character))
    return {};
  return core::fail(core::ErrorCode::kUsage,
                    fmt::format("`{}` cannot be a {} name: it must be 1 to {} letters, digits or "
                                "underscores",
                                name, what, kNameMax));
}

}  // namespace cqlperf::protocol
