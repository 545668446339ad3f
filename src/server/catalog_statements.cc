#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "core/interrupt.h"
#include "server/catalog.h"
#include "server/ddl_index.h"
#include "server/ddl_keyspace.h"
#include "server/ddl_table.h"
#include "server/index_build.h"
#include "server/schema_edit.h"

namespace cqlperf::server {
namespace {

using protocol::SchemaChange;
using protocol::SchemaChangeType;
using protocol::SchemaTarget;
using Error = std::unexpected<protocol::ErrorMessage>;

Error storage_error(const core::Error& error) {
  return cql::fail(protocol::ErrorCode::kServerError,
                   fmt::format("the schema could not be changed: {}", error.message));
}

SchemaChange keyspace_change(SchemaChangeType type, const std::string& keyspace) {
  return {type, SchemaTarget::kKeyspace, keyspace, {}, {}};
}
SchemaChange table_change(SchemaChangeType type, const Table& table) {
  return {type, SchemaTarget::kTable, table.keyspace, table.name, {}};
}

std::vector<storage::StorePtr> stores_of(const Table& table) {
  std::vector<storage::StorePtr> stores;
  for (const Index& index : table.indexes) stores.push_back(index.store);
  stores.push_back(table.store);
  return stores;
}

Index& index_of(Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.indexes, name, &Index::name);
  CQLPERF_CHECK(found != table.indexes.end(), "an index that its table does not have");
  return *found;
}

// The table without one of its indexes.
Table without_index(const Table& table, const std::string& index) {
  Table changed = table;
  std::erase_if(changed.indexes, [&](const Index& other) { return other.name == index; });
  return changed;
}

}  // namespace

cql::Result<Catalog::Outcome> Catalog::publish(Schema changed, SchemaChange change,
                                               const std::vector<storage::StorePtr>& dropped) {
  // New stores stay when this fails: the change may be on disk all the same. If it is not, they are
  // orphans.
  if (auto status = publish(std::move(changed)); !status) return storage_error(status.error());
  if (listener_) listener_(change);
  drop_stores(dropped);
  return change;
}

cql::Result<Catalog::Outcome> Catalog::run(const cql::CreateKeyspace& statement,
                                           const std::string& /*keyspace*/) {
  auto plan = plan_create_keyspace(statement, *schema_, node_.data_center);
  if (!plan) return Error(std::move(plan.error()));
  if (!*plan) return protocol::VoidResult();
  return publish(with_keyspace(*schema_, std::move(**plan)),
                 keyspace_change(SchemaChangeType::kCreated, statement.keyspace));
}

cql::Result<Catalog::Outcome> Catalog::run(const cql::AlterKeyspace& statement,
                                           const std::string& /*keyspace*/) {
  auto plan = plan_alter_keyspace(statement, *schema_, node_.data_center);
  if (!plan) return Error(std::move(plan.error()));
  if (!*plan) return protocol::VoidResult();
  return publish(with_keyspace(*schema_, std::move(**plan)),
                 keyspace_change(SchemaChangeType::kUpdated, statement.keyspace));
}

cql::Result<Catalog::Outcome> Catalog::run(const cql::DropKeyspace& statement,
                                           const std::string& /*keyspace*/) {
  auto plan = plan_drop_keyspace(statement, *schema_);
  if (!plan) return Error(std::move(plan.error()));
  if (*plan == nullptr) return protocol::VoidResult();
  std::vector<storage::StorePtr> dropped;
  for (const auto& [name, table] : (*plan)->tables)
    std::ranges::move(stores_of(*table), std::back_inserter(dropped));
  return publish(without_keyspace(*schema_, statement.keyspace),
                 keyspace_change(SchemaChangeType::kDropped, statement.keyspace), dropped);
}

cql::Result<Catalog::Outcome> Catalog::run(const cql::CreateTable& statement,
                                           const std::string& keyspace) {
  auto plan = plan_create_table(statement, *schema_, keyspace);
  if (!plan) return Error(std::move(plan.error()));
  if (!*plan) return protocol::VoidResult();
  auto store = engine_.create_store();
  if (!store) return storage_error(store.error());
  Table& table = **plan;
  table.store = std::move(*store);
  SchemaChange change = table_change(SchemaChangeType::kCreated, table);
  return publish(with_table(*schema_, std::move(table)), std::move(change));
}

