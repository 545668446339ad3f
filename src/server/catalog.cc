#include "server/catalog.h"

#include <set>
#include <type_traits>
#include <utility>

#include "core/check.h"
#include "core/clock.h"
#include "server/schema_codec.h"
#include "server/system_tables.h"

namespace cqlperf::server {

Catalog::Catalog(storage::Engine& engine, NodeDescription node)
    : engine_(engine), node_(std::move(node)) {
  node_.started_at_s = static_cast<int32_t>(core::wall_clock_ns() / core::kNanosPerSecond);
}

core::Result<std::unique_ptr<Catalog>> Catalog::open(storage::Engine& engine,
                                                     NodeDescription node) {
  std::unique_ptr<Catalog> catalog(new Catalog(engine, std::move(node)));
  core::Status status = catalog->load();
  if (status) status = catalog->drop_orphans();
  if (status) status = catalog->finish_indexes();
  if (!status) return std::unexpected(std::move(status.error()));
  return catalog;
}

// A new directory gets its format, host id and first schema version.
core::Status Catalog::load() {
  auto metadata = engine_.metadata();
  if (!metadata) return std::unexpected(std::move(metadata.error()));
  auto schema = read_schema(*metadata, engine_.stores());
  if (!schema) return std::unexpected(std::move(schema.error()));
  const auto host_id = metadata->find(kHostIdEntry);
  if (host_id == metadata->end()) {
    node_.host_id = protocol::random_uuid();
    schema->version = protocol::random_uuid();
    const storage::Engine::MetadataChanges first = {{kFormatEntry, std::string(kSchemaFormat)},
                                                    {kHostIdEntry, node_.host_id.to_string()},
                                                    {kVersionEntry, schema->version.to_string()}};
    if (auto status = engine_.change_metadata(first); !status) return status;
  } else {
    auto parsed = protocol::parse_uuid(host_id->second);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    node_.host_id = *parsed;
  }
  for (KeyspacePtr& keyspace : make_system_keyspaces())
    schema->keyspaces[keyspace->name] = std::move(keyspace);
  schema_ = std::make_shared<const Schema>(std::move(*schema));
  return {};
}

// Stores of no table: their statement did not come to its end.
core::Status Catalog::drop_orphans() const {
  std::set<uint64_t> used;
  for (const auto& [keyspace_name, keyspace] : schema_->keyspaces) {
    for (const auto& [table_name, table] : keyspace->tables) {
      if (table->store != nullptr) used.insert(table->store->id());
      for (const Index& index : table->indexes) used.insert(index.store->id());
    }
  }
  for (const auto& [id, store] : engine_.stores()) {
    if (used.contains(id)) continue;
    if (auto status = engine_.drop_store(store); !status) return status;
  }
  return {};
}

SchemaPtr Catalog::schema() const {
  const std::scoped_lock lock(schema_mutex_);
  return schema_;
}

cql::Result<Catalog::Outcome> Catalog::execute(const cql::Statement& statement,
                                               const std::string& keyspace) {
  const std::scoped_lock lock(change_mutex_);
  return std::visit(
      [&](const auto& of_kind) -> cql::Result<Outcome> {
        if constexpr (requires { run(of_kind, keyspace); }) {
          return run(of_kind, keyspace);
        } else {
          CQLPERF_CHECK(false, "a statement that does not change the schema");
        }
      },
      statement);
}

core::Status Catalog::publish(Schema changed) {
  const SchemaPtr present = schema();
  changed.version = protocol::random_uuid();
  changed.generation = present->generation + 1;
  if (auto status = engine_.change_metadata(metadata_changes(*present, changed)); !status)
    return status;
  auto next = std::make_shared<const Schema>(std::move(changed));
  const std::scoped_lock lock(schema_mutex_);
  schema_ = std::move(next);
  return {};
}

// What cannot be dropped now is an orphan, and goes when the catalog is opened the next time.
void Catalog::drop_stores(const std::vector<storage::StorePtr>& stores) const {
  for (const storage::StorePtr& store : stores) static_cast<void>(engine_.drop_store(store));
}

void Catalog::wait_for_readers_of_old_schemas() const {
  if (barrier_) barrier_();
}

}  // namespace cqlperf::server
