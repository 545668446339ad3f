#pragma once

#include <optional>
#include <string>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/schema.h"

namespace cqlperf::server {

// What table statements come to, with Cassandra's errors. Pure: the schema is not changed, no store
// is made. `current` is the connection's keyspace. std::nullopt and nullptr: the statement changes
// nothing, and is no error.

// The new table: with an id, without a store.
cql::Result<std::optional<Table>> plan_create_table(const cql::CreateTable& statement,
                                                    const Schema& schema,
                                                    const std::string& current);
// The table as it is to be; its store is the one that it has.
cql::Result<std::optional<Table>> plan_alter_table(const cql::AlterTable& statement,
                                                   const Schema& schema,
                                                   const std::string& current);
// The table that goes.
cql::Result<TablePtr> plan_drop_table(const cql::DropTable& statement, const Schema& schema,
                                      const std::string& current);
// The table that is to be emptied; nullptr for a system table that never has rows.
cql::Result<TablePtr> plan_truncate(const cql::Truncate& statement, const Schema& schema,
                                    const std::string& current);

}  // namespace cqlperf::server
