#include <set>

#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "failing_engine.h"
#include "memory_engine.h"
#include "server/index_key.h"

namespace cqlperf::server {
namespace {

constexpr int kRows = 5;
constexpr int kChangesMax = 50;  // more than any statement makes

// A server with rows, with and without an index.
void fill(MemoryEngine& engine) {
  const auto catalog = open_catalog(engine);
  run_text(*catalog, kCreateKeyspace);
  run_text(*catalog, "CREATE TABLE k.t (a int PRIMARY KEY, b int)");
  run_text(*catalog, "CREATE TABLE k.u (a int PRIMARY KEY, b int)");
  run_text(*catalog, "CREATE INDEX ON k.u (b)");
  const TablePtr t = catalog->schema()->find_table("k", "t");
  for (int i = 0; i < kRows; ++i)
    write_row(engine, *t, int_bytes(i), {}, t->find("b")->storage_id, int_bytes(i));
}

// Stores and tables are each other's, and every index is whole.
void check_consistent(MemoryEngine& engine, const Catalog& catalog) {
  std::set<uint64_t> used;
  const Keyspace* keyspace = catalog.schema()->find_keyspace("k");
  for (const auto& [name, table] : keyspace == nullptr ? Keyspace().tables : keyspace->tables) {
    EXPECT_TRUE(used.insert(table->store->id()).second);
    for (const Index& index : table->indexes) {
      EXPECT_TRUE(used.insert(index.store->id()).second);
      EXPECT_TRUE(index.is_built);
      EXPECT_EQ(keys_of(engine, *index.store).size(), keys_of(engine, *table->store).size());
    }
  }
  std::set<uint64_t> there;
  for (const auto& [id, store] : engine.stores()) there.insert(id);
  EXPECT_EQ(there, used);
}

class CatalogCrash : public testing::TestWithParam<const char*> {};

// Wherever the process ends in the statement, the next one finds all of it or nothing, and once it
// was answered all of it.
TEST_P(CatalogCrash, LeavesAllOrNothing) {
  for (const bool after : {false, true}) {
    int fail_at = 1;
    for (bool failed = true; failed; ++fail_at) {
      SCOPED_TRACE(testing::Message() << "change " << fail_at << (after ? " made" : " not made"));
      ASSERT_LT(fail_at, kChangesMax);
      MemoryEngine disk;
      fill(disk);
      std::string answer;
      std::string version;
      {
        FailingEngine engine(disk, fail_at, after);
        const auto catalog = open_catalog(engine);
        version = catalog->schema()->version.to_string();
        answer = run_text(*catalog, GetParam());
        failed = engine.has_failed();
      }
      const auto catalog = open_catalog(disk);
      check_consistent(disk, *catalog);
      if (!answer.starts_with("0000")) {
        EXPECT_NE(catalog->schema()->version.to_string(), version) << answer;
      }
      const TablePtr t = catalog->schema()->find_table("k", "t");
      if (t == nullptr) continue;
      const size_t rows = keys_of(disk, *t->store).size();
      const bool truncated = std::string(GetParam()).starts_with("TRUNCATE k.t");
      EXPECT_TRUE(rows == kRows || (truncated && rows == 0)) << rows;
      if (truncated && answer == "VOID") {
        EXPECT_EQ(rows, 0u);
      }
    }
    EXPECT_GT(fail_at, 2) << "the statement changed nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Statements, CatalogCrash,
    testing::Values("CREATE KEYSPACE n WITH replication = {'class': 'SimpleStrategy'}",
                    "ALTER KEYSPACE k WITH durable_writes = false", "DROP KEYSPACE k",
                    "CREATE TABLE k.n (a int PRIMARY KEY)", "ALTER TABLE k.t ADD c int",
                    "DROP TABLE k.u", "CREATE INDEX ON k.t (b)", "DROP INDEX k.u_b_idx",
                    "TRUNCATE k.t", "TRUNCATE k.u"));

// The disk fails, the process goes on: what was there still is.
TEST(CatalogFailure, ThePresentSchemaStays) {
  MemoryEngine disk;
  fill(disk);
  FailingEngine engine(disk, 1, false);
  const auto catalog = open_catalog(engine);
  const SchemaPtr before = catalog->schema();
  EXPECT_EQ(run_text(*catalog, "CREATE TABLE k.n (a int PRIMARY KEY)"),
            "0000 the schema could not be changed: the disk is gone");
  EXPECT_EQ(run_text(*catalog, "TRUNCATE k.t"),
            "0000 the schema could not be changed: the disk is gone");
  EXPECT_EQ(run_text(*catalog, "DROP KEYSPACE k"),
            "0000 the schema could not be changed: the disk is gone");
  EXPECT_EQ(catalog->schema(), before);
}

// CREATE INDEX that cannot write its entries is undone, and can be tried again.
TEST(CatalogFailure, AnIndexThatCannotBeBuiltIsForgotten) {
  MemoryEngine disk;
  fill(disk);
  const auto catalog = open_catalog(disk);
  const size_t stores = disk.stores().size();
  disk.fail_commits("no space");
  EXPECT_EQ(run_text(*catalog, "CREATE INDEX ON k.t (b)"),
            "0000 the schema could not be changed: no space");
  EXPECT_TRUE(catalog->schema()->find_table("k", "t")->indexes.empty());
  EXPECT_EQ(disk.stores().size(), stores);
  disk.fail_commits("");
  EXPECT_EQ(run_text(*catalog, "CREATE INDEX ON k.t (b)"), "UPDATED TABLE k.t");
}

}  // namespace
}  // namespace cqlperf::server
