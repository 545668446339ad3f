#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "core/clock.h"
#include "core/interrupt.h"
#include "failing_engine.h"
#include "memory_engine.h"
#include "server/index_build.h"
#include "server/index_key.h"

namespace cqlperf::server {
namespace {

using protocol::Bytes;

// The keys of the rows that the index has under a value.
std::vector<Bytes> rows_under(storage::Engine& engine, const Table& table, const Index& index,
                              protocol::ByteView value) {
  core::Buffer range;
  append_index_prefix(range, index_column(table, index), value);
  storage::ScanRange bounds;
  bounds.lower = protocol::to_bytes(range.bytes());
  if (storage::increment_prefix(range, 0)) bounds.upper = protocol::to_bytes(range.bytes());
  std::vector<Bytes> rows;
  for (const auto cursor = engine.scan(*index.store, bounds); cursor->valid(); cursor->next()) {
    const auto row_key = read_index_row_key(cursor->key());
    EXPECT_TRUE(row_key);
    if (row_key) rows.push_back(protocol::to_bytes(*row_key));
  }
  return rows;
}

class CatalogIndexTest : public testing::Test {
 protected:
  CatalogIndexTest() : catalog_(open_catalog(engine_)) { run_text(*catalog_, kCreateKeyspace); }

  TablePtr table() { return catalog_->schema()->find_table("k", "t"); }
  const Index& index(size_t i = 0) { return table()->indexes[i]; }

