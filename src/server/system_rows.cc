#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/ddl_properties.h"
#include "server/system_row.h"
#include "server/system_tables.h"
#include "storage/token.h"

namespace cqlperf::server {
namespace {

constexpr std::string_view kReleaseVersion = "5.0.8";  // whose features drivers may expect
constexpr std::string_view kCqlVersion = "3.4.7";
constexpr std::string_view kNativeVersion = "5";
constexpr std::string_view kPartitioner = "org.apache.cassandra.dht.Murmur3Partitioner";
constexpr int32_t kStoragePort = 7000;  // where other nodes would be; nobody listens
constexpr int kTokenCount = 16;

// Spread evenly over the ring, as a set of texts. All of them are this node's.
const protocol::StringList& ring_tokens() {
  static const protocol::StringList tokens = [] {
    protocol::StringList texts;
    const uint64_t step = UINT64_MAX / kTokenCount + 1;
    for (uint64_t i = 0; i < kTokenCount; ++i)
      texts.push_back(fmt::to_string(static_cast<int64_t>((uint64_t{1} << 63) + i * step + 1)));
    std::ranges::sort(texts);
    return texts;
  }();
  return tokens;
}

SystemRow local_row(const Table& table, const Schema& schema, const NodeDescription& node) {
  SystemRowBuilder row(table);
  row.text("key", "local");
  row.text("bootstrapped", "COMPLETED");
  row.inet("broadcast_address", node.address);
  row.integer("broadcast_port", kStoragePort);
  row.text("cluster_name", node.cluster_name);
  row.text("cql_version", kCqlVersion);
  row.text("data_center", node.data_center);
  row.integer("gossip_generation", node.started_at_s);
  row.uuid("host_id", node.host_id);
  row.inet("listen_address", node.address);
  row.integer("listen_port", kStoragePort);
  row.text("native_protocol_version", kNativeVersion);
  row.text("partitioner", kPartitioner);
  row.text("rack", node.rack);
  row.text("release_version", kReleaseVersion);
  row.inet("rpc_address", node.address);
  row.integer("rpc_port", node.port);
  row.uuid("schema_version", schema.version);
  row.text_set("tokens", ring_tokens());
  return row.take();
}

SystemRow keyspace_row(const Table& table, const Keyspace& keyspace) {
  SystemRowBuilder row(table);
  row.text("keyspace_name", keyspace.name);
  if (keyspace.is_virtual) return row.take();
  row.boolean("durable_writes", keyspace.durable_writes);
  row.text_map("replication", keyspace.replication);
  return row.take();
}

// A scalar option by the type of its column. Options that are not set are null.
void put_scalar(SystemRowBuilder& row, const Column& column, const std::string& text) {
  switch (column.type.id) {
    case protocol::TypeId::kInt:
      row.integer(column.name, parse_int(text).value());
      return;
    case protocol::TypeId::kDouble:
      row.number(column.name, parse_double(text).value());
      return;
    case protocol::TypeId::kBoolean:
      row.boolean(column.name, parse_bool(text).value());
      return;
    default:
      row.text(column.name, text);
  }
}

SystemRow table_row(const Table& tables, const Table& table) {
  SystemRowBuilder row(tables);
  row.text("keyspace_name", table.keyspace);
  row.text("table_name", table.name);
  row.text("comment", table.options.comment);
  if (tables.system == SystemTable::kVirtualTables) return row.take();
  row.integer("default_time_to_live", table.options.default_ttl_s);
  row.number("dclocal_read_repair_chance", 0);
  row.number("read_repair_chance", 0);
  row.text_map("extensions", {});
  row.text_set("flags", table.is_counter ? protocol::StringList{"compound", "counter"}
                                         : protocol::StringList{"compound"});
  row.uuid("id", table.id);
  for (const auto& [name, text] : table.options.scalars) put_scalar(row, *tables.find(name), text);
  for (const auto& [name, map] : table.options.maps) row.text_map(name, map);
  return row.take();
}

SystemRow column_row(const Table& columns, const Table& table, const Column& column) {
  SystemRowBuilder row(columns);
  row.text("keyspace_name", table.keyspace);
  row.text("table_name", table.name);
  row.text("column_name", column.name);
  const bool is_clustering = column.kind == ColumnKind::kClustering;
  row.text("clustering_order", !is_clustering ? "none" : column.descending ? "desc" : "asc");
  row.blob("column_name_bytes", protocol::as_bytes(column.name));
  row.text("kind", column_kind_name(column.kind));
  row.integer("position", column.position);
  row.text("type", column.cql_type);
  return row.take();
}

SystemRow index_row(const Table& indexes, const Table& table, const Index& index) {
  SystemRowBuilder row(indexes);
  row.text("keyspace_name", table.keyspace);
  row.text("table_name", table.name);
  row.text("index_name", index.name);
  row.text("kind", index.kind);
  row.text_map("options", index.options);
  return row.take();
}

// By the bytes of the name that `name` gives, as clustering keys of text are.
template <class Item, class Name>
std::vector<const Item*> by_name(const std::vector<Item>& items, Name name) {
  std::vector<const Item*> sorted;
  for (const Item& item : items) sorted.push_back(&item);
  std::ranges::sort(sorted, {}, [&](const Item* item) { return std::string_view(item->*name); });
  return sorted;
}

// The rows of one keyspace's partition.
void add_partition(const Table& table, const Keyspace& keyspace, std::vector<SystemRow>& rows) {
  switch (table.system) {
    case SystemTable::kSchemaKeyspaces:
    case SystemTable::kVirtualKeyspaces:
      rows.push_back(keyspace_row(table, keyspace));
      break;
    case SystemTable::kSchemaTables:
    case SystemTable::kVirtualTables:
      for (const auto& [name, described] : keyspace.tables)
        rows.push_back(table_row(table, *described));
      break;
    case SystemTable::kSchemaColumns:
    case SystemTable::kVirtualColumns:
      for (const auto& [name, described] : keyspace.tables) {
        for (const Column* column : by_name(described->columns, &Column::name))
          rows.push_back(column_row(table, *described, *column));
      }
      break;
    case SystemTable::kSchemaIndexes:
      for (const auto& [name, described] : keyspace.tables) {
        for (const Index* index : by_name(described->indexes, &Index::name))
          rows.push_back(index_row(table, *described, *index));
      }
      break;
    default:
      break;
  }
}

bool is_about_virtual(SystemTable table) {
  return table == SystemTable::kVirtualKeyspaces || table == SystemTable::kVirtualTables ||
         table == SystemTable::kVirtualColumns;
}

// The keyspaces that a schema table has partitions for, in the order of their tokens.
std::vector<const Keyspace*> partitions_of(const Table& table, const Schema& schema) {
  std::vector<std::pair<int64_t, const Keyspace*>> by_token;
  for (const auto& [name, keyspace] : schema.keyspaces) {
    if (keyspace->is_virtual == is_about_virtual(table.system))
      by_token.emplace_back(storage::token_of(protocol::as_bytes(name)), keyspace.get());
  }
  std::ranges::sort(by_token, {}, &std::pair<int64_t, const Keyspace*>::first);
  std::vector<const Keyspace*> keyspaces;
  for (const auto& [token, keyspace] : by_token) keyspaces.push_back(keyspace);
  return keyspaces;
}

}  // namespace

std::vector<SystemRow> system_rows(const Table& table, const Schema& schema,
                                   const NodeDescription& node) {
  if (table.system == SystemTable::kLocal) return {local_row(table, schema, node)};
  std::vector<SystemRow> rows;
  for (const Keyspace* keyspace : partitions_of(table, schema))
    add_partition(table, *keyspace, rows);
  return rows;
}

}  // namespace cqlperf::server
