#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"
#include "server/schema.h"
#include "storage/engine.h"

namespace cqlperf::server {

// The schema as the engine's metadata: one entry for each keyspace and each table, so that a change
// writes only what it changes, and a few for the node.
//
//   schema/format                    kSchemaFormat
//   schema/host_id, schema/version   UUIDs
//   schema/keyspace/NAME             encode_keyspace()
//   schema/table/KEYSPACE/NAME       encode_table()

inline constexpr std::string_view kSchemaFormat = "1";
inline constexpr const char* kFormatEntry = "schema/format";
inline constexpr const char* kHostIdEntry = "schema/host_id";
inline constexpr const char* kVersionEntry = "schema/version";

using StoreMap = std::map<uint64_t, storage::StorePtr>;

// What turns `before` into `after`, the version included. System keyspaces are not stored.
storage::Engine::MetadataChanges metadata_changes(const Schema& before, const Schema& after);

// The keyspaces, and the version when there is one (else the nil UUID). `stores` are those of the
// engine. kIo for entries that cannot be read, name a store that is not there, or were written in
// another format.
core::Result<Schema> read_schema(const storage::Engine::Metadata& metadata, const StoreMap& stores);

// The entries' values. Stores are written as their ids.
std::string encode_keyspace(const Keyspace& keyspace);
std::string encode_table(const Table& table);
core::Result<Keyspace> decode_keyspace(std::string_view bytes);
core::Result<Table> decode_table(std::string_view bytes, const StoreMap& stores);

}  // namespace cqlperf::server
