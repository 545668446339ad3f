#include "storage/engine.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rocksdb/db.h>

#include "core/random.h"
#include "engine_fixture.h"
#include "storage/partition.h"

namespace cqlperf::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using EngineTest = EngineFixture;

TEST_F(EngineTest, ReadsWhatWasCommitted) {
  open();
  const StorePtr store = new_store();
  put(*store, "k", "one");
  EXPECT_EQ(get(*store, "k"), "one");
  EXPECT_EQ(get(*store, "other"), "nothing");
  EXPECT_FALSE(engine_->keeps_nothing());
}

TEST_F(EngineTest, UpdatesOfAKeyMerge) {
  open();
  const StorePtr store = new_store();
  put(*store, "k", "new", 20);
  put(*store, "k", "old", 10);
  EXPECT_EQ(get(*store, "k"), "new");
  EXPECT_EQ(keys(*store), "k");
}

TEST_F(EngineTest, EntriesOfPartitionsMergeToo) {
  open();
  const StorePtr store = new_store();
  for (const auto& [begin, end] : {std::pair("a", "c"), std::pair("b", "d")}) {
    core::Buffer update;
    append_range_deletion(update, protocol::as_bytes(begin), protocol::as_bytes(end), 5);
    put(*store, "p", update.bytes());
  }
  const auto cursor = engine_->scan(*store, {});
  ASSERT_TRUE(cursor->valid());
  const PartitionView entry = PartitionView::parse(cursor->value()).value();
  EXPECT_EQ(entry.deleted_us(protocol::as_bytes("cc")), 5);
  EXPECT_EQ(entry.deleted_us(protocol::as_bytes("d")), INT64_MIN);
}

TEST_F(EngineTest, ABatchIsNotThereBeforeItsCommit) {
  open();
  const StorePtr store = new_store();
  batch_->merge(*store, bytes_of("k"), row_with("v"));
  EXPECT_EQ(batch_->count(), 1);
  EXPECT_GT(batch_->size_bytes(), 0);
  EXPECT_EQ(get(*store, "k"), "nothing");
  ASSERT_TRUE(engine_->commit(*batch_).has_value());
  batch_->clear();
  EXPECT_EQ(batch_->count(), 0);
  EXPECT_EQ(get(*store, "k"), "v");
  EXPECT_TRUE(engine_->commit(*batch_).has_value());
}

TEST_F(EngineTest, OneBatchAndOneRunOfReadsConcernSeveralStores) {
  open();
  const StorePtr one = new_store();
  const StorePtr other = new_store();
  EXPECT_NE(one->id(), other->id());
  for (const std::string key : {"c", "a", "b"}) {
    batch_->merge(*one, bytes_of(key), row_with("one " + key));
    batch_->merge(*other, bytes_of(key), row_with("other " + key));
  }
  ASSERT_TRUE(engine_->commit(*batch_).has_value());
  const auto reads = engine_->make_point_reads();
  for (int round = 0; round < 2; ++round) {
    const size_t first = reads->add(*other, bytes_of("b"));
    const size_t second = reads->add(*one, bytes_of("zz"));
    const size_t third = reads->add(*one, bytes_of("a"));
    const size_t again = reads->add(*one, bytes_of("a"));
    ASSERT_EQ(reads->count(), 4);
    ASSERT_TRUE(reads->run().has_value());
    EXPECT_EQ(value_in(*reads->value(first)), "other b");
    EXPECT_EQ(reads->value(second), std::nullopt);
    EXPECT_EQ(value_in(*reads->value(third)), "one a");
    EXPECT_EQ(value_in(*reads->value(again)), "one a");
    reads->clear();
    EXPECT_EQ(reads->count(), 0);
  }
  EXPECT_TRUE(reads->run().has_value());
}

