#pragma once

#include <string>

#include "server/schema.h"

namespace cqlperf::server {

// Schemas that differ from `schema` by one thing; the rest is shared. The version and generation
// are those of `schema`.

// With the keyspace in place of one of its name, if there is one.
Schema with_keyspace(const Schema& schema, Keyspace keyspace);
Schema without_keyspace(const Schema& schema, const std::string& keyspace);
// With the table in place of one of its name; its keyspace must be there.
Schema with_table(const Schema& schema, Table table);
Schema without_table(const Schema& schema, const Table& table);

}  // namespace cqlperf::server
