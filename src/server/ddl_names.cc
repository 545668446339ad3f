#include "server/ddl_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "server/ddl_properties.h"

namespace cqlperf::server {
namespace {

// Cassandra keeps these to itself on each node; it looks at the name alone.
constexpr auto kLocalKeyspaces = std::to_array<std::string_view>(
    {"system", "system_schema", "system_views", "system_virtual_schema"});

std::string_view action_name(DdlAction action) {
  switch (action) {
    case DdlAction::kCreate:
      return "CREATE";
    case DdlAction::kAlter:
      return "ALTER";
    case DdlAction::kDrop:
      break;
  }
  return "DROP";
}

}  // namespace

cql::Result<std::string> keyspace_of(const cql::TableName& name, const std::string& current) {
  if (!name.keyspace.empty()) return name.keyspace;
  if (!current.empty()) return current;
  return cql::invalid(
      "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
}

bool is_local_keyspace(std::string_view keyspace) {
  return std::ranges::find(kLocalKeyspaces, to_lower(keyspace)) != kLocalKeyspaces.end();
}

cql::Status check_may_change(const Schema& schema, std::string_view keyspace, DdlAction action,
                             std::string_view resource) {
  using protocol::ErrorCode;
  if (is_local_keyspace(keyspace)) {
    return cql::fail(ErrorCode::kUnauthorized,
                     fmt::format("{} keyspace is not user-modifiable.", keyspace));
  }
  const Keyspace* found = schema.find_keyspace(keyspace);
  if (found == nullptr || !found->is_system) return {};
  return cql::fail(ErrorCode::kUnauthorized,
                   fmt::format("Cannot {} {}", action_name(action), resource));
}

std::unexpected<protocol::ErrorMessage> no_keyspace(std::string_view keyspace) {
  return cql::invalid(fmt::format("Keyspace '{}' doesn't exist", keyspace));
}

std::unexpected<protocol::ErrorMessage> no_table(std::string_view keyspace,
                                                 std::string_view table) {
  return cql::invalid(fmt::format("Table '{}.{}' doesn't exist", keyspace, table));
}

std::unexpected<protocol::ErrorMessage> already_exists(std::string message, std::string keyspace,
                                                       std::string table) {
  protocol::ErrorMessage error;
  error.code = static_cast<int32_t>(protocol::ErrorCode::kAlreadyExists);
  error.message = std::move(message);
  error.details = protocol::AlreadyExistsDetails{std::move(keyspace), std::move(table)};
  return std::unexpected(std::move(error));
}

}  // namespace cqlperf::server
