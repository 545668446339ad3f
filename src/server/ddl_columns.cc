#include "server/ddl_columns.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cql/values.h"

namespace cqlperf::server {
namespace {

using protocol::ColumnType;
using protocol::TypeId;
using Error = std::unexpected<protocol::ErrorMessage>;

bool is_type(const cql::ColumnDefinition& column, TypeId id) { return column.type.id == id; }

// The user types that a type names; none exists.
const ColumnType* find_user_type(const ColumnType& type) {
  if (type.id == TypeId::kUdt) return &type;
  for (const ColumnType& nested : type.nested) {
    if (const ColumnType* found = find_user_type(nested)) return found;
  }
  return nullptr;
}

const cql::ColumnDefinition* find_definition(const cql::CreateTable& statement,
                                             const std::string& name) {
  const auto found = std::ranges::find(statement.columns, name, &cql::ColumnDefinition::name);
  return found == statement.columns.end() ? nullptr : &*found;
}

cql::Status check_key_type(const cql::ColumnDefinition& column) {
  for (const TypeId id : {TypeId::kCounter, TypeId::kDuration}) {
    if (!is_type(column, id)) continue;
    return cql::invalid(fmt::format("{} type is not supported for PRIMARY KEY column '{}'",
                                    ColumnType::of(id).cql_name(), column.name));
  }
  if (!column.is_static) return {};
  return cql::invalid(
      fmt::format("Static column '{}' cannot be part of the PRIMARY KEY", column.name));
}

// The columns of the key in order, each declared, once, of a type that may be there.
cql::Result<std::vector<const cql::ColumnDefinition*>> key_definitions(
    const cql::CreateTable& statement) {
  std::vector<const cql::ColumnDefinition*> key;
  std::set<std::string> seen;
  std::vector<std::string> names = statement.partition_key;
  names.insert(names.end(), statement.clustering_key.begin(), statement.clustering_key.end());
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return cql::invalid(fmt::format("Duplicate column '{}' in PRIMARY KEY clause for table '{}'",
                                      name, statement.name.table));
    }
    const cql::ColumnDefinition* column = find_definition(statement, name);
    if (column == nullptr) {
      return cql::invalid(
          fmt::format("Unknown column '{}' referenced in PRIMARY KEY for table '{}'", name,
                      statement.name.table));
    }
    if (auto status = check_key_type(*column); !status) return Error(std::move(status.error()));
    key.push_back(column);
  }
  return key;
}

bool is_ordered(const cql::CreateTable& statement, const std::string& column) {
  return std::ranges::find(statement.clustering_order, column,
                           &std::pair<std::string, bool>::first) !=
         statement.clustering_order.end();
}

// CLUSTERING ORDER BY must name the first columns of the clustering key in their order.
cql::Status check_clustering_order(const cql::CreateTable& statement) {
  std::vector<std::string> strangers;
  for (const auto& [column, descending] : statement.clustering_order) {
    if (std::ranges::find(statement.clustering_key, column) == statement.clustering_key.end())
      strangers.push_back(column);
  }
  if (!strangers.empty()) {
    return cql::invalid(
        fmt::format("Only clustering key columns can be defined in CLUSTERING ORDER directive: "
                    "[{}] are not clustering columns",
                    fmt::join(strangers, ", ")));
  }
  for (size_t i = 0; i < statement.clustering_order.size(); ++i) {
    const std::string& column = statement.clustering_order[i].first;
    const std::string& wanted = statement.clustering_key[i];
    if (column == wanted) continue;
    if (!is_ordered(statement, wanted))
      return cql::invalid(fmt::format("Missing CLUSTERING ORDER for column {}", wanted));
    return cql::invalid(
        fmt::format("The order of columns in the CLUSTERING ORDER directive must match that of the "
                    "clustering columns ({} must appear before {})",
                    wanted, column));
  }
  return {};
}

cql::Status check_static(const cql::CreateTable& statement) {
  const auto found = std::ranges::find(statement.columns, true, &cql::ColumnDefinition::is_static);
  if (found == statement.columns.end()) return {};
  if (statement.clustering_key.empty()) {
    return cql::invalid(
        "Static columns are only useful (and thus allowed) if the table has at least one "
        "clustering column");
  }
  return cql::unsupported(found->position, "a static column");
}

