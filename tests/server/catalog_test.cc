#include "server/catalog.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "memory_engine.h"

namespace cqlperf::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CatalogTest : public testing::Test {
 protected:
  CatalogTest() : catalog_(open_catalog(engine_)) {}

  std::string run(std::string_view text, const std::string& keyspace = "") {
    return run_text(*catalog_, text, keyspace);
  }
  TablePtr table(const std::string& name) { return catalog_->schema()->find_table("k", name); }
  void reopen() { catalog_ = open_catalog(engine_); }

  MemoryEngine engine_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogTest, KeyspacesComeChangeAndGo) {
  EXPECT_EQ(run(kCreateKeyspace), "CREATED KEYSPACE k");
  EXPECT_EQ(run("CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': 'Foo'}"), "VOID");
  EXPECT_EQ(run("ALTER KEYSPACE k WITH durable_writes = false"), "UPDATED KEYSPACE k");
  EXPECT_FALSE(catalog_->schema()->find_keyspace("k")->durable_writes);
  EXPECT_EQ(run("ALTER KEYSPACE k WITH durable_writes = 'no'"), "VOID");
  EXPECT_EQ(run("ALTER KEYSPACE IF EXISTS x WITH durable_writes = false"), "VOID");
  EXPECT_EQ(run("DROP KEYSPACE k"), "DROPPED KEYSPACE k");
  EXPECT_EQ(run("DROP KEYSPACE IF EXISTS k"), "VOID");
  EXPECT_EQ(catalog_->schema()->find_keyspace("k"), nullptr);
}

TEST_F(CatalogTest, AlreadyExistsNamesWhat) {
  run(kCreateKeyspace);
  const auto keyspace = run_cql(*catalog_, kCreateKeyspace);
  ASSERT_FALSE(keyspace);
  EXPECT_EQ(std::get<protocol::AlreadyExistsDetails>(keyspace.error().details),
            (protocol::AlreadyExistsDetails{"k", ""}));
  EXPECT_EQ(outcome_of(keyspace), "2400 Cannot add existing keyspace \"k\"");
  run("CREATE TABLE k.t (a int PRIMARY KEY)");
  const auto table = run_cql(*catalog_, "CREATE TABLE k.t (b int PRIMARY KEY)");
  ASSERT_FALSE(table);
  EXPECT_EQ(std::get<protocol::AlreadyExistsDetails>(table.error().details),
            (protocol::AlreadyExistsDetails{"k", "t"}));
  EXPECT_EQ(outcome_of(table), "2400 Cannot add already existing table \"t\" to keyspace \"k\"");
}

TEST_F(CatalogTest, ReplicationIsKeptAsCassandraShowsIt) {
  const auto replication = [&](const std::string& given) {
    run("DROP KEYSPACE IF EXISTS r");
    EXPECT_EQ(run("CREATE KEYSPACE r WITH replication = " + given), "CREATED KEYSPACE r") << given;
    return catalog_->schema()->find_keyspace("r")->replication;
  };
  const std::string simple = "org.apache.cassandra.locator.SimpleStrategy";
  const std::string topology = "org.apache.cassandra.locator.NetworkTopologyStrategy";
  using Map = protocol::StringMap;
  EXPECT_EQ(replication("{'class': 'SimpleStrategy', 'replication_factor': '3'}"),
            (Map{{"class", simple}, {"replication_factor", "3"}}));
  EXPECT_EQ(replication("{'class': '" + simple + "', 'replication_factor': 3}"),
            (Map{{"class", simple}, {"replication_factor", "3"}}));
  EXPECT_EQ(replication("{'class': 'SimpleStrategy'}"),
            (Map{{"class", simple}, {"replication_factor", "1"}}));
  EXPECT_EQ(replication("{'class': 'NetworkTopologyStrategy', 'replication_factor': 2}"),
            (Map{{"class", topology}, {"datacenter1", "2"}}));
  EXPECT_EQ(replication("{'class': '" + topology + "', 'datacenter1': '1'}"),
            (Map{{"class", topology}, {"datacenter1", "1"}}));
  EXPECT_EQ(replication("{'class': 'NetworkTopologyStrategy'}"),
            (Map{{"class", topology}, {"datacenter1", "1"}}));
  EXPECT_EQ(replication("{'class': 'NetworkTopologyStrategy', 'replication_factor': 3, "
                        "'datacenter1': 2}"),
            (Map{{"class", topology}, {"datacenter1", "2"}}));
}

