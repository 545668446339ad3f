#include "server/ddl_index.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/identifiers.h"
#include "server/ddl_names.h"
#include "server/ddl_properties.h"

namespace cqlperf::server {
namespace {

using protocol::StringMap;
using Error = std::unexpected<protocol::ErrorMessage>;

constexpr std::string_view kLegacyClass = "legacy_local_table";
constexpr std::string_view kStorageAttachedClass =
    "org.apache.cassandra.index.sai.StorageAttachedIndex";
constexpr std::string_view kSasiClass = "org.apache.cassandra.index.sasi.SASIIndex";
constexpr auto kProperties = std::to_array<std::string_view>({"options"});

bool is_storage_attached(std::string_view class_name) {
  return class_name == kStorageAttachedClass || class_name == "StorageAttachedIndex" ||
         to_lower(class_name) == "sai";
}

bool is_storage_attached(const Index& index) {
  const auto found = index.options.find("class_name");
  return found != index.options.end() && is_storage_attached(found->second);
}

// The table that holds an index of that name, and the index.
std::optional<IndexPlan> find_index(const Keyspace& keyspace, std::string_view name) {
  for (const auto& [table_name, table] : keyspace.tables) {
    const auto found = std::ranges::find(table->indexes, name, &Index::name);
    if (found != table->indexes.end()) return IndexPlan{table, *found};
  }
  return std::nullopt;
}

// `table_column_idx`, with a number when it is taken.
std::string free_name(const Keyspace& keyspace, const Table& table, std::string_view column) {
  std::string base = fmt::format("{}_{}_idx", table.name, column);
  std::erase_if(base, [](char c) { return !is_word(std::string_view(&c, 1)); });
  std::string name = base;
  for (int i = 1; find_index(keyspace, name); ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

cql::Status check_column(const Table& table, const std::string& name) {
  const Column* column = table.find(name);
  if (column == nullptr) {
    return cql::invalid(fmt::format("Undefined column name {} in table {}", name,
                                    protocol::table_to_cql(table.keyspace, table.name)));
  }
  if (column->type.id == protocol::TypeId::kDuration)
    return cql::invalid("Secondary indexes are not supported on duration columns");
  if (column->kind == ColumnKind::kPartitionKey && table.partition_key_size == 1) {
    return cql::invalid(fmt::format(
        "Cannot create secondary index on the only partition key column {}", column->name));
  }
  return {};
}

cql::Status check_known(const StringMap& options, std::span<const std::string_view> known,
                        std::string_view class_name) {
  std::vector<std::string_view> unknown;
  for (const auto& [name, value] : options) {
    if (std::ranges::find(known, name) == known.end()) unknown.push_back(name);
  }
  if (unknown.empty()) return {};
  return config_error(fmt::format("Properties specified [{}] are not understood by {}",
                                  fmt::join(unknown, ", "), class_name));
}

// The lookup table finds equal values only, so options that make others equal would give wrong
// results.
cql::Status check_storage_attached(const cql::CreateIndex& statement, const StringMap& options) {
  constexpr auto kKnown = std::to_array<std::string_view>({"ascii", "case_sensitive", "normalize"});
  if (auto status = check_known(options, kKnown, "StorageAttachedIndex"); !status) return status;
  for (const auto& [name, value] : options) {
    const bool is_default = parse_bool(value) == (name == "case_sensitive");
    if (!is_default) {
      return cql::unsupported(statement.position,
                              fmt::format("an index with '{}': '{}'", name, value));
    }
  }
  return {};
}

cql::Status check_sasi(const cql::CreateIndex& statement, const StringMap& options) {
  for (const auto& [name, value] : options) {
    if (name == "mode") continue;
    return cql::unsupported(statement.position,
                            fmt::format("an index with '{}': '{}'", name, value));
  }
  return {};
}

cql::Status check_class(const cql::CreateIndex& statement, std::string_view class_name,
                        const StringMap& options) {
  if (is_storage_attached(class_name)) return check_storage_attached(statement, options);
  if (class_name == kSasiClass) return check_sasi(statement, options);
  return config_error(fmt::format("Unable to find custom indexer class '{}'", class_name));
}

// OPTIONS = {…} of a custom index.
cql::Result<StringMap> custom_options(const cql::Options& given) {
  auto map = Properties(given).map("options");
  if (!map) return Error(std::move(map.error()));
  if (!*map) return StringMap();
  for (const char* name : {"class_name", "target"}) {
    if ((*map)->contains(name))
      return cql::invalid(fmt::format("Cannot specify {} as a CUSTOM option", name));
  }
  return std::move(**map);
}

// The index that the statement describes, but for its name.
cql::Result<Index> describe_index(const cql::CreateIndex& statement) {
  Index index;
  index.column = statement.column;
  const bool is_custom = statement.custom_class && *statement.custom_class != kLegacyClass;
  if (is_custom) {
    auto options = custom_options(statement.options);
    if (!options) return Error(std::move(options.error()));
    index.kind = "CUSTOM";
    index.options = std::move(*options);
    index.options["class_name"] = *statement.custom_class;
  } else if (!statement.options.empty()) {
    return cql::invalid("Cannot specify options for a non-CUSTOM index");
  }
  index.options["target"] = protocol::identifier_to_cql(statement.column);
  return index;
}

// What Cassandra finds when it makes the index: its name, class and options.
cql::Status check_index(const cql::CreateIndex& statement, const Table& table, const Index& index) {
  if (!is_word(index.name)) return config_error(fmt::format("Illegal index name {}", index.name));
  if (index.kind != "CUSTOM") return {};
  StringMap options = index.options;
  options.erase("class_name");
  options.erase("target");
  if (auto status = check_class(statement, *statement.custom_class, options); !status)
    return status;
  if (!is_storage_attached(index)) return {};
  const bool has_other = std::ranges::any_of(table.indexes, [&](const Index& other) {
    return other.column == index.column && is_storage_attached(other);
  });
  if (!has_other) return {};
  return cql::invalid(fmt::format(
      "Cannot create more than one storage-attached index on the same column: {}", index.column));
}

// The index for a table that was found to take one.
cql::Result<std::optional<IndexPlan>> plan_on_table(const cql::CreateIndex& statement,
                                                    const Keyspace& keyspace,
                                                    const TablePtr& table) {
  if (auto status = check_column(*table, statement.column); !status)
    return Error(std::move(status.error()));
  auto index = describe_index(statement);
  if (!index) return Error(std::move(index.error()));
  index->name =
      statement.index.empty() ? free_name(keyspace, *table, statement.column) : statement.index;
  const auto same = std::ranges::find_if(table->indexes, [&](const Index& other) {
    return other.kind == index->kind && other.options == index->options;
  });
  if (same != table->indexes.end()) {
    if (statement.if_not_exists) return std::nullopt;
    return cql::invalid(
        fmt::format("Index {} is a duplicate of existing index {}", index->name, same->name));
  }
  if (auto status = check_index(statement, *table, *index); !status)
    return Error(std::move(status.error()));
  return IndexPlan{table, std::move(*index)};
}

}  // namespace

cql::Result<std::optional<IndexPlan>> plan_create_index(const cql::CreateIndex& statement,
                                                        const Schema& schema,
                                                        const std::string& current) {
  auto keyspace = keyspace_of(statement.table, current);
  if (!keyspace) return Error(std::move(keyspace.error()));
  const std::string& name = statement.table.table;
  cql::Status status = check_may_change(schema, *keyspace, DdlAction::kAlter,
                                        fmt::format("<table {}.{}>", *keyspace, name));
  if (status) status = Properties(statement.options).check_names(kProperties);
  if (!status) return Error(std::move(status.error()));
  const Keyspace* in = schema.find_keyspace(*keyspace);
  if (in == nullptr) return no_keyspace(*keyspace);
  const TablePtr table = schema.find_table(*keyspace, name);
  if (table == nullptr) return cql::invalid(fmt::format("Table '{}' doesn't exist", name));
  if (!statement.index.empty() && find_index(*in, statement.index)) {
    if (statement.if_not_exists) return std::nullopt;
    return cql::invalid(fmt::format("Index '{}' already exists", statement.index));
  }
  if (table->is_counter)
    return cql::invalid("Secondary indexes on counter tables aren't supported");
  return plan_on_table(statement, *in, table);
}

cql::Result<std::optional<IndexPlan>> plan_drop_index(const cql::DropIndex& statement,
                                                      const Schema& schema,
                                                      const std::string& current) {
  auto keyspace = keyspace_of(statement.name, current);
  if (!keyspace) return Error(std::move(keyspace.error()));
  if (is_local_keyspace(*keyspace))
    return cql::invalid(fmt::format("System keyspace '{}' is not user-modifiable", *keyspace));
  const Keyspace* in = schema.find_keyspace(*keyspace);
  auto found = in == nullptr ? std::nullopt : find_index(*in, statement.name.table);
  if (found || statement.if_exists) return found;
  return cql::invalid(fmt::format("Index '{}.{}' doesn't exist'", *keyspace, statement.name.table));
}

}  // namespace cqlperf::server