cql::Status check_counters(const cql::CreateTable& statement, size_t key_size) {
  const auto counters = static_cast<size_t>(std::ranges::count_if(
      statement.columns,
      [](const cql::ColumnDefinition& column) { return is_type(column, TypeId::kCounter); }));
  if (counters == 0 || counters == statement.columns.size() - key_size) return {};
  return cql::invalid("Cannot mix counter and non counter columns in the same table");
}

Column key_column(const cql::ColumnDefinition& definition, size_t index,
                  const cql::CreateTable& statement) {
  const size_t partition_size = statement.partition_key.size();
  const bool is_partition = index < partition_size;
  const size_t position = is_partition ? index : index - partition_size;
  Column column;
  column.name = definition.name;
  column.type = definition.type;
  column.cql_type = definition.type.cql_name();
  column.kind = is_partition ? ColumnKind::kPartitionKey : ColumnKind::kClustering;
  column.position = static_cast<int>(position);
  if (!is_partition && position < statement.clustering_order.size())
    column.descending = statement.clustering_order[position].second;
  return column;
}

bool is_key(const cql::CreateTable& statement, const std::string& name) {
  return std::ranges::find(statement.partition_key, name) != statement.partition_key.end() ||
         std::ranges::find(statement.clustering_key, name) != statement.clustering_key.end();
}

Table build_columns(const cql::CreateTable& statement,
                    const std::vector<const cql::ColumnDefinition*>& key) {
  Table table;
  table.partition_key_size = statement.partition_key.size();
  table.clustering_key_size = statement.clustering_key.size();
  for (size_t i = 0; i < key.size(); ++i)
    table.columns.push_back(key_column(*key[i], i, statement));
  for (const cql::ColumnDefinition& definition : statement.columns) {
    if (is_key(statement, definition.name)) continue;
    table.is_counter = table.is_counter || is_type(definition, TypeId::kCounter);
    add_regular_column(table, definition);
  }
  return table;
}

}  // namespace

cql::Status check_column(const cql::ColumnDefinition& column, std::string_view keyspace) {
  if (column.name.size() > kColumnNameMax) {
    return cql::invalid(fmt::format("A column's name can have at most {} bytes (got {})",
                                    kColumnNameMax, column.name.size()));
  }
  if (const ColumnType* user = find_user_type(column.type)) {
    const std::string_view in = user->udt_keyspace.empty() ? keyspace : user->udt_keyspace;
    return cql::invalid(fmt::format("Unknown type {}.{}", in, user->udt_name));
  }
  if (cql::is_scalar(column.type)) return {};
  return cql::unsupported(column.position, fmt::format("the type {} of column {}",
                                                       column.type.cql_name(), column.name));
}

void add_regular_column(Table& table, const cql::ColumnDefinition& definition) {
  Column column;
  column.name = definition.name;
  column.type = definition.type;
  column.cql_type = definition.type.cql_name();
  column.storage_id = table.next_storage_id++;
  const auto first =
      table.columns.begin() +
      static_cast<std::ptrdiff_t>(table.columns.size() - table.regular_columns().size());
  const auto place = std::ranges::lower_bound(first, table.columns.end(), column.name,
                                              std::ranges::less(), &Column::name);
  table.columns.insert(place, std::move(column));
}

cql::Result<Table> make_table_columns(const cql::CreateTable& statement,
                                      const std::string& keyspace) {
  for (const cql::ColumnDefinition& column : statement.columns) {
    if (auto status = check_column(column, keyspace); !status)
      return Error(std::move(status.error()));
  }
  auto key = key_definitions(statement);
  if (!key) return Error(std::move(key.error()));
  cql::Status status = check_clustering_order(statement);
  if (status) status = check_static(statement);
  if (status) status = check_counters(statement, key->size());
  if (!status) return Error(std::move(status.error()));
  return build_columns(statement, *key);
}

}  // namespace cqlperf::server