TEST_F(EngineTest, ScansRangesForwardsAndBackwards) {
  open();
  const StorePtr store = new_store();
  for (const std::string key : {"a", "b", "bb", "c", "d"}) put(*store, key, "v");
  EXPECT_EQ(keys(*store), "a b bb c d");
  EXPECT_EQ(keys(*store, {.reverse = true}), "d c bb b a");
  EXPECT_EQ(keys(*store, {.lower = bytes_of("b"), .upper = bytes_of("c")}), "b bb");
  EXPECT_EQ(keys(*store, {.lower = bytes_of("b"), .upper = bytes_of("c"), .reverse = true}),
            "bb b");
  EXPECT_EQ(keys(*store, {.lower = bytes_of("bc")}), "c d");
  EXPECT_EQ(keys(*store, {.lower = bytes_of("x")}), "");
  EXPECT_EQ(keys(*store, {.lower = bytes_of("c"), .upper = bytes_of("b")}), "");
}

TEST_F(EngineTest, ACursorSeeksInsideItsRange) {
  open();
  const StorePtr store = new_store();
  for (const std::string key : {"a", "c", "e", "g"}) put(*store, key, "v");
  const auto at = [&](bool reverse, std::string_view key) -> std::string {
    const auto cursor =
        engine_->scan(*store, {.lower = bytes_of("c"), .upper = bytes_of("g"), .reverse = reverse});
    cursor->seek(bytes_of(key));
    return cursor->valid() ? text_of(cursor->key()) : "none";
  };
  EXPECT_EQ(at(false, "d"), "e");
  EXPECT_EQ(at(false, "e"), "e");
  EXPECT_EQ(at(false, "a"), "c");
  EXPECT_EQ(at(false, "f"), "none");
  EXPECT_EQ(at(true, "d"), "c");
  EXPECT_EQ(at(true, "c"), "c");
  EXPECT_EQ(at(true, "z"), "e");
  EXPECT_EQ(at(true, "b"), "none");
}

TEST_F(EngineTest, ACursorSeesTheStoreAsItWas) {
  open();
  const StorePtr store = new_store();
  put(*store, "a", "1");
  const auto cursor = engine_->scan(*store, {});
  put(*store, "b", "2");
  put(*store, "a", "3", 9);
  ASSERT_TRUE(cursor->valid());
  EXPECT_EQ(value_in(cursor->value()), "1");
  cursor->next();
  EXPECT_FALSE(cursor->valid());
  EXPECT_TRUE(cursor->status().has_value());
  EXPECT_EQ(keys(*store), "a b");
}

TEST_F(EngineTest, EverythingIsThereAfterReopening) {
  open();
  StorePtr store = new_store();
  const uint64_t id = store->id();
  put(*store, "k", "v");
  ASSERT_TRUE(engine_->change_metadata({{"name", "fact"}, {"gone", "x"}}).has_value());
  ASSERT_TRUE(engine_->change_metadata({{"gone", std::nullopt}}).has_value());
  store.reset();
  close();
  open();
  ASSERT_TRUE(engine_->stores().contains(id));
  EXPECT_EQ(get(*engine_->stores()[id], "k"), "v");
  EXPECT_EQ(engine_->metadata().value(), (Engine::Metadata{{"name", "fact"}}));
}

TEST_F(EngineTest, IdsAreNotUsedAgain) {
  open();
  const uint64_t first = new_store()->id();
  const uint64_t second = new_store()->id();
  ASSERT_TRUE(engine_->drop_store(engine_->stores()[second]).has_value());
  EXPECT_EQ(engine_->stores().size(), 1);
  close();
  open();
  EXPECT_EQ(engine_->stores().size(), 1);
  EXPECT_TRUE(engine_->stores().contains(first));
  EXPECT_GT(new_store()->id(), second);
}

TEST_F(EngineTest, ADroppedStoreStaysUsableForWhoHoldsIt) {
  open();
  const StorePtr store = new_store();
  const StorePtr kept = new_store();
  put(*store, "k", "v");
  const auto cursor = engine_->scan(*store, {});
  ASSERT_TRUE(engine_->drop_store(store).has_value());
  EXPECT_FALSE(engine_->stores().contains(store->id()));
  EXPECT_EQ(get(*store, "k"), "v");
  EXPECT_TRUE(cursor->valid());
  batch_->merge(*store, bytes_of("late"), row_with("lost with it"));
  batch_->merge(*kept, bytes_of("k"), row_with("kept"));
  ASSERT_TRUE(engine_->commit(*batch_).has_value());
  EXPECT_EQ(get(*kept, "k"), "kept");
  EXPECT_EQ(get(*store, "late"), "lost with it");
  EXPECT_TRUE(engine_->drop_store(store).has_value());
  EXPECT_FALSE(engine_->stores().contains(store->id()));
}