TEST_F(CatalogTest, AlteredReplicationKeepsTheFactorOfADataCenter) {
  run("CREATE KEYSPACE k WITH replication = {'class': 'NetworkTopologyStrategy', "
      "'datacenter1': 1}");
  EXPECT_EQ(run("ALTER KEYSPACE k WITH replication = {'class': 'NetworkTopologyStrategy', "
                "'replication_factor': 2}"),
            "VOID");
  EXPECT_EQ(run("ALTER KEYSPACE k WITH replication = {'class': 'NetworkTopologyStrategy', "
                "'datacenter1': 2}"),
            "UPDATED KEYSPACE k");
}

TEST_F(CatalogTest, ColumnsAreInTheOrderOfSelect) {
  run(kCreateKeyspace);
  EXPECT_EQ(run("CREATE TABLE k.t (z int, b text, \"A\" blob, c int, d bigint, p uuid, "
                "PRIMARY KEY ((p, b), d, c)) WITH CLUSTERING ORDER BY (d DESC)"),
            "CREATED TABLE k.t");
  std::string names;
  for (const Column& column : table("t")->columns) names += column.name + " ";
  EXPECT_EQ(names, "p b d c A z ");
  EXPECT_EQ(table("t")->partition_key()[1].position, 1);
  EXPECT_EQ(table("t")->clustering_key()[0].position, 0);
  EXPECT_TRUE(table("t")->clustering_key()[0].descending);
  EXPECT_FALSE(table("t")->clustering_key()[1].descending);
  EXPECT_EQ(table("t")->find("A")->cql_type, "blob");
  EXPECT_NE(table("t")->store, nullptr);
}

TEST_F(CatalogTest, AddedColumnsGetStorageIdsOfTheirOwn) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY, m int, c int)");
  const uint16_t m = table("t")->find("m")->storage_id;
  EXPECT_EQ(run("ALTER TABLE k.t ADD (b text, z int)"), "UPDATED TABLE k.t");
  EXPECT_EQ(run("ALTER TABLE k.t ADD IF NOT EXISTS b text"), "VOID");
  EXPECT_EQ(run("ALTER TABLE IF EXISTS k.x ADD b text"), "VOID");
  std::string names;
  std::set<uint16_t> ids;
  for (const Column& column : table("t")->regular_columns()) {
    names += column.name + " ";
    ids.insert(column.storage_id);
  }
  EXPECT_EQ(names, "b c m z ");
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(table("t")->find("m")->storage_id, m);
}

TEST_F(CatalogTest, OptionsChangeOnlyWhenTheyDiffer) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY) WITH comment = 'x' AND default_time_to_live = 5");
  EXPECT_EQ(table("t")->options.comment, "x");
  EXPECT_EQ(table("t")->options.default_ttl_s, 5);
  EXPECT_EQ(run("ALTER TABLE k.t WITH comment = 'x'"), "VOID");
  EXPECT_EQ(run("ALTER TABLE k.t WITH comment = 'y'"), "UPDATED TABLE k.t");
  EXPECT_EQ(table("t")->options.default_ttl_s, 5);
}

TEST_F(CatalogTest, TableIdCanBeGiven) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY) WITH id = 5a1c395e-b41f-11e5-9f22-ba0be0483c18");
  EXPECT_EQ(table("t")->id.to_string(), "5a1c395e-b41f-11e5-9f22-ba0be0483c18");
  EXPECT_EQ(run("ALTER TABLE k.t WITH id = 5a1c395e-b41f-11e5-9f22-ba0be0483c19"),
            "2300 Cannot alter table id.");
}

