#include "server/schema_codec.h"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/buffer.h"
#include "core/byte_reader.h"
#include "protocol/strings.h"

namespace cqlperf::server {
namespace {

using core::Buffer;
using core::ByteReader;
using protocol::StringMap;

// Knows how to write each native type (as a custom class, where it has no id).
constexpr auto kTypeVersion = protocol::Version::kV4;
constexpr int64_t kNoStore = 0;
constexpr uint8_t kCounterBit = 1;
constexpr uint8_t kCompactBit = 2;

std::string to_text(const Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

std::string read_text(ByteReader& in) { return std::string(protocol::read_long_string(in)); }

// A count of entries that take at least `bytes_min` each; fails on one that cannot be.
size_t read_count(ByteReader& in, size_t bytes_min) {
  const int32_t count = in.read_i32();
  if (count < 0 || static_cast<size_t>(count) > in.remaining() / bytes_min) {
    in.set_failed();
    return 0;
  }
  return static_cast<size_t>(count);
}

void append_map(Buffer& out, const StringMap& map) {
  out.append_i32(static_cast<int32_t>(map.size()));
  for (const auto& [key, value] : map) {
    protocol::append_long_string(out, key);
    protocol::append_long_string(out, value);
  }
}

StringMap read_map(ByteReader& in) {
  StringMap map;
  for (size_t left = read_count(in, 8); left > 0 && in.ok(); --left) {
    std::string key = read_text(in);
    map[std::move(key)] = read_text(in);
  }
  return map;
}

void append_store(Buffer& out, const storage::StorePtr& store) {
  out.append_i64(store == nullptr ? kNoStore : static_cast<int64_t>(store->id()));
}

// nullptr, and a failed reader, when there is no such store.
storage::StorePtr read_store(ByteReader& in, const StoreMap& stores) {
  const auto found = stores.find(static_cast<uint64_t>(in.read_i64()));
  if (found != stores.end()) return found->second;
  in.set_failed();
  return nullptr;
}

void append_column(Buffer& out, const Column& column) {
  protocol::append_long_string(out, column.name);
  column.type.encode(kTypeVersion, out);
  protocol::append_long_string(out, column.cql_type);
  out.append_u8(static_cast<uint8_t>(column.kind));
  out.append_i32(column.position);
  out.append_u8(column.descending ? 1 : 0);
  out.append_u16(column.storage_id);
}

Column read_column(ByteReader& in) {
  Column column;
  column.name = read_text(in);
  column.type = protocol::ColumnType::decode(kTypeVersion, in);
  column.cql_type = read_text(in);
  const uint8_t kind = in.read_u8();
  if (kind > static_cast<uint8_t>(ColumnKind::kRegular)) in.set_failed();
  column.kind = static_cast<ColumnKind>(kind);
  column.position = in.read_i32();
  column.descending = protocol::read_flag(in);
  column.storage_id = in.read_u16();
  return column;
}

void append_options(Buffer& out, const TableOptions& options) {
  protocol::append_long_string(out, options.comment);
  out.append_i32(options.default_ttl_s);
  append_map(out, options.scalars);
  out.append_i32(static_cast<int32_t>(options.maps.size()));
  for (const auto& [name, map] : options.maps) {
    protocol::append_long_string(out, name);
    append_map(out, map);
  }
}

TableOptions read_options(ByteReader& in) {
  TableOptions options;
  options.comment = read_text(in);
  options.default_ttl_s = in.read_i32();
  options.scalars = read_map(in);
  for (size_t left = read_count(in, 8); left > 0 && in.ok(); --left) {
    std::string name = read_text(in);
    options.maps[std::move(name)] = read_map(in);
  }
  return options;
}

void append_index(Buffer& out, const Index& index) {
  protocol::append_long_string(out, index.name);
  protocol::append_long_string(out, index.column);
  protocol::append_long_string(out, index.kind);
  append_map(out, index.options);
  append_store(out, index.store);
  out.append_u8(index.is_built ? 1 : 0);
}

Index read_index(ByteReader& in, const StoreMap& stores) {
  Index index;
  index.name = read_text(in);
  index.column = read_text(in);
  index.kind = read_text(in);
  index.options = read_map(in);
  index.store = read_store(in, stores);
  index.is_built = protocol::read_flag(in);
  return index;
}

// Keys first, in their positions, as everybody expects of a table.
bool is_well_formed(const Table& table) {
  const size_t key_size = table.partition_key_size + table.clustering_key_size;
  if (table.partition_key_size == 0 || key_size > table.columns.size()) return false;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnKind wanted = i < table.partition_key_size ? ColumnKind::kPartitionKey
                              : i < key_size               ? ColumnKind::kClustering
                                                           : ColumnKind::kRegular;
    if (table.columns[i].kind != wanted) return false;
  }
  for (const Index& index : table.indexes) {
    if (table.find(index.column) == nullptr) return false;
  }
  return true;
}

std::string keyspace_entry(std::string_view keyspace) {
  return fmt::format("schema/keyspace/{}", keyspace);
}
std::string table_entry(const Table& table) {
  return fmt::format("schema/table/{}/{}", table.keyspace, table.name);
}

using Changes = storage::Engine::MetadataChanges;

void add_changed_tables(const Keyspace* before, const Keyspace& after, Changes& changes) {
  for (const auto& [name, table] : after.tables) {
    const auto old = before == nullptr ? after.tables.end() : before->tables.find(name);
    const bool is_same = before != nullptr && old != before->tables.end() && old->second == table;
    if (!is_same) changes.emplace_back(table_entry(*table), encode_table(*table));
  }
}

void add_removed_tables(const Keyspace& before, const Keyspace* after, Changes& changes) {
  for (const auto& [name, table] : before.tables) {
    if (after == nullptr || !after->tables.contains(name))
      changes.emplace_back(table_entry(*table), std::nullopt);
  }
}

core::Result<protocol::Uuid> read_version(const storage::Engine::Metadata& metadata) {
  const auto found = metadata.find(kVersionEntry);
  if (found == metadata.end()) return protocol::Uuid();
  return protocol::parse_uuid(found->second);
}

core::Status check_format(const storage::Engine::Metadata& metadata) {
  const auto found = metadata.find(kFormatEntry);
  if (found == metadata.end() || found->second == kSchemaFormat) return {};
  return core::fail(core::ErrorCode::kIo,
                    fmt::format("the schema has format {}, but this program reads format {}: use "
                                "the version that wrote it, or another directory",
                                found->second, kSchemaFormat));
}

template <class Decoded>
core::Result<Decoded> finish(std::string_view what, const ByteReader& in, Decoded decoded) {
  if (in.finished()) return decoded;
  return core::fail(core::ErrorCode::kIo, fmt::format("the stored {} cannot be read", what));
}

}  // namespace

std::string encode_keyspace(const Keyspace& keyspace) {
  Buffer out;
  protocol::append_long_string(out, keyspace.name);
  append_map(out, keyspace.replication);
  out.append_u8(keyspace.durable_writes ? 1 : 0);
  return to_text(out);
}

core::Result<Keyspace> decode_keyspace(std::string_view bytes) {
  ByteReader in(protocol::as_bytes(bytes));
  Keyspace keyspace;
  keyspace.name = read_text(in);
  keyspace.replication = read_map(in);
  keyspace.durable_writes = protocol::read_flag(in);
  return finish("keyspace", in, std::move(keyspace));
}

std::string encode_table(const Table& table) {
  Buffer out;
  protocol::append_long_string(out, table.keyspace);
  protocol::append_long_string(out, table.name);
  protocol::append_raw_uuid(out, table.id);
  out.append_i32(static_cast<int32_t>(table.columns.size()));
  for (const Column& column : table.columns) append_column(out, column);
  out.append_i32(static_cast<int32_t>(table.partition_key_size));
  out.append_i32(static_cast<int32_t>(table.clustering_key_size));
  out.append_u8(static_cast<uint8_t>((table.is_counter ? kCounterBit : 0) |
                                     (table.is_compact ? kCompactBit : 0)));
  append_options(out, table.options);
  out.append_i32(static_cast<int32_t>(table.indexes.size()));
  for (const Index& index : table.indexes) append_index(out, index);
  append_store(out, table.store);
  out.append_u16(table.next_storage_id);
  return to_text(out);
}

core::Result<Table> decode_table(std::string_view bytes, const StoreMap& stores) {
  ByteReader in(protocol::as_bytes(bytes));
  Table table;
  table.keyspace = read_text(in);
  table.name = read_text(in);
  table.id = protocol::read_uuid(in);
  for (size_t left = read_count(in, 1); left > 0 && in.ok(); --left)
    table.columns.push_back(read_column(in));
  table.partition_key_size = static_cast<uint32_t>(in.read_i32());
  table.clustering_key_size = static_cast<uint32_t>(in.read_i32());
  const uint8_t bits = in.read_u8();
  table.is_counter = (bits & kCounterBit) != 0;
  table.is_compact = (bits & kCompactBit) != 0;
  table.options = read_options(in);
  for (size_t left = read_count(in, 1); left > 0 && in.ok(); --left)
    table.indexes.push_back(read_index(in, stores));
  table.store = read_store(in, stores);
  table.next_storage_id = in.read_u16();
  if (!is_well_formed(table)) in.set_failed();
  const std::string what = fmt::format("table {}.{}", table.keyspace, table.name);
  return finish(what, in, std::move(table));
}

Changes metadata_changes(const Schema& before, const Schema& after) {
  Changes changes;
  for (const auto& [name, keyspace] : after.keyspaces) {
    const Keyspace* old = before.find_keyspace(name);
    if (keyspace->is_system || keyspace.get() == old) continue;
    changes.emplace_back(keyspace_entry(name), encode_keyspace(*keyspace));
    add_changed_tables(old, *keyspace, changes);
  }
  for (const auto& [name, keyspace] : before.keyspaces) {
    const Keyspace* now = after.find_keyspace(name);
    if (keyspace->is_system || keyspace.get() == now) continue;
    if (now == nullptr) changes.emplace_back(keyspace_entry(name), std::nullopt);
    add_removed_tables(*keyspace, now, changes);
  }
  changes.emplace_back(kVersionEntry, after.version.to_string());
  return changes;
}

core::Result<Schema> read_schema(const storage::Engine::Metadata& metadata,
                                 const StoreMap& stores) {
  if (auto status = check_format(metadata); !status)
    return std::unexpected(std::move(status.error()));
  auto version = read_version(metadata);
  if (!version) return std::unexpected(std::move(version.error()));
  Schema schema;
  schema.version = *version;
  std::map<std::string, Keyspace> keyspaces;
  std::vector<Table> tables;
  for (const auto& [name, value] : metadata) {
    if (name.starts_with(keyspace_entry(""))) {
      auto keyspace = decode_keyspace(value);
      if (!keyspace) return std::unexpected(std::move(keyspace.error()));
      const std::string key = keyspace->name;
      keyspaces.emplace(key, std::move(*keyspace));
    } else if (name.starts_with("schema/table/")) {
      auto table = decode_table(value, stores);
      if (!table) return std::unexpected(std::move(table.error()));
      const auto in = keyspaces.find(table->keyspace);
      if (in == keyspaces.end()) {
        return core::fail(
            core::ErrorCode::kIo,
            fmt::format("the stored table {}.{} has no keyspace", table->keyspace, table->name));
      }
      const std::string key = table->name;
      in->second.tables[key] = std::make_shared<const Table>(std::move(*table));
    }
  }
  for (auto& [name, keyspace] : keyspaces)
    schema.keyspaces[name] = std::make_shared<const Keyspace>(std::move(keyspace));
  return schema;
}

}  // namespace cqlperf::server