TEST_F(EngineTest, AStoreOutlivesTheEngine) {
  open();
  const StorePtr store = new_store();
  const StorePtr dropped = new_store();
  ASSERT_TRUE(engine_->drop_store(dropped).has_value());
  close();
  const auto other = open_engine(options());
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(other.error().message, HasSubstr("in use by another process"));
}

size_t bytes_of_tables(const std::string& directory) {
  size_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    const auto kind = file.path().extension();
    if (kind == ".sst" || kind == ".blob") bytes += file.file_size();
  }
  return bytes;
}

TEST_F(EngineTest, TheFilesOfADroppedStoreAreRemoved) {
  memory_ = size_t{16} << 20;
  open();
  StorePtr store = new_store();
  core::Random random(51);
  for (int i = 0; i < 40; ++i) {
    std::string value(size_t{1} << 20, '\0');
    for (char& byte : value) byte = static_cast<char>(random.next());
    put(*store, std::to_string(i), value);
  }
  EXPECT_GT(bytes_of_tables(directory_.path()), size_t{8} << 20);
  ASSERT_TRUE(engine_->drop_store(store).has_value());
  EXPECT_THAT(get(*store, "7"), ::testing::SizeIs(size_t{1} << 20));
  store.reset();
  close();
  EXPECT_LT(bytes_of_tables(directory_.path()), size_t{1} << 20);
}

TEST_F(EngineTest, ReadsFromFilesAndMemoryTogether) {
  memory_ = size_t{16} << 20;
  open();
  const StorePtr store = new_store();
  const std::string filler(size_t{256} << 10, 'x');
  for (int i = 0; i < 20; ++i) {
    put(*store, "k" + std::to_string(i), "first");
    // Large enough that the rows before are flushed.
    for (int j = 0; j < 8; ++j) put(*store, "filler" + std::to_string(j), filler, i);
  }
  EXPECT_GT(bytes_of_tables(directory_.path()), 0);
  for (int i = 0; i < 20; i += 2) put(*store, "k" + std::to_string(i), "second", 9);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(get(*store, "k" + std::to_string(i)), i % 2 == 0 ? "second" : "first");
  }
  const auto cursor = engine_->scan(*store, {.lower = bytes_of("k"), .reverse = true});
  ASSERT_TRUE(cursor->valid());
  EXPECT_EQ(text_of(cursor->key()), "k9");
  EXPECT_EQ(value_in(cursor->value()), "first");
}