// Longer ones could not be sent to a client.
TEST_F(CatalogTest, ColumnNamesHaveALimit) {
  run(kCreateKeyspace);
  const std::string longest(4'096, 'c');
  EXPECT_EQ(run("CREATE TABLE k.t (a int PRIMARY KEY, " + longest + " int)"), "CREATED TABLE k.t");
  EXPECT_EQ(run("CREATE TABLE k.u (a int PRIMARY KEY, " + longest + "c int)"),
            "2200 A column's name can have at most 4096 bytes (got 4097)");
  EXPECT_EQ(run("ALTER TABLE k.t ADD " + longest + "d int"),
            "2200 A column's name can have at most 4096 bytes (got 4097)");
}

TEST_F(CatalogTest, TheConnectionsKeyspaceIsUsed) {
  run(kCreateKeyspace);
  EXPECT_EQ(run("CREATE TABLE t (a int PRIMARY KEY, b int)", "k"), "CREATED TABLE k.t");
  EXPECT_EQ(run("CREATE INDEX ON t (b)", "k"), "UPDATED TABLE k.t");
  EXPECT_EQ(run("TRUNCATE t", "k"), "VOID");
  EXPECT_EQ(run("DROP INDEX t_b_idx", "k"), "UPDATED TABLE k.t");
  EXPECT_EQ(run("DROP TABLE t", "k"), "DROPPED TABLE k.t");
}

TEST_F(CatalogTest, IndexNamesAreFreeOnes) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int, b int, c int, \"we ird\" int, PRIMARY KEY ((a, b)))");
  EXPECT_EQ(run("CREATE INDEX t_c_idx ON k.t (a)"), "UPDATED TABLE k.t");
  EXPECT_EQ(run("CREATE INDEX ON k.t (c)"), "UPDATED TABLE k.t");
  EXPECT_EQ(run("CREATE INDEX ON k.t (\"we ird\")"), "UPDATED TABLE k.t");
  std::string names;
  for (const Index& index : table("t")->indexes)
    names += index.name + ":" + index.options.at("target") + " ";
  EXPECT_EQ(names, "t_c_idx:a t_c_idx_1:c t_weird_idx:\"we ird\" ");
  EXPECT_EQ(run("CREATE INDEX IF NOT EXISTS ON k.t (c)"), "VOID");
  EXPECT_EQ(run("CREATE INDEX IF NOT EXISTS t_c_idx ON k.t (b)"), "VOID");
  EXPECT_EQ(run("DROP INDEX IF EXISTS k.nope"), "VOID");
}

TEST_F(CatalogTest, CustomIndexesKeepTheirClass) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY, b text, c text, d text)");
  EXPECT_EQ(run("CREATE CUSTOM INDEX i ON k.t (b) USING 'StorageAttachedIndex'"),
            "UPDATED TABLE k.t");
  EXPECT_EQ(run("CREATE CUSTOM INDEX ON k.t (c) USING 'org.apache.cassandra.index.sasi.SASIIndex' "
                "WITH OPTIONS = {'mode': 'PREFIX'}"),
            "UPDATED TABLE k.t");
  EXPECT_EQ(run("CREATE INDEX ON k.t (d) USING 'legacy_local_table'"), "UPDATED TABLE k.t");
  const auto& indexes = table("t")->indexes;
  EXPECT_EQ(indexes[0].kind, "CUSTOM");
  EXPECT_EQ(indexes[0].options,
            (protocol::StringMap{{"class_name", "StorageAttachedIndex"}, {"target", "b"}}));
  EXPECT_EQ(indexes[1].options.at("mode"), "PREFIX");
  EXPECT_EQ(indexes[2].kind, "COMPOSITES");
  EXPECT_EQ(indexes[2].options, (protocol::StringMap{{"target", "d"}}));
}