  MemoryEngine engine_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogIndexTest, RowsThatAreThereAreIndexed) {
  run_text(*catalog_, "CREATE TABLE k.t (a int, c int, v text, w int, PRIMARY KEY (a, c))");
  const uint16_t v = table()->find("v")->storage_id;
  // More than one batch.
  constexpr int kRows = 2'500;
  for (int i = 0; i < kRows; ++i) {
    write_row(engine_, *table(), int_bytes(i / 2), {int_bytes(i % 2)}, v,
              protocol::as_bytes(i % 5 == 0 ? "five" : "other"));
  }
  const size_t commits = engine_.commits();
  EXPECT_EQ(run_text(*catalog_, "CREATE INDEX ON k.t (v)"), "UPDATED TABLE k.t");
  EXPECT_TRUE(index().is_built);
  EXPECT_EQ(engine_.commits() - commits, 3u);
  std::vector<Bytes> rows = rows_under(engine_, *table(), index(), protocol::as_bytes("five"));
  EXPECT_EQ(rows.size(), size_t{kRows} / 5);
  const auto all = keys_of(engine_, *table()->store);
  for (const Bytes& row : rows) EXPECT_TRUE(std::ranges::binary_search(all, row));
  // A prefix is another value.
  EXPECT_TRUE(rows_under(engine_, *table(), index(), protocol::as_bytes("fiv")).empty());
}

TEST_F(CatalogIndexTest, AServerThatStopsBreaksOffAnIndex) {
  run_text(*catalog_, "CREATE TABLE k.t (a int PRIMARY KEY, v text)");
  const uint16_t v = table()->find("v")->storage_id;
  for (int i = 0; i < 500; ++i)
    write_row(engine_, *table(), int_bytes(i), {}, v, protocol::as_bytes("x"));
  const size_t stores = engine_.stores().size();
  catalog_->stop();
  EXPECT_EQ(run_text(*catalog_, "CREATE INDEX ON k.t (v)"),
            "0000 the schema could not be changed: the server stops, and the index is not built");
  EXPECT_TRUE(table()->indexes.empty());
  EXPECT_EQ(engine_.stores().size(), stores);
  EXPECT_EQ(run_text(*catalog_, "DROP TABLE k.t"), "DROPPED TABLE k.t") << "others go on";
}

// The start of a server with an index to be built can be broken off too, and is done again.
TEST_F(CatalogIndexTest, AnInterruptBreaksOffTheOpening) {
  run_text(*catalog_, "CREATE TABLE k.t (a int PRIMARY KEY, v text)");
  const uint16_t v = table()->find("v")->storage_id;
  for (int i = 0; i < 500; ++i)
    write_row(engine_, *table(), int_bytes(i), {}, v, protocol::as_bytes("x"));
  FailingEngine failing(engine_, 4, false);
  auto dying = open_catalog(failing);
  EXPECT_EQ(run_text(*dying, "CREATE INDEX ON k.t (v)").substr(0, 4), "0000");
  core::set_interrupted(true);
  const auto broken_off = Catalog::open(engine_, test_node());
  core::set_interrupted(false);
  ASSERT_FALSE(broken_off.has_value());
  EXPECT_EQ(broken_off.error().code, core::ErrorCode::kInterrupted);
  catalog_ = open_catalog(engine_);
  ASSERT_EQ(table()->indexes.size(), 1u);
  EXPECT_TRUE(index().is_built);
  EXPECT_EQ(rows_under(engine_, *table(), index(), protocol::as_bytes("x")).size(), 500u);
}

TEST_F(CatalogIndexTest, KeyColumnsAreIndexed) {
  run_text(*catalog_,
           "CREATE TABLE k.t (a int, b text, c int, d int, v int, "
           "PRIMARY KEY ((a, b), c, d)) WITH CLUSTERING ORDER BY (c DESC)");
  core::Buffer key;
  const auto append = [&](protocol::ByteView part) {
    protocol::append_short_bytes(key, part);
    key.append_u8(0);
  };
  append(int_bytes(7));
  append(protocol::as_bytes("seven"));
  write_row(engine_, *table(), key.bytes(), {int_bytes(3), int_bytes(4)}, 0, int_bytes(1));
  for (const char* column : {"a", "b", "c", "d"})
    run_text(*catalog_, std::string("CREATE INDEX ON k.t (") + column + ")");
  const auto rows = keys_of(engine_, *table()->store);
  EXPECT_EQ(rows_under(engine_, *table(), index(0), int_bytes(7)), rows);
  EXPECT_EQ(rows_under(engine_, *table(), index(1), protocol::as_bytes("seven")), rows);
  EXPECT_EQ(rows_under(engine_, *table(), index(2), int_bytes(3)), rows);
  EXPECT_EQ(rows_under(engine_, *table(), index(3), int_bytes(4)), rows);
}

TEST_F(CatalogIndexTest, DeadCellsAndRowsAreLeftOut) {
  run_text(*catalog_, "CREATE TABLE k.t (a int PRIMARY KEY, v int, w int)");
  const Table& t = *table();
  const uint16_t v = t.find("v")->storage_id;
  const auto write = [&](int a, const std::function<void(storage::RowWriter&)>& fill) {
    core::Buffer key;
    storage::append_partition_prefix(key, storage::token_of(int_bytes(a)), int_bytes(a));
    key.append_u8(storage::kRowEntry);
    core::Buffer update;
    storage::RowWriter row(update, 1'000);
    fill(row);
    row.finish();
    const auto batch = engine_.make_batch();
    batch->merge(*t.store, key.bytes(), update.bytes());
    ASSERT_TRUE(engine_.commit(*batch));
  };
  const int64_t now_s = core::wall_clock_ns() / core::kNanosPerSecond;
  write(1, [&](auto& row) { row.delete_cell(v); });
  write(2, [&](auto& row) { row.set_cell(v, int_bytes(9), {1, now_s - 10}); });
  write(3, [&](auto& row) { row.set_cell(v, int_bytes(9), {100, now_s + 100}); });
  write(4, [&](auto& row) { row.delete_row(); });
  run_text(*catalog_, "CREATE INDEX ON k.t (v)");
  EXPECT_EQ(rows_under(engine_, *table(), index(), int_bytes(9)).size(), 1u);
  EXPECT_EQ(keys_of(engine_, *index().store).size(), 1u);
  // The entry ends with the cell.
  const auto cursor = engine_.scan(*index().store, {});
  ASSERT_TRUE(cursor->valid());
  const auto entry = storage::RowView::parse(cursor->value());
  ASSERT_TRUE(entry);
  EXPECT_TRUE(entry->is_live(now_s + 50, INT64_MIN));
  EXPECT_FALSE(entry->is_live(now_s + 101, INT64_MIN));
  EXPECT_EQ(entry->inserted_us(), 1'000);
}

// From the moment of the barrier writers know the index; before it is built nobody may read it.
TEST_F(CatalogIndexTest, WritersKnowAnIndexBeforeItIsBuilt) {
  run_text(*catalog_, "CREATE TABLE k.t (a int PRIMARY KEY, v int)");
  int calls = 0;
  catalog_->set_barrier([&] {
    ++calls;
    ASSERT_EQ(table()->indexes.size(), 1u);
    EXPECT_FALSE(index().is_built);
    // A write of before, that the build must find.
    write_row(engine_, *table(), int_bytes(1), {}, table()->find("v")->storage_id, int_bytes(5));
  });
  run_text(*catalog_, "CREATE INDEX ON k.t (v)");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(rows_under(engine_, *table(), index(), int_bytes(5)).size(), 1u);
}

TEST_F(CatalogIndexTest, AnIndexThatWasNotBuiltIsBuiltWhenItOpens) {
  run_text(*catalog_, "CREATE TABLE k.t (a int PRIMARY KEY, v int)");
  const uint16_t v = table()->find("v")->storage_id;
  write_row(engine_, *table(), int_bytes(1), {}, v, int_bytes(5));
  storage::Engine::Metadata crashed;
  catalog_->set_barrier([&] { crashed = engine_.metadata().value(); });
  run_text(*catalog_, "CREATE INDEX ON k.t (v)");
  MemoryEngine::data(*index().store).clear();
  const uint64_t store = index().store->id();
  // As if the process had ended at the barrier.
  ASSERT_TRUE(engine_.change_metadata({crashed.begin(), crashed.end()}));
  catalog_ = open_catalog(engine_);
  EXPECT_TRUE(index().is_built);
  EXPECT_EQ(index().store->id(), store);
  EXPECT_EQ(rows_under(engine_, *table(), index(), int_bytes(5)).size(), 1u);
}

TEST_F(CatalogIndexTest, DamagedRowsAreSaid) {
  run_text(*catalog_, "CREATE TABLE k.t (a int PRIMARY KEY, v int)");
  MemoryEngine::data(*table()->store)[{1, 2, 3}] = {};
  EXPECT_TRUE(run_text(*catalog_, "CREATE INDEX ON k.t (v)").starts_with("0000 "));
  EXPECT_TRUE(table()->indexes.empty());
}

TEST(IndexKey, RowKeysComeBack) {
  const storage::ClusteringColumn column = {protocol::ColumnType::of(protocol::TypeId::kVarchar),
                                            false};
  const std::vector<std::string> values = {"", "a", std::string("\0\0\1", 3), "longer text"};
  for (const std::string& value : values) {
    core::Buffer key;
    const Bytes row_key = {0, 1, 2, 0xff, 0};
    append_index_key(key, column, protocol::as_bytes(value), row_key);
    const auto found = read_index_row_key(key.bytes());
    ASSERT_TRUE(found);
    EXPECT_EQ(protocol::to_bytes(*found), row_key);
  }
}

TEST(IndexKey, EntriesAreInTheOrderOfTheirValues) {
  const storage::ClusteringColumn column = {protocol::ColumnType::of(protocol::TypeId::kInt),
                                            false};
  std::vector<Bytes> keys;
  for (const int value : {-2'000'000, -1, 0, 1, 70'000}) {
    for (const uint8_t row : {1, 200}) {
      core::Buffer key;
      append_index_key(key, column, int_bytes(value), Bytes{row, row});
      keys.push_back(protocol::to_bytes(key.bytes()));
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(keys));
}

TEST(IndexKey, BytesThatAreNoEntryAreAnError) {
  for (const Bytes& bytes : {Bytes{}, Bytes{0, 0, 0, 1}, Bytes{7, 0, 0, 0, 0},
                             Bytes{7, 7, 0, 0, 0, 2}, Bytes{7, 7, 0xff, 0xff, 0xff, 0xff}}) {
    const auto found = read_index_row_key(bytes);
    ASSERT_FALSE(found) << bytes.size();
    EXPECT_EQ(found.error().code, core::ErrorCode::kIo);
  }
}

TEST(IndexKey, ARemovalTakesAnEntryAndNotALaterOne) {
  core::Buffer entry;
  append_index_entry(entry, 10, {});
  core::Buffer removal;
  append_index_removal(removal, 10);
  core::Buffer later;
  append_index_entry(later, 11, {});
  const auto is_live = [](const core::Buffer& bytes) {
    return storage::RowView::parse(bytes.bytes()).value().is_live(1, INT64_MIN);
  };
  core::Buffer removed;
  ASSERT_TRUE(storage::merge_rows(entry.bytes(), removal.bytes(), removed));
  EXPECT_FALSE(is_live(removed));
  core::Buffer again;
  ASSERT_TRUE(storage::merge_rows(removed.bytes(), later.bytes(), again));
  EXPECT_TRUE(is_live(again));
}

}  // namespace
}  // namespace cqlperf::server
