#include "server/system_tables.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "memory_engine.h"
#include "protocol/values.h"
#include "storage/token.h"

namespace cqlperf::server {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class SystemTablesTest : public testing::Test {
 protected:
  SystemTablesTest() : catalog_(open_catalog(engine_)) {
    run_text(*catalog_, kCreateKeyspace);
    run_text(
        *catalog_,
        "CREATE TABLE k.t (p int, c int, d text, v blob, \"A\" text, PRIMARY KEY (p, c, d)) "
        "WITH CLUSTERING ORDER BY (c DESC) AND comment = 'hello' AND default_time_to_live = 7");
    run_text(*catalog_, "CREATE TABLE k.n (p int PRIMARY KEY, v counter)");
    run_text(*catalog_, "CREATE INDEX ON k.t (v)");
  }

  TablePtr table(const std::string& keyspace, const std::string& name) {
    return catalog_->schema()->find_table(keyspace, name);
  }
  // Rows as columns by name, of those rows that have `where` in their first columns.
  using NamedRow = std::map<std::string, std::optional<protocol::Bytes>>;
  std::vector<NamedRow> rows(const std::string& keyspace, const std::string& name,
                             const std::vector<std::string>& where = {}) {
    const TablePtr shown = table(keyspace, name);
    std::vector<NamedRow> found;
    for (const SystemRow& row : system_rows(*shown, *catalog_->schema(), catalog_->node())) {
      EXPECT_EQ(row.size(), shown->columns.size());
      bool matches = true;
      for (size_t i = 0; i < where.size(); ++i)
        matches = matches && row[i] == protocol::to_bytes(protocol::as_bytes(where[i]));
      if (!matches) continue;
      NamedRow named;
      for (size_t i = 0; i < row.size(); ++i) named[shown->columns[i].name] = row[i];
      found.push_back(std::move(named));
    }
    return found;
  }
  static std::string text(const NamedRow& row, const std::string& column) {
    const auto& value = row.at(column);
    return value ? std::string(value->begin(), value->end()) : "null";
  }

