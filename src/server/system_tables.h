#pragma once

#include <optional>
#include <vector>

#include "protocol/strings.h"
#include "server/catalog.h"
#include "server/schema.h"

namespace cqlperf::server {

// The keyspaces system, system_schema, system_virtual_schema, system_auth and system_traces with
// the shapes of Cassandra 5.0, so that drivers find what they ask for.
std::vector<KeyspacePtr> make_system_keyspaces();

// One row: a value for each of the table's columns, in their order.
using SystemRow = std::vector<std::optional<protocol::Bytes>>;
// All rows of a system table, by partition and then in clustering order.
std::vector<SystemRow> system_rows(const Table& table, const Schema& schema,
                                   const NodeDescription& node);

}  // namespace cqlperf::server
