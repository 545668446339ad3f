#include "protocol/identifiers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

// The words that Cassandra or ScyllaDB do not take as names without quotes.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"add",    "allow",       "alter",  "and",          "apply",    "asc",      "authorize",
     "batch",  "begin",       "by",     "columnfamily", "create",   "default",  "delete",
     "desc",   "describe",    "drop",   "entries",      "execute",  "from",     "full",
     "grant",  "if",          "in",     "index",        "infinity", "insert",   "into",
     "is",     "keyspace",    "limit",  "materialized", "mbean",    "mbeans",   "modify",
     "nan",    "norecursive", "not",    "null",         "of",       "on",       "or",
     "order",  "primary",     "rename", "replace",      "revoke",   "schema",   "select",
     "set",    "table",       "to",     "token",        "truncate", "unlogged", "unset",
     "update", "use",         "using",  "view",         "where",    "with"});

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word_character(char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; }
bool is_name_character(char c) { return is_word_character(c) || (c >= 'A' && c <= 'Z'); }

bool is_bare(std::string_view name) {
  return !name.empty() && is_lower(name[0]) && std::ranges::all_of(name, is_word_character) &&
         std::ranges::find(kReserved, name) == kReserved.end();
}

}  // namespace

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
