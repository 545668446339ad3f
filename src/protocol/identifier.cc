#include "protocol/identifier.h"

#include <algorithm>

namespace cqlperf::protocol {
namespace {

// The words that CQL reserves in Cassandra 3.11 to 5.0 and ScyllaDB, sorted.
constexpr std::string_view kReserved[] = {
    "add",    "allow",       "alter",  "and",          "apply",    "asc",      "authorize",
    "batch",  "begin",       "by",     "columnfamily", "create",   "default",  "delete",
    "desc",   "describe",    "drop",   "entries",      "execute",  "from",     "full",
    "grant",  "if",          "in",     "index",        "infinity", "insert",   "into",
    "is",     "keyspace",    "limit",  "materialized", "mbean",    "mbeans",   "modify",
    "nan",    "norecursive", "not",    "null",         "of",       "on",       "or",
    "order",  "primary",     "rename", "replace",      "revoke",   "schema",   "select",
    "set",    "table",       "to",     "token",        "truncate", "unlogged", "unset",
    "update", "use",         "using",  "view",         "where",    "with"};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_plain(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

std::string quote_identifier(std::string_view name) {
  static_assert(std::ranges::is_sorted(kReserved));
  if (!name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_plain) &&
      !std::ranges::binary_search(kReserved, name)) {
    return std::string(name);
  }
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace cqlperf::protocol
