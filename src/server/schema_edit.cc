#include "server/schema_edit.h"

#include <memory>
#include <utility>

#include "core/check.h"

namespace cqlperf::server {
namespace {

Keyspace keyspace_of_table(const Schema& schema, const Table& table) {
  const Keyspace* keyspace = schema.find_keyspace(table.keyspace);
  CQLPERF_CHECK(keyspace != nullptr, "a table in a keyspace that is not there");
  return *keyspace;
}

}  // namespace

Schema with_keyspace(const Schema& schema, Keyspace keyspace) {
  Schema changed = schema;
  const std::string name = keyspace.name;
  changed.keyspaces[name] = std::make_shared<const Keyspace>(std::move(keyspace));
  return changed;
}

Schema without_keyspace(const Schema& schema, const std::string& keyspace) {
  Schema changed = schema;
  changed.keyspaces.erase(keyspace);
  return changed;
}

Schema with_table(const Schema& schema, Table table) {
  Keyspace keyspace = keyspace_of_table(schema, table);
  const std::string name = table.name;
  keyspace.tables[name] = std::make_shared<const Table>(std::move(table));
  return with_keyspace(schema, std::move(keyspace));
}

Schema without_table(const Schema& schema, const Table& table) {
  Keyspace keyspace = keyspace_of_table(schema, table);
  keyspace.tables.erase(table.name);
  return with_keyspace(schema, std::move(keyspace));
}

}  // namespace cqlperf::server
