#include "server/system_tables.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "cql/parser.h"
#include "protocol/uuid.h"
#include "server/system_shapes.h"
#include "server/table_options.h"

namespace cqlperf::server {
namespace {

struct SystemKeyspace {
  std::string_view name;
  bool is_virtual;
  std::string_view strategy;  // empty for virtual ones
  std::string_view copies;    // empty when the strategy takes none
  std::string_view gc_grace_seconds;
  std::string_view flush_period_ms;
};
constexpr auto kKeyspaces = std::to_array<SystemKeyspace>(
    {{"system", false, "LocalStrategy", "", "0", "3600000"},
     {"system_schema", false, "LocalStrategy", "", "604800", "3600000"},
     {"system_virtual_schema", true, "", "", "0", "0"},
     {"system_auth", false, "SimpleStrategy", "1", "7776000", "0"},
     {"system_traces", false, "SimpleStrategy", "2", "0", "0"}});

// Takes the part before `separator` off the front, or all when there is none.
std::string_view take_part(std::string_view& text, std::string_view separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  return part;
}

ColumnKind take_kind(std::string_view& type) {
  ColumnKind kind = ColumnKind::kRegular;
  if (type.ends_with(" P")) kind = ColumnKind::kPartitionKey;
  if (type.ends_with(" C")) kind = ColumnKind::kClustering;
  if (kind != ColumnKind::kRegular) type.remove_suffix(2);
  return kind;
}

Column read_column(std::string_view text) {
  Column column;
  column.name = take_part(text, " ");
  column.kind = take_kind(text);
  column.cql_type = text;
  auto type = cql::parse_type(text);
  CQLPERF_CHECK(type.has_value(), "a system table's column has no type");
  column.type = std::move(*type);
  return column;
}

void add_column(Column column, Table& table) {
  if (column.kind == ColumnKind::kPartitionKey) {
    column.position = static_cast<int>(table.partition_key_size++);
  } else if (column.kind == ColumnKind::kClustering) {
    column.position = static_cast<int>(table.clustering_key_size++);
  } else {
    column.storage_id = table.next_storage_id++;
  }
  table.columns.push_back(std::move(column));
}

Table make_table(const SystemShape& shape, const SystemKeyspace& keyspace) {
  Table table;
  table.keyspace = shape.keyspace;
  table.name = shape.table;
  if (!shape.id.empty()) table.id = protocol::parse_uuid(shape.id).value();
  table.system = shape.kind;
  table.options = default_table_options();
  table.options.comment = shape.comment;
  table.options.scalars["gc_grace_seconds"] = keyspace.gc_grace_seconds;
  table.options.scalars["memtable_flush_period_in_ms"] = keyspace.flush_period_ms;
  std::string_view columns = shape.columns;
  while (!columns.empty()) add_column(read_column(take_part(columns, "; ")), table);
  return table;
}

Keyspace make_keyspace(const SystemKeyspace& described) {
  Keyspace keyspace;
  keyspace.name = described.name;
  keyspace.is_system = true;
  keyspace.is_virtual = described.is_virtual;
  if (!described.strategy.empty()) {
    keyspace.replication["class"] =
        std::string("org.apache.cassandra.locator.") + std::string(described.strategy);
  }
  if (!described.copies.empty()) keyspace.replication["replication_factor"] = described.copies;
  for (const SystemShape& shape : system_shapes()) {
    if (shape.keyspace != described.name) continue;
    keyspace.tables[std::string(shape.table)] =
        std::make_shared<const Table>(make_table(shape, described));
  }
  return keyspace;
}

}  // namespace

std::vector<KeyspacePtr> make_system_keyspaces() {
  std::vector<KeyspacePtr> keyspaces;
  for (const SystemKeyspace& described : kKeyspaces)
    keyspaces.push_back(std::make_shared<const Keyspace>(make_keyspace(described)));
  return keyspaces;
}

}  // namespace cqlperf::server