// Else each read of a counter that is written all the time would take longer than the one before.
TEST_F(EngineTest, ManyUpdatesOfOneKeyAreMergedForGood) {
  open();
  const StorePtr store = new_store();
  const protocol::Bytes key = bytes_of("counter");
  core::Buffer update;
  RowWriter row(update, 5);
  row.add_to_counter(0, 1);
  row.finish();
  for (int i = 0; i < 20'000; ++i) {
    batch_->merge(*store, key, update.bytes());
    if (batch_->count() < 1'000) continue;
    ASSERT_TRUE(engine_->commit(*batch_).has_value());
    batch_->clear();
  }
  ASSERT_EQ(bytes_of_tables(directory_.path()), 0);
  const std::string sum = {'\0', '\0', '\0', '\0', '\0', '\0', '\x4E', '\x20'};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  do {
    ASSERT_EQ(get(*store, "counter"), sum);
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  } while (bytes_of_tables(directory_.path()) == 0);
  EXPECT_EQ(get(*store, "counter"), sum);
}

TEST_F(EngineTest, LargeValuesComeBack) {
  open();
  const StorePtr store = new_store();
  const std::string value(size_t{64} << 20, 'x');
  put(*store, "k", value);
  EXPECT_EQ(get(*store, "k"), value);
  close();
}

TEST_F(EngineTest, ManyStoresDoNotTakeMemoryEach) {
  memory_ = size_t{8} << 20;
  open();
  std::vector<StorePtr> stores;
  for (int i = 0; i < 50; ++i) {
    stores.push_back(new_store());
    put(*stores.back(), "k", std::to_string(i));
  }
  const std::string filler(1000, 'x');
  for (int i = 0; i < 12'000; ++i) {
    batch_->merge(*stores[static_cast<size_t>(i) % 50], bytes_of(std::to_string(i)),
                  row_with(filler));
    if (batch_->count() < 100) continue;
    ASSERT_TRUE(engine_->commit(*batch_).has_value());
    batch_->clear();
  }
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(get(*stores[i], "k"), std::to_string(i));
}

TEST_F(EngineTest, ThreadsWriteAndReadTogether) {
  open();
  const StorePtr store = new_store();
  const auto write = [&](const std::string& prefix) {
    const auto batch = engine_->make_batch();
    const auto reads = engine_->make_point_reads();
    for (int i = 0; i < 500; ++i) {
      const std::string key = prefix + std::to_string(i);
      batch->merge(*store, bytes_of(key), row_with(key));
      EXPECT_TRUE(engine_->commit(*batch).has_value());
      batch->clear();
      reads->add(*store, bytes_of(key));
      EXPECT_TRUE(reads->run().has_value());
      const auto value = reads->value(0);
      EXPECT_EQ(value ? value_in(*value) : "nothing", key);
      reads->clear();
    }
  };
  std::thread one([&] { write("a"); });
  std::thread other([&] { write("b"); });
  one.join();
  other.join();
  const std::string found = keys(*store);
  EXPECT_EQ(std::count(found.begin(), found.end(), ' '), 999);
}

// As when a program ends by exit() and closes its database in a destructor after that.
TEST_F(EngineTest, AThreadMayReadWhileItEnds) {
  struct AtEnd {
    std::function<void()> act;
    ~AtEnd() { act(); }
  };
  open();
  const StorePtr store = new_store();
  put(*store, "k", "v");
  int ends = 0;
  const auto read = [&] {
    ++ends;
    EXPECT_EQ(keys(*store), "k");
    EXPECT_EQ(get(*store, "k"), "v");
  };
  std::thread([&] {
    // Made before what the storage keeps for this thread, so that it goes after that.
    static thread_local AtEnd at_end{read};
    at_end.act();
  }).join();
  EXPECT_EQ(ends, 2);
}

TEST_F(EngineTest, ADirectoryIsMadeWhenItIsMissing) {
  const std::string below = directory_.path() + "/new/deep";
  EXPECT_TRUE(open_engine({.directory = below, .memory_bytes = memory_}).has_value());
  EXPECT_TRUE(std::filesystem::is_directory(below));
}

TEST_F(EngineTest, ADirectoryThatCannotBeIsAnError) {
  const std::string file = directory_.path() + "/file";
  std::ofstream(file) << "x";
  const auto engine = open_engine({.directory = file + "/below", .memory_bytes = memory_});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().code, core::ErrorCode::kIo);
  EXPECT_THAT(engine.error().message, HasSubstr(file + "/below"));
}

TEST_F(EngineTest, ADamagedDirectoryIsAnError) {
  open();
  new_store();
  close();
  std::ofstream(directory_.path() + "/CURRENT") << "nonsense";
  const auto engine = open_engine(options());
  ASSERT_FALSE(engine.has_value());
  EXPECT_THAT(engine.error().message, StartsWith("cannot open the data directory"));
  EXPECT_THAT(engine.error().message, HasSubstr("files are damaged or missing; put back a copy"));
}

TEST_F(EngineTest, LostMetadataAreSaid) {
  open();
  new_store();
  close();
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
    if (entry.path().extension() == ".log") std::filesystem::resize_file(entry.path(), 0);
  const auto engine = open_engine(options());
  ASSERT_FALSE(engine.has_value());
  EXPECT_THAT(engine.error().message, HasSubstr("metadata of its tables are missing"));
}