TEST_F(CatalogTest, TruncateGivesNewStoresAndDropsTheOld) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY, b int)");
  run("CREATE INDEX ON k.t (b)");
  const TablePtr old = table("t");
  write_row(engine_, *old, int_bytes(1), {}, 0, int_bytes(2));
  const protocol::Uuid version = catalog_->schema()->version;
  EXPECT_EQ(run("TRUNCATE TABLE k.t"), "VOID");
  EXPECT_NE(table("t")->store->id(), old->store->id());
  EXPECT_NE(table("t")->indexes[0].store->id(), old->indexes[0].store->id());
  EXPECT_EQ(keys_of(engine_, *table("t")->store).size(), 0u);
  EXPECT_EQ(engine_.stores().size(), 2u);
  EXPECT_NE(catalog_->schema()->version, version);
  EXPECT_EQ(table("t")->id, old->id);
}

// No write may still go to the old store when the answer is given.
TEST_F(CatalogTest, TruncateWaitsForWritersBeforeItDrops) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY)");
  int calls = 0;
  catalog_->set_barrier([&] {
    ++calls;
    EXPECT_EQ(engine_.stores().size(), 2u);
    EXPECT_EQ(engine_.dropped_stores(), 0u);
  });
  run("TRUNCATE k.t");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(engine_.dropped_stores(), 1u);
}

TEST_F(CatalogTest, DroppedStoresGo) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY, b int)");
  run("CREATE TABLE k.u (a int PRIMARY KEY, b int)");
  run("CREATE INDEX ON k.t (b)");
  EXPECT_EQ(engine_.stores().size(), 3u);
  run("DROP INDEX k.t_b_idx");
  EXPECT_EQ(engine_.stores().size(), 2u);
  run("DROP TABLE k.u");
  EXPECT_EQ(engine_.stores().size(), 1u);
  run("DROP KEYSPACE k");
  EXPECT_EQ(engine_.stores().size(), 0u);
}

TEST_F(CatalogTest, TheListenerHearsWhatIsPublished) {
  std::vector<std::string> heard;
  catalog_->set_listener([&](const protocol::SchemaChange& change) {
    heard.push_back(outcome_of(Catalog::Outcome(change)));
    EXPECT_EQ(catalog_->schema()->find_keyspace("k") != nullptr,
              change.change != protocol::SchemaChangeType::kDropped);
  });
  run(kCreateKeyspace);
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY, b int)");
  run("CREATE INDEX ON k.t (b)");
  run("TRUNCATE k.t");
  run("DROP KEYSPACE k");
  EXPECT_THAT(heard, testing::ElementsAre("CREATED KEYSPACE k", "CREATED TABLE k.t",
                                          "UPDATED TABLE k.t", "DROPPED KEYSPACE k"));
}

TEST_F(CatalogTest, EachChangeHasAVersionOfItsOwn) {
  std::set<std::string> versions;
  const auto note = [&] { return versions.insert(catalog_->schema()->version.to_string()).second; };
  EXPECT_TRUE(note());
  run(kCreateKeyspace);
  EXPECT_TRUE(note());
  const uint64_t generation = catalog_->schema()->generation;
  run("CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': 'SimpleStrategy'}");
  EXPECT_FALSE(note());
  EXPECT_EQ(catalog_->schema()->generation, generation);
  run("CREATE TABLE k.t (a int PRIMARY KEY)");
  EXPECT_TRUE(note());
  EXPECT_GT(catalog_->schema()->generation, generation);
}

