#pragma once

#include <optional>
#include <string_view>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/schema.h"

namespace cqlperf::server {

// What keyspace statements come to, with Cassandra's errors. Pure: the schema is not changed.
// std::nullopt and nullptr: the statement changes nothing, and is no error.

// `data_center` is the only one that there is.
cql::Result<std::optional<Keyspace>> plan_create_keyspace(const cql::CreateKeyspace& statement,
                                                          const Schema& schema,
                                                          std::string_view data_center);
cql::Result<std::optional<Keyspace>> plan_alter_keyspace(const cql::AlterKeyspace& statement,
                                                         const Schema& schema,
                                                         std::string_view data_center);
// The keyspace that goes.
cql::Result<KeyspacePtr> plan_drop_keyspace(const cql::DropKeyspace& statement,
                                            const Schema& schema);

}  // namespace cqlperf::server