TEST_F(EngineTest, ADamagedLogIsToldAndWhatComesBeforeIsThere) {
  open();
  const StorePtr store = new_store();
  for (int i = 0; i < 100; ++i) put(*store, fmt::format("k{:02}", i), std::string(100, 'v'));
  const uint64_t id = store->id();
  // Before it is closed, which writes the rest to files: as a crash leaves it.
  TemporaryDirectory copy;
  std::filesystem::copy(directory_.path(), copy.path(), std::filesystem::copy_options::recursive);
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(copy.path())) {
    if (entry.path().extension() != ".log" || entry.file_size() == 0) continue;
    std::fstream log(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    log.seekp(static_cast<std::streamoff>(entry.file_size() / 2)).put('\x55').put('\xaa');
  }
  EngineOptions damaged = options();
  damaged.directory = copy.path();
  damaged.on_damage = [&](const std::string& what) { text = what; };
  const auto engine = open_engine(damaged);
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_THAT(text, HasSubstr("the writes behind that place are lost"));
  const auto cursor = (*engine)->scan(*(*engine)->stores().at(id), {});
  int rows = 0;
  for (; cursor->valid(); cursor->next()) ++rows;
  EXPECT_GT(rows, 10);
  EXPECT_LT(rows, 90);
}

// RocksDB removes files that bear names like its own, whoever made them.
TEST_F(EngineTest, ADirectoryWithOtherFilesIsRefused) {
  std::ofstream(directory_.path() + "/000123.sst") << "mine";
  std::ofstream(directory_.path() + "/letter.txt") << "mine";
  const auto engine = open_engine(options());
  ASSERT_FALSE(engine.has_value());
  EXPECT_THAT(engine.error().message, HasSubstr("other files in it, such as letter.txt"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.path()), {}), 2);
  // Files that come later do no harm.
  std::filesystem::remove(directory_.path() + "/000123.sst");
  std::filesystem::remove(directory_.path() + "/letter.txt");
  std::filesystem::create_directory(directory_.path() + "/lost+found");
  open();
  close();
  std::ofstream(directory_.path() + "/letter.txt") << "mine";
  open();
}

// Writes a name of a database that is not open, as another program would.
void write_name(const std::string& directory, const std::string& name, const std::string& value) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, directory, &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  ASSERT_TRUE(db->Put({}, name, value).ok());
}

TEST_F(EngineTest, AnotherFormatIsAnError) {
  open();
  close();
  write_name(directory_.path(), "engine/format", "99");
  const auto engine = open_engine(options());
  ASSERT_FALSE(engine.has_value());
  EXPECT_THAT(engine.error().message, HasSubstr("format 99"));
  EXPECT_THAT(engine.error().message, StartsWith(directory_.path()));
}

TEST_F(EngineTest, AnotherProgramsDataAreLeftAlone) {
  write_name(directory_.path(), "theirs", "x");
  const auto engine = open_engine(options());
  ASSERT_FALSE(engine.has_value());
  EXPECT_THAT(engine.error().message, HasSubstr("another program"));
}

TEST(NullEngine, TakesWritesAndKeepsNone) {
  const auto engine = make_null_engine();
  EXPECT_TRUE(engine->keeps_nothing());
  const StorePtr store = engine->create_store().value();
  EXPECT_NE(store->id(), engine->create_store().value()->id());
  const auto batch = engine->make_batch();
  const protocol::Bytes key = {1};
  batch->merge(*store, key, row_with("v"));
  EXPECT_EQ(batch->count(), 1);
  EXPECT_TRUE(engine->commit(*batch).has_value());
  batch->clear();
  EXPECT_EQ(batch->count(), 0);
  const auto reads = engine->make_point_reads();
  EXPECT_EQ(reads->add(*store, key), 0);
  EXPECT_EQ(reads->add(*store, key), 1);
  EXPECT_TRUE(reads->run().has_value());
  EXPECT_EQ(reads->value(0), std::nullopt);
  EXPECT_FALSE(engine->scan(*store, {})->valid());
  EXPECT_TRUE(engine->drop_store(store).has_value());
}

TEST(NullEngine, KeepsMetadata) {
  const auto engine = make_null_engine();
  EXPECT_TRUE(engine->change_metadata({{"a", "1"}, {"b", "2"}}).has_value());
  EXPECT_TRUE(engine->change_metadata({{"a", std::nullopt}, {"b", "3"}}).has_value());
  EXPECT_EQ(engine->metadata().value(), (Engine::Metadata{{"b", "3"}}));
}

}  // namespace
}  // namespace cqlperf::storage