TEST_F(CatalogTest, AllIsThereAfterARestart) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int, b duration, c timestamp, d int, PRIMARY KEY (a, c)) WITH "
      "CLUSTERING ORDER BY (c DESC) AND comment = 'hello' AND compression = {} AND "
      "default_time_to_live = 9");
  run("CREATE TABLE k.n (a int PRIMARY KEY, b counter)");
  run("CREATE CUSTOM INDEX i ON k.t (d) USING 'sai'");
  run("DROP TABLE k.n");
  run("CREATE TABLE k.n (a text PRIMARY KEY, c counter)");
  const SchemaPtr before = catalog_->schema();
  const protocol::Uuid host_id = catalog_->node().host_id;
  reopen();
  const SchemaPtr after = catalog_->schema();
  EXPECT_EQ(after->version, before->version);
  EXPECT_EQ(catalog_->node().host_id, host_id);
  EXPECT_EQ(after->find_keyspace("k")->replication, before->find_keyspace("k")->replication);
  // Everything that clients are shown is the same.
  for (const char* name : {"keyspaces", "tables", "columns", "indexes"}) {
    const TablePtr shown = after->find_table("system_schema", name);
    EXPECT_EQ(system_rows(*shown, *after, catalog_->node()),
              system_rows(*shown, *before, catalog_->node()))
        << name;
  }
  EXPECT_EQ(table("t")->store->id(), before->find_table("k", "t")->store->id());
  EXPECT_TRUE(table("t")->indexes[0].is_built);
  EXPECT_EQ(table("t")->find("b")->storage_id, before->find_table("k", "t")->find("b")->storage_id);
  EXPECT_TRUE(table("n")->is_counter);
  EXPECT_EQ(engine_.stores().size(), 3u);
}

TEST_F(CatalogTest, StoresOfNoTableAreDroppedWhenItOpens) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY)");
  ASSERT_TRUE(engine_.create_store());
  EXPECT_EQ(engine_.stores().size(), 2u);
  reopen();
  EXPECT_EQ(engine_.stores().size(), 1u);
  EXPECT_TRUE(engine_.stores().contains(table("t")->store->id()));
}

TEST_F(CatalogTest, AnotherFormatIsRefused) {
  ASSERT_TRUE(engine_.change_metadata({{"schema/format", "99"}}));
  const auto opened = Catalog::open(engine_, test_node());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, core::ErrorCode::kIo);
  EXPECT_THAT(opened.error().message, HasSubstr("format 99"));
}

TEST_F(CatalogTest, DamagedMetadataAreRefused) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY)");
  const storage::StorePtr store = table("t")->store;
  ASSERT_TRUE(engine_.drop_store(store));
  auto opened = Catalog::open(engine_, test_node());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("k.t"));
  ASSERT_TRUE(engine_.change_metadata({{"schema/table/k/t", "short"}}));
  opened = Catalog::open(engine_, test_node());
  ASSERT_FALSE(opened);
  ASSERT_TRUE(engine_.change_metadata(
      {{"schema/table/k/t", std::nullopt}, {"schema/keyspace/k", "\xff\xff"}}));
  opened = Catalog::open(engine_, test_node());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("keyspace"));
}

TEST_F(CatalogTest, ASnapshotDoesNotChange) {
  run(kCreateKeyspace);
  run("CREATE TABLE k.t (a int PRIMARY KEY)");
  const SchemaPtr before = catalog_->schema();
  run("ALTER TABLE k.t ADD b int");
  run("CREATE TABLE k.u (a int PRIMARY KEY)");
  run("DROP KEYSPACE k");
  EXPECT_EQ(before->find_table("k", "t")->columns.size(), 1u);
  EXPECT_EQ(before->find_table("k", "u"), nullptr);
  EXPECT_EQ(keys_of(engine_, *before->find_table("k", "t")->store).size(), 0u);
}

