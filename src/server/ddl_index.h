#pragma once

#include <optional>
#include <string>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/schema.h"

namespace cqlperf::server {

// What index statements come to, with Cassandra's errors. Pure: the schema is not changed.
// `current` is the connection's keyspace. std::nullopt: the statement changes nothing, and is no
// error.

struct IndexPlan {
  TablePtr table;
  Index index;  // of CREATE: without a store, not built
};
cql::Result<std::optional<IndexPlan>> plan_create_index(const cql::CreateIndex& statement,
                                                        const Schema& schema,
                                                        const std::string& current);
// The index that goes.
cql::Result<std::optional<IndexPlan>> plan_drop_index(const cql::DropIndex& statement,
                                                      const Schema& schema,
                                                      const std::string& current);

}  // namespace cqlperf::server
