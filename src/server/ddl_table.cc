#include "server/ddl_table.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "protocol/uuid.h"
#include "server/ddl_columns.h"
#include "server/ddl_names.h"
#include "server/ddl_properties.h"
#include "server/table_options.h"

namespace cqlperf::server {
namespace {

using Error = std::unexpected<protocol::ErrorMessage>;

constexpr size_t kTableNameMax = 222;
// Cells name their column with 16 bits; ids are never used again.
constexpr size_t kColumnsMax = 65'000;

std::string table_resource(std::string_view keyspace, std::string_view table) {
  return fmt::format("<table {}.{}>", keyspace, table);
}

// What is wrong with the statement itself; Cassandra finds it before it looks at the schema.
cql::Status check_declaration(const cql::CreateTable& statement, std::string_view keyspace) {
  const std::string& table = statement.name.table;
  std::set<std::string_view> seen;
  for (const cql::ColumnDefinition& column : statement.columns) {
    if (seen.insert(column.name).second) continue;
    return cql::invalid(fmt::format("Duplicate column '{}' declaration for table '{}.{}'",
                                    column.name, keyspace, table));
  }
  if (statement.partition_key.empty()) {
    return cql::invalid(fmt::format(
        "No PRIMARY KEY specifed for table '{}.{}' (exactly one required)", keyspace, table));
  }
  seen.clear();
  for (const auto& [column, descending] : statement.clustering_order) {
    if (seen.insert(column).second) continue;
    return cql::invalid(
        fmt::format("Duplicate column '{}' in CLUSTERING ORDER BY clause for table '{}.{}'", column,
                    keyspace, table));
  }
  return {};
}

cql::Status check_table_name(std::string_view keyspace, std::string_view table) {
  if (!is_word(table)) {
    return config_error(
        fmt::format("{}.{}: Table name must not be empty or not contain "
                    "non-alphanumeric-underscore characters (got \"{}\")",
                    keyspace, table, table));
  }
  if (table.size() <= kTableNameMax) return {};
  return config_error(
      fmt::format("{}.{}: Table name must not be more than {} characters long (got {} characters "
                  "for \"{}\")",
                  keyspace, table, kTableNameMax, table.size(), table));
}

cql::Status check_counter_options(bool is_counter, const TableOptions& options) {
  if (!is_counter || options.default_ttl_s == 0) return {};
  return cql::invalid("Cannot set default_time_to_live on a table with counters");
}

cql::Status check_column_count(const Table& table, size_t added) {
  if (table.columns.size() + added <= kColumnsMax && table.next_storage_id + added <= kColumnsMax) {
    return {};
  }
  return cql::invalid(
      fmt::format("A table can have, and have had, at most {} columns", kColumnsMax));
}

// Only the form that Thrift sees as rows of named columns; the others are laid out otherwise.
cql::Status check_compact(const cql::CreateTable& statement) {
  if (!statement.compact_storage) return {};
  if (!statement.clustering_key.empty() || statement.partition_key.size() != 1)
    return cql::invalid(
        "COMPACT STORAGE is supported by this server only for a partition key of one column and no "
        "clustering key");
  if (statement.columns.size() > 1) return {};
  return cql::invalid("No definition found that is not part of the PRIMARY KEY");
}

// Leveled compaction has a Bloom filter of its own.
void default_bloom_filter(const cql::Options& with, TableOptions& options) {
  if (Properties(with).has("bloom_filter_fp_chance")) return;
  if (options.maps["compaction"]["class"].ends_with(".LeveledCompactionStrategy"))
    options.scalars["bloom_filter_fp_chance"] = "0.1";
}

cql::Result<Table> build_table(const cql::CreateTable& statement, const std::string& keyspace,
                               TableOptions options) {
  if (auto status = check_table_option_names(statement.options); !status)
    return Error(std::move(status.error()));
  if (auto status = check_table_options(options); !status) return Error(std::move(status.error()));
  auto id = table_id_option(statement.options);
  if (!id) return Error(std::move(id.error()));
  auto table = make_table_columns(statement, keyspace);
  if (!table) return table;
  cql::Status status = check_counter_options(table->is_counter, options);
  if (status) status = check_table_name(keyspace, statement.name.table);
  if (status) status = check_compact(statement);
  if (!status) return Error(std::move(status.error()));
  table->keyspace = keyspace;
  table->name = statement.name.table;
  table->is_compact = statement.compact_storage;
  table->id = id->value_or(protocol::random_uuid());
  table->options = std::move(options);
  return table;
}

cql::Status check_added(const Table& table, const cql::ColumnDefinition& column) {
  if (auto status = check_column(column, table.keyspace); !status) return status;
  if (column.is_static) {
    if (table.clustering_key_size > 0) {
      return cql::unsupported(column.position, "a static column");
    }
    return cql::invalid(
        "Static columns are only useful (and thus allowed) if the table has at least one "
        "clustering column");
  }
  const bool is_counter = column.type.id == protocol::TypeId::kCounter;
  if (is_counter == table.is_counter) return {};
  return config_error(fmt::format(
      "{}.{}: Cannot have a {}counter column (\"{}\") in a {}counter table", table.keyspace,
      table.name, is_counter ? "" : "non ", column.name, table.is_counter ? "" : "non "));
}

// Adds what ALTER TABLE ADD names; false when all is there already.
cql::Result<bool> add_columns(const cql::AlterTable& statement, Table& table) {
  if (auto status = check_column_count(table, statement.added.size()); !status)
    return Error(std::move(status.error()));
  bool changed = false;
  for (const cql::ColumnDefinition& column : statement.added) {
    if (table.find(column.name) != nullptr) {
      if (statement.add_if_not_exists) continue;
      return cql::invalid(fmt::format("Column with name '{}' already exists", column.name));
    }
    if (auto status = check_added(table, column); !status) return Error(std::move(status.error()));
    add_regular_column(table, column);
    changed = true;
  }
  return changed;
}

cql::Status check_unchanged_id(const cql::Options& with, const Table& table) {
  auto id = table_id_option(with);
  if (!id) return Error(std::move(id.error()));
  if (!*id || **id == table.id) return {};
  return config_error("Cannot alter table id.");
}

bool same_options(const TableOptions& left, const TableOptions& right) {
  return left.comment == right.comment && left.default_ttl_s == right.default_ttl_s &&
         left.scalars == right.scalars && left.maps == right.maps;
}

// False when all is so already. `options` were read from the statement.
cql::Result<bool> change_options(const cql::AlterTable& statement, TableOptions options,
                                 Table& table) {
  cql::Status status = check_table_option_names(statement.options);
  if (status) status = check_unchanged_id(statement.options, table);
  if (status) status = check_counter_options(table.is_counter, options);
  if (status) status = check_table_options(options);
  if (!status) return Error(std::move(status.error()));
  const bool changed = !same_options(options, table.options);
  table.options = std::move(options);
  return changed;
}

}  // namespace

cql::Result<std::optional<Table>> plan_create_table(const cql::CreateTable& statement,
                                                    const Schema& schema,
                                                    const std::string& current) {
  const std::string& name = statement.name.table;
  auto keyspace = keyspace_of(statement.name, current);
  if (!keyspace) return Error(std::move(keyspace.error()));
  cql::Status status = check_declaration(statement, *keyspace);
  if (status) {
    status = check_may_change(schema, *keyspace, DdlAction::kCreate,
                              fmt::format("<all tables in {}>", *keyspace));
  }
  if (!status) return Error(std::move(status.error()));
  auto options = apply_table_options(statement.options, default_table_options());
  if (!options) return Error(std::move(options.error()));
  default_bloom_filter(statement.options, *options);
  if (schema.find_keyspace(*keyspace) == nullptr) return no_keyspace(*keyspace);
  if (schema.find_table(*keyspace, name) != nullptr) {
    if (statement.if_not_exists) return std::nullopt;
    return already_exists(
        fmt::format("Cannot add already existing table \"{}\" to keyspace \"{}\"", name, *keyspace),
        *keyspace, name);
  }
  if (auto count = check_column_count({}, statement.columns.size()); !count)
    return Error(std::move(count.error()));
  return build_table(statement, *keyspace, std::move(*options));
}

cql::Result<std::optional<Table>> plan_alter_table(const cql::AlterTable& statement,
                                                   const Schema& schema,
                                                   const std::string& current) {
  const std::string& name = statement.name.table;
  auto keyspace = keyspace_of(statement.name, current);
  if (!keyspace) return Error(std::move(keyspace.error()));
  if (auto status =
          check_may_change(schema, *keyspace, DdlAction::kAlter, table_resource(*keyspace, name));
      !status) {
    return Error(std::move(status.error()));
  }
  const TablePtr found = schema.find_table(*keyspace, name);
  if (found == nullptr) {
    if (statement.if_exists) return std::nullopt;
    return no_table(*keyspace, name);
  }
  Table table = *found;
  cql::Result<bool> changed = false;
  if (!statement.added.empty()) {
    changed = add_columns(statement, table);
  } else {
    auto options = apply_table_options(statement.options, found->options);
    if (!options) return Error(std::move(options.error()));
    changed = change_options(statement, std::move(*options), table);
  }
  if (!changed) return Error(std::move(changed.error()));
  if (!*changed) return std::nullopt;
  return table;
}

cql::Result<TablePtr> plan_drop_table(const cql::DropTable& statement, const Schema& schema,
                                      const std::string& current) {
  const std::string& name = statement.name.table;
  auto keyspace = keyspace_of(statement.name, current);
  if (!keyspace) return Error(std::move(keyspace.error()));
  if (auto status =
          check_may_change(schema, *keyspace, DdlAction::kDrop, table_resource(*keyspace, name));
      !status) {
    return Error(std::move(status.error()));
  }
  if (TablePtr table = schema.find_table(*keyspace, name)) return table;
  if (statement.if_exists) return nullptr;
  return no_table(*keyspace, name);
}

cql::Result<TablePtr> plan_truncate(const cql::Truncate& statement, const Schema& schema,
                                    const std::string& current) {
  const std::string& name = statement.name.table;
  auto keyspace = keyspace_of(statement.name, current);
  if (!keyspace) return Error(std::move(keyspace.error()));
  if (schema.find_keyspace(*keyspace) == nullptr)
    return cql::invalid(fmt::format("keyspace {} does not exist", *keyspace));
  TablePtr table = schema.find_table(*keyspace, name);
  if (table == nullptr) return cql::invalid(fmt::format("table {} does not exist", name));
  if (table->system == SystemTable::kNone) return table;
  // Rows that are made from the schema and the node cannot go.
  const bool is_empty = table->system == SystemTable::kEmpty ||
                        table->system == SystemTable::kPeers ||
                        table->system == SystemTable::kPeersV2;
  if (is_empty) return nullptr;
  return cql::invalid(fmt::format("Truncation is not supported by table {}.{}", *keyspace, name));
}

}  // namespace cqlperf::server