// Readers see whole schemas only: each table has as many columns as its name says.
TEST_F(CatalogTest, ReadersAndWritersOfTheSchemaDoNotMeet) {
  run(kCreateKeyspace);
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      uint64_t last = 0;
      while (!stop) {
        const SchemaPtr schema = catalog_->schema();
        if (schema->generation < last) ++wrong;
        last = schema->generation;
        const TablePtr t = schema->find_table("k", "t");
        const TablePtr u = schema->find_table("k", "u");
        if (u != nullptr && (t == nullptr || t->columns.size() < u->columns.size())) ++wrong;
      }
    });
  }
  run("CREATE TABLE k.t (a int PRIMARY KEY)");
  run("CREATE TABLE k.u (a int PRIMARY KEY)");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(run("ALTER TABLE k.t ADD c" + std::to_string(i) + " int"), "UPDATED TABLE k.t");
    EXPECT_EQ(run("ALTER TABLE k.u ADD c" + std::to_string(i) + " int"), "UPDATED TABLE k.u");
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CatalogTest, ChangesFromManyThreadsAreAllThere) {
  run(kCreateKeyspace);
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&, i] {
      for (int j = 0; j < 20; ++j) {
        const std::string name = "t" + std::to_string(i) + "_" + std::to_string(j);
        EXPECT_EQ(run("CREATE TABLE k." + name + " (a int PRIMARY KEY)"),
                  "CREATED TABLE k." + name);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(catalog_->schema()->find_keyspace("k")->tables.size(), 80u);
  reopen();
  EXPECT_EQ(catalog_->schema()->find_keyspace("k")->tables.size(), 80u);
}

TEST(CatalogOnDisk, ARestartKeepsTheSchemaAndTruncateEmptiesATable) {
  const std::string directory = testing::TempDir() + "catalog_on_disk_" + std::to_string(getpid());
  std::filesystem::remove_all(directory);
  storage::EngineOptions options;
  options.directory = directory;
  options.memory_bytes = size_t{16} << 20;
  protocol::Uuid host_id;
  {
    auto engine = storage::open_engine(options);
    ASSERT_TRUE(engine) << engine.error().message;
    const auto catalog = open_catalog(**engine);
    host_id = catalog->node().host_id;
    EXPECT_EQ(run_text(*catalog, kCreateKeyspace), "CREATED KEYSPACE k");
    EXPECT_EQ(run_text(*catalog, "CREATE TABLE k.t (a int PRIMARY KEY, b int)"),
              "CREATED TABLE k.t");
    write_row(**engine, *catalog->schema()->find_table("k", "t"), int_bytes(1), {}, 0,
              int_bytes(2));
    ASSERT_TRUE((*engine)->create_store());  // an orphan
  }
  {
    auto engine = storage::open_engine(options);
    ASSERT_TRUE(engine) << engine.error().message;
    const auto catalog = open_catalog(**engine);
    EXPECT_EQ(catalog->node().host_id, host_id);
    EXPECT_EQ((*engine)->stores().size(), 1u);
    EXPECT_EQ(keys_of(**engine, *catalog->schema()->find_table("k", "t")->store).size(), 1u);
    EXPECT_EQ(run_text(*catalog, "CREATE INDEX ON k.t (b)"), "UPDATED TABLE k.t");
    const Index index = catalog->schema()->find_table("k", "t")->indexes[0];
    EXPECT_EQ(keys_of(**engine, *index.store).size(), 1u);
    EXPECT_EQ(run_text(*catalog, "TRUNCATE k.t"), "VOID");
  }
  {
    auto engine = storage::open_engine(options);
    ASSERT_TRUE(engine) << engine.error().message;
    const auto catalog = open_catalog(**engine);
    const TablePtr table = catalog->schema()->find_table("k", "t");
    EXPECT_EQ(keys_of(**engine, *table->store).size(), 0u);
    ASSERT_EQ(table->indexes.size(), 1u);
    EXPECT_EQ(keys_of(**engine, *table->indexes[0].store).size(), 0u);
    EXPECT_EQ((*engine)->stores().size(), 2u);
  }
  std::filesystem::remove_all(directory);
}

TEST(CatalogOnNothing, TheSchemaIsThereWhileTheProcessIs) {
  const auto engine = storage::make_null_engine();
  const auto catalog = open_catalog(*engine);
  EXPECT_EQ(run_text(*catalog, kCreateKeyspace), "CREATED KEYSPACE k");
  EXPECT_EQ(run_text(*catalog, "CREATE TABLE k.t (a int PRIMARY KEY, b int)"), "CREATED TABLE k.t");
  EXPECT_EQ(run_text(*catalog, "CREATE INDEX ON k.t (b)"), "UPDATED TABLE k.t");
  EXPECT_EQ(run_text(*catalog, "TRUNCATE k.t"), "VOID");
  EXPECT_NE(catalog->schema()->find_table("k", "t"), nullptr);
}

}  // namespace
}  // namespace cqlperf::server
