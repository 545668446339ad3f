#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/buffer.h"
#include "cql/parser.h"
#include "protocol/values.h"
#include "server/catalog.h"
#include "server/system_tables.h"
#include "storage/key.h"
#include "storage/row.h"
#include "storage/token.h"

namespace cqlperf::server {

inline NodeDescription test_node() {
  NodeDescription node;
  node.address = protocol::parse_inet_address("127.0.0.9").value();
  node.port = 19042;
  return node;
}

inline std::unique_ptr<Catalog> open_catalog(storage::Engine& engine) {
  auto catalog = Catalog::open(engine, test_node());
  EXPECT_TRUE(catalog.has_value()) << (catalog ? "" : catalog.error().message);
  return catalog ? std::move(*catalog) : nullptr;
}

inline cql::Result<Catalog::Outcome> run_cql(Catalog& catalog, std::string_view text,
                                             const std::string& keyspace = "") {
  auto parsed = cql::parse_statement(text);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return catalog.execute(parsed->statement, keyspace);
}

// One word for what came out: `VOID`, `CREATED TABLE k.t`, `2200 text`.
inline std::string outcome_of(const cql::Result<Catalog::Outcome>& outcome) {
  if (!outcome) {
    char code[8];
    std::snprintf(code, sizeof code, "%04x ", static_cast<unsigned>(outcome.error().code));
    return code + outcome.error().message;
  }
  const auto* change = std::get_if<protocol::SchemaChange>(&*outcome);
  if (change == nullptr) return "VOID";
  std::string text(protocol::schema_change_type_name(change->change));
  text += " " + std::string(protocol::schema_target_name(change->target)) + " " + change->keyspace;
  return change->name.empty() ? text : text + "." + change->name;
}

inline std::string run_text(Catalog& catalog, std::string_view text,
                            const std::string& keyspace = "") {
  return outcome_of(run_cql(catalog, text, keyspace));
}

inline constexpr const char* kCreateKeyspace =
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";

// Writes a row of the table with one partition key column: its marker of INSERT and one cell.
inline void write_row(storage::Engine& engine, const Table& table, protocol::ByteView partition_key,
                      const std::vector<protocol::Bytes>& clustering, uint16_t cell,
                      protocol::ByteView value, int64_t timestamp_us = 1'000) {
  core::Buffer key;
  storage::append_partition_prefix(key, storage::token_of(partition_key), partition_key);
  key.append_u8(storage::kRowEntry);
  for (size_t i = 0; i < clustering.size(); ++i) {
    const Column& column = table.clustering_key()[i];
    storage::append_clustering_value(key, {column.type, column.descending}, clustering[i]);
  }
  core::Buffer update;
  storage::RowWriter row(update, timestamp_us);
  row.set_live();
  row.set_cell(cell, value);
  row.finish();
  const auto batch = engine.make_batch();
  batch->merge(*table.store, key.bytes(), update.bytes());
  ASSERT_TRUE(engine.commit(*batch));
}

inline protocol::Bytes int_bytes(int32_t value) {
  core::Buffer buffer;
  protocol::append_int(buffer, value);
  return protocol::to_bytes(buffer.bytes().subspan(4));
}

// All keys of a store, in order.
inline std::vector<protocol::Bytes> keys_of(storage::Engine& engine, const storage::Store& store) {
  std::vector<protocol::Bytes> keys;
  for (const auto cursor = engine.scan(store, {}); cursor->valid(); cursor->next())
    keys.push_back(protocol::to_bytes(cursor->key()));
  return keys;
}

}  // namespace cqlperf::server