cql::Result<Catalog::Outcome> Catalog::run(const cql::AlterTable& statement,
                                           const std::string& keyspace) {
  auto plan = plan_alter_table(statement, *schema_, keyspace);
  if (!plan) return Error(std::move(plan.error()));
  if (!*plan) return protocol::VoidResult();
  SchemaChange change = table_change(SchemaChangeType::kUpdated, **plan);
  return publish(with_table(*schema_, std::move(**plan)), std::move(change));
}

cql::Result<Catalog::Outcome> Catalog::run(const cql::DropTable& statement,
                                           const std::string& keyspace) {
  auto plan = plan_drop_table(statement, *schema_, keyspace);
  if (!plan) return Error(std::move(plan.error()));
  if (*plan == nullptr) return protocol::VoidResult();
  const Table& table = **plan;
  return publish(without_table(*schema_, table), table_change(SchemaChangeType::kDropped, table),
                 stores_of(table));
}

// New, empty stores take the place of the old ones; these go when no write can reach them any more.
cql::Result<Catalog::Outcome> Catalog::run(const cql::Truncate& statement,
                                           const std::string& keyspace) {
  auto plan = plan_truncate(statement, *schema_, keyspace);
  if (!plan) return Error(std::move(plan.error()));
  if (*plan == nullptr) return protocol::VoidResult();
  const Table& old = **plan;
  Table table = old;
  std::vector<storage::StorePtr*> places = {&table.store};
  for (Index& index : table.indexes) places.push_back(&index.store);
  for (storage::StorePtr* place : places) {
    auto store = engine_.create_store();
    if (!store) return storage_error(store.error());
    *place = std::move(*store);
  }
  if (auto status = publish(with_table(*schema_, std::move(table))); !status)
    return storage_error(status.error());
  wait_for_readers_of_old_schemas();
  drop_stores(stores_of(old));
  return protocol::VoidResult();
}

cql::Result<Catalog::Outcome> Catalog::run(const cql::CreateIndex& statement,
                                           const std::string& keyspace) {
  auto plan = plan_create_index(statement, *schema_, keyspace);
  if (!plan) return Error(std::move(plan.error()));
  if (!*plan) return protocol::VoidResult();
  auto store = engine_.create_store();
  if (!store) return storage_error(store.error());
  Table table = *(*plan)->table;
  const std::string index = (*plan)->index.name;
  table.indexes.push_back(std::move((*plan)->index));
  table.indexes.back().store = std::move(*store);
  if (auto status = publish(with_table(*schema_, table)); !status)
    return storage_error(status.error());
  wait_for_readers_of_old_schemas();
  if (auto status = finish_index(table, index); !status) {
    forget_index(table, index);
    return storage_error(status.error());
  }
  const SchemaChange change = table_change(SchemaChangeType::kUpdated, table);
  if (listener_) listener_(change);
  return change;
}

cql::Result<Catalog::Outcome> Catalog::run(const cql::DropIndex& statement,
                                           const std::string& keyspace) {
  auto plan = plan_drop_index(statement, *schema_, keyspace);
  if (!plan) return Error(std::move(plan.error()));
  if (!*plan) return protocol::VoidResult();
  const auto& [table, index] = **plan;
  return publish(with_table(*schema_, without_index(*table, index.name)),
                 table_change(SchemaChangeType::kUpdated, *table), {index.store});
}

core::Status Catalog::finish_index(const Table& table, const std::string& index) {
  Table built = table;
  index_of(built, index).is_built = true;
  const auto must_stop = [this] { return stopping_.load() || core::interrupted(); };
  if (auto status = build_index(engine_, table, index_of(built, index), must_stop); !status)
    return status;
  return publish(with_table(*schema_, std::move(built)));
}

// If this fails too, the index is there, unbuilt, and is built when the catalog is opened the next
// time.
void Catalog::forget_index(const Table& table, const std::string& index) {
  Table copy = table;
  const storage::StorePtr store = index_of(copy, index).store;
  if (!publish(with_table(*schema_, without_index(table, index)))) return;
  wait_for_readers_of_old_schemas();
  drop_stores({store});
}

// Builds what a process that ended in CREATE INDEX left.
core::Status Catalog::finish_indexes() {
  const SchemaPtr found = schema();
  for (const auto& [keyspace_name, keyspace] : found->keyspaces) {
    for (const auto& [table_name, table] : keyspace->tables) {
      for (const Index& index : table->indexes) {
        if (index.is_built) continue;
        const TablePtr present = schema()->find_table(keyspace_name, table_name);
        if (auto status = finish_index(*present, index.name); !status) return status;
      }
    }
  }
  return {};
}

}  // namespace cqlperf::server
