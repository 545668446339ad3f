#pragma once

#include <string>
#include <string_view>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/schema.h"

namespace cqlperf::server {

// The keyspace that a statement means: its own, else the connection's; 0x2200 when there is none.
cql::Result<std::string> keyspace_of(const cql::TableName& name, const std::string& current);

// What a schema statement does, as authorization errors name it.
enum class DdlAction : uint8_t { kCreate, kAlter, kDrop };

// 0x2100 when the keyspace is one of the system's. `resource` is what the statement is about:
// `<table system_auth.roles>`.
cql::Status check_may_change(const Schema& schema, std::string_view keyspace, DdlAction action,
                             std::string_view resource);
// Whether the keyspace is this node's own, such as `system`, in either case.
bool is_local_keyspace(std::string_view keyspace);

// 0x2200 in the words of schema statements: `Keyspace 'x' doesn't exist`, `Table 'x.y' doesn't
// exist`.
[[nodiscard]] std::unexpected<protocol::ErrorMessage> no_keyspace(std::string_view keyspace);
[[nodiscard]] std::unexpected<protocol::ErrorMessage> no_table(std::string_view keyspace,
                                                               std::string_view table);
// 0x2400; `table` is empty for a keyspace.
[[nodiscard]] std::unexpected<protocol::ErrorMessage> already_exists(std::string message,
                                                                     std::string keyspace,
                                                                     std::string table);

}  // namespace cqlperf::server