  MemoryEngine engine_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(SystemTablesTest, LocalHasWhatDriversNeed) {
  const auto found = rows("system", "local");
  ASSERT_EQ(found.size(), 1u);
  const NamedRow& local = found[0];
  EXPECT_EQ(text(local, "key"), "local");
  EXPECT_EQ(text(local, "cluster_name"), "cqlperf embedded server");
  EXPECT_EQ(text(local, "release_version"), "5.0.8");
  EXPECT_EQ(text(local, "cql_version"), "3.4.7");
  EXPECT_EQ(text(local, "native_protocol_version"), "5");
  EXPECT_EQ(text(local, "partitioner"), "org.apache.cassandra.dht.Murmur3Partitioner");
  EXPECT_EQ(text(local, "data_center"), "datacenter1");
  EXPECT_EQ(text(local, "rack"), "rack1");
  EXPECT_EQ(protocol::decode_inet(*local.at("rpc_address")).value(), test_node().address);
  EXPECT_EQ(protocol::decode_int(*local.at("rpc_port")).value(), test_node().port);
  EXPECT_GT(protocol::decode_int(*local.at("gossip_generation")).value(), 1'600'000'000);
  EXPECT_EQ(protocol::decode_uuid(*local.at("host_id")).value(), catalog_->node().host_id);
  EXPECT_EQ(protocol::decode_uuid(*local.at("schema_version")).value(),
            catalog_->schema()->version);
  const auto tokens = protocol::decode_text_list(*local.at("tokens")).value();
  EXPECT_EQ(std::set<std::string>(tokens.begin(), tokens.end()).size(), 16u);
  EXPECT_TRUE(std::ranges::is_sorted(tokens));
  for (const std::string& token : tokens) EXPECT_EQ(std::to_string(std::stoll(token)), token);
  EXPECT_FALSE(local.at("truncated_at"));
}

TEST_F(SystemTablesTest, PeersAreThereAndEmpty) {
  for (const char* name : {"peers", "peers_v2", "prepared_statements", "size_estimates"})
    EXPECT_TRUE(rows("system", name).empty()) << name;
  EXPECT_TRUE(rows("system_traces", "sessions").empty());
  EXPECT_TRUE(rows("system_auth", "roles").empty());
  // ScyllaDB's must not be: clients look whether they are.
  EXPECT_EQ(table("system_schema", "scylla_tables"), nullptr);
  EXPECT_EQ(table("system", "versions"), nullptr);
}

TEST_F(SystemTablesTest, ShapesAreCassandras) {
  const Table& peers = *table("system", "peers_v2");
  EXPECT_EQ(peers.partition_key_size, 1u);
  EXPECT_EQ(peers.clustering_key()[0].name, "peer_port");
  EXPECT_EQ(peers.find("tokens")->type,
            protocol::ColumnType::set_of(protocol::ColumnType::of(protocol::TypeId::kVarchar)));
  const Table& tables = *table("system_schema", "tables");
  EXPECT_EQ(tables.find("caching")->cql_type, "frozen<map<text, text>>");
  EXPECT_EQ(tables.find("id")->type.id, protocol::TypeId::kUuid);
  EXPECT_EQ(tables.id.to_string(), "afddfb9d-bc1e-3068-8056-eed6c302ba09");
  const Table& functions = *table("system_schema", "functions");
  EXPECT_EQ(functions.clustering_key().size(), 2u);
  EXPECT_EQ(functions.clustering_key()[1].cql_type, "frozen<list<text>>");
  for (const char* name : {"aggregates", "column_masks", "columns", "dropped_columns", "functions",
                           "indexes", "keyspaces", "tables", "triggers", "types", "views"}) {
    EXPECT_NE(table("system_schema", name), nullptr) << name;
  }
}

// SELECT * gives keys first and the others by name; drivers want positions without gaps.
TEST_F(SystemTablesTest, EveryTableIsWellFormed) {
  for (const KeyspacePtr& keyspace : make_system_keyspaces()) {
    EXPECT_TRUE(keyspace->is_system);
    for (const auto& [name, table] : keyspace->tables) {
      SCOPED_TRACE(keyspace->name + "." + name);
      EXPECT_EQ(table->name, name);
      EXPECT_NE(table->system, SystemTable::kNone);
      EXPECT_GE(table->partition_key_size, 1u);
      for (size_t i = 0; i < table->partition_key_size; ++i)
        EXPECT_EQ(table->partition_key()[i].position, static_cast<int>(i));
      for (size_t i = 0; i < table->clustering_key_size; ++i)
        EXPECT_EQ(table->clustering_key()[i].position, static_cast<int>(i));
      EXPECT_TRUE(std::ranges::is_sorted(table->regular_columns(), {}, &Column::name));
      for (const Column& column : table->regular_columns()) {
        EXPECT_EQ(column.kind, ColumnKind::kRegular);
        EXPECT_EQ(column.position, -1);
      }
    }
  }
}

TEST_F(SystemTablesTest, KeyspacesShowTheirReplication) {
  const auto found = rows("system_schema", "keyspaces", {"k"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(protocol::decode_text_map(*found[0].at("replication")).value(),
            (protocol::StringMap{{"class", "org.apache.cassandra.locator.SimpleStrategy"},
                                 {"replication_factor", "1"}}));
  EXPECT_TRUE(protocol::decode_boolean(*found[0].at("durable_writes")).value());
  const auto system = rows("system_schema", "keyspaces", {"system"});
  ASSERT_EQ(system.size(), 1u);
  EXPECT_EQ(protocol::decode_text_map(*system[0].at("replication")).value(),
            (protocol::StringMap{{"class", "org.apache.cassandra.locator.LocalStrategy"}}));
}

TEST_F(SystemTablesTest, TablesShowTheirOptions) {
  const auto found = rows("system_schema", "tables", {"k", "t"});
  ASSERT_EQ(found.size(), 1u);
  const NamedRow& t = found[0];
  EXPECT_EQ(text(t, "comment"), "hello");
  EXPECT_EQ(protocol::decode_int(*t.at("default_time_to_live")).value(), 7);
  EXPECT_EQ(protocol::decode_int(*t.at("gc_grace_seconds")).value(), 864'000);
  EXPECT_EQ(protocol::decode_double(*t.at("bloom_filter_fp_chance")).value(), 0.01);
  EXPECT_EQ(protocol::decode_double(*t.at("crc_check_chance")).value(), 1.0);
  EXPECT_EQ(text(t, "speculative_retry"), "99p");
  EXPECT_EQ(text(t, "read_repair"), "BLOCKING");
  EXPECT_EQ(protocol::decode_text_map(*t.at("caching")).value().at("keys"), "ALL");
  EXPECT_EQ(protocol::decode_uuid(*t.at("id")).value(), table("k", "t")->id);
  EXPECT_THAT(protocol::decode_text_list(*t.at("flags")).value(), ElementsAre("compound"));
  for (const char* column : {"cdc", "memtable", "allow_auto_snapshot", "incremental_backups"})
    EXPECT_FALSE(t.at(column)) << column;
  EXPECT_TRUE(t.at("extensions"));
  const auto counter = rows("system_schema", "tables", {"k", "n"});
  ASSERT_EQ(counter.size(), 1u);
  EXPECT_THAT(protocol::decode_text_list(*counter[0].at("flags")).value(),
              ElementsAre("compound", "counter"));
}

TEST_F(SystemTablesTest, ColumnsShowKindOrderAndPosition) {
  std::vector<std::string> shown;
  for (const NamedRow& row : rows("system_schema", "columns", {"k", "t"})) {
    EXPECT_EQ(text(row, "column_name"), text(row, "column_name_bytes"));
    shown.push_back(text(row, "column_name") + " " + text(row, "kind") + " " +
                    std::to_string(protocol::decode_int(*row.at("position")).value()) + " " +
                    text(row, "clustering_order") + " " + text(row, "type"));
  }
  EXPECT_THAT(shown, ElementsAre("A regular -1 none text", "c clustering 0 desc int",
                                 "d clustering 1 asc text", "p partition_key 0 none int",
                                 "v regular -1 none blob"));
}

TEST_F(SystemTablesTest, IndexesShowTheirTarget) {
  const auto found = rows("system_schema", "indexes", {"k"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(text(found[0], "table_name"), "t");
  EXPECT_EQ(text(found[0], "index_name"), "t_v_idx");
  EXPECT_EQ(text(found[0], "kind"), "COMPOSITES");
  EXPECT_EQ(protocol::decode_text_map(*found[0].at("options")).value(),
            (protocol::StringMap{{"target", "v"}}));
}

TEST_F(SystemTablesTest, VirtualTablesAreApart) {
  const auto keyspaces = rows("system_virtual_schema", "keyspaces");
  ASSERT_EQ(keyspaces.size(), 1u);
  EXPECT_EQ(text(keyspaces[0], "keyspace_name"), "system_virtual_schema");
  EXPECT_EQ(rows("system_virtual_schema", "tables").size(), 3u);
  EXPECT_EQ(rows("system_virtual_schema", "columns").size(), 12u);
  EXPECT_TRUE(rows("system_schema", "keyspaces", {"system_virtual_schema"}).empty());
  EXPECT_TRUE(rows("system_schema", "tables", {"system_virtual_schema"}).empty());
}

TEST_F(SystemTablesTest, TheSystemShowsItself) {
  EXPECT_EQ(rows("system_schema", "tables", {"system_schema"}).size(), 11u);
  EXPECT_EQ(rows("system_schema", "columns", {"system", "local"}).size(), 20u);
  EXPECT_EQ(rows("system_schema", "columns", {"system_schema", "views"}).size(),
            table("system_schema", "views")->columns.size());
}

TEST_F(SystemTablesTest, RowsAreInTheOrderOfTokensAndNames) {
  run_text(*catalog_, "CREATE KEYSPACE other WITH replication = {'class': 'SimpleStrategy'}");
  run_text(*catalog_, "CREATE TABLE k.a (p int PRIMARY KEY)");
  std::vector<std::pair<int64_t, std::vector<std::string>>> order;
  for (const NamedRow& row : rows("system_schema", "columns")) {
    const std::string keyspace = text(row, "keyspace_name");
    order.emplace_back(storage::token_of(protocol::as_bytes(keyspace)),
                       std::vector{text(row, "table_name"), text(row, "column_name")});
  }
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_GT(order.size(), 100u);
}

}  // namespace
}  // namespace cqlperf::server
