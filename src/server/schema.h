#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/strings.h"
#include "protocol/types.h"
#include "protocol/uuid.h"
#include "storage/engine.h"

namespace cqlperf::server {

// The schema as a value: immutable once published, shared by threads. A change makes new objects
// for what it changes and keeps the others.

enum class ColumnKind : uint8_t { kPartitionKey, kClustering, kRegular };
// `partition_key`, as in system_schema.columns.
std::string_view column_kind_name(ColumnKind kind);

struct Column {
  std::string name;
  protocol::ColumnType type;
  std::string cql_type;  // as in system_schema.columns: `frozen<map<text, int>>`
  ColumnKind kind = ColumnKind::kRegular;
  int position = -1;        // 0… among the columns of its key; -1 for regular ones
  bool descending = false;  // clustering order
  uint16_t storage_id = 0;  // of regular columns: names the cell (storage/row.h); never reused
};

struct Index {
  std::string name;
  std::string column;
  std::string kind = "COMPOSITES";   // or CUSTOM
  protocol::StringMap options = {};  // target, class_name
  // Keys: the value as a clustering value, then the key of the row (server/index_key.h).
  storage::StorePtr store = {};
  bool is_built = false;  // false while the rows that were there are being added
};

// The options of WITH that do something here; all others are kept as they were given.
struct TableOptions {
  std::string comment = {};
  int32_t default_ttl_s = 0;
  // What system_schema.tables shows, by column name, as the CQL value's text or map.
  std::map<std::string, std::string> scalars = {};
  std::map<std::string, protocol::StringMap> maps = {};  // compaction, compression, caching
};

// The tables whose rows are made from the schema and the node.
enum class SystemTable : uint8_t {
  kNone,
  kLocal,
  kPeers,
  kPeersV2,
  kEmpty,  // there for those who ask, never with rows
  kSchemaKeyspaces,
  kSchemaTables,
  kSchemaColumns,
  kSchemaIndexes,
  kVirtualKeyspaces,
  kVirtualTables,
  kVirtualColumns,
};

struct Table {
  std::string keyspace;
  std::string name;
  protocol::Uuid id;
  // In the order of SELECT *: partition key, clustering key, the others by name (bytewise).
  std::vector<Column> columns;
  size_t partition_key_size = 0;   // columns
  size_t clustering_key_size = 0;  // columns
  bool is_counter = false;
  // WITH COMPACT STORAGE, the static form: Thrift sees the table, and a row is there while it has a
  // cell, even when INSERT made it.
  bool is_compact = false;
  TableOptions options = {};
  std::vector<Index> indexes = {};
  SystemTable system = SystemTable::kNone;
  storage::StorePtr store = {};  // null for system tables
  uint16_t next_storage_id = 0;

  std::span<const Column> partition_key() const { return {columns.data(), partition_key_size}; }
  std::span<const Column> clustering_key() const {
    return {columns.data() + partition_key_size, clustering_key_size};
  }
  std::span<const Column> regular_columns() const {
    return std::span(columns).subspan(partition_key_size + clustering_key_size);
  }
  // nullptr when there is none.
  const Column* find(std::string_view column) const;
};
using TablePtr = std::shared_ptr<const Table>;

struct Keyspace {
  std::string name;
  protocol::StringMap replication = {};  // holds `class`, fully qualified
  bool durable_writes = true;
  bool is_system = false;   // not to be changed by users
  bool is_virtual = false;  // in system_virtual_schema instead of system_schema
  std::map<std::string, TablePtr> tables = {};
};
using KeyspacePtr = std::shared_ptr<const Keyspace>;

struct Schema {
  std::map<std::string, KeyspacePtr> keyspaces;
  protocol::Uuid version;   // changes with each change
  uint64_t generation = 0;  // counts changes; for comparing cheaply

  // nullptr when there is none.
  const Keyspace* find_keyspace(std::string_view keyspace) const;
  TablePtr find_table(std::string_view keyspace, std::string_view table) const;
};
using SchemaPtr = std::shared_ptr<const Schema>;

}  // namespace cqlperf::server
