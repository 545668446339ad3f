#include <gtest/gtest.h>

#include "bench/store.h"
#include "bench/store_phases.h"
#include "bench/store_table.h"

namespace cqlperf::bench {
namespace {

using measure::StorePhase;

TEST(CheckStore, TakesTheDefaults) {
  const auto status = check_store(StoreConfig());
  EXPECT_TRUE(status) << (status ? "" : status.error().message);
}

TEST(CheckStore, RefusesWhatNoSuiteCanDo) {
  const std::pair<void (*)(StoreConfig&), const char*> rows[] = {
      {[](StoreConfig& config) { config.phases.clear(); }, "--phases is empty"},
      {[](StoreConfig& config) { config.db_sizes = {0}; }, "less than one value"},
      {[](StoreConfig& config) { config.db_sizes = {65535}; }, "less than one value of 64 KiB"},
      {[](StoreConfig& config) { config.value_bytes = 1, config.db_sizes = {1ull << 32}; },
       "2147483648 are the most"},
      {[](StoreConfig& config) {
         config.phases = {StorePhase::kWrite, StorePhase::kWrite};
       },
       "while the table is full"},
      {[](StoreConfig& config) {
         config.save = true, config.db_sizes = {1 << 20, 2 << 20};
       },
       "--sizes"},
      {[](StoreConfig& config) { config.fresh = true, config.phases = {StorePhase::kRead}; },
       "--fresh drops"},
      {[](StoreConfig& config) { config.keyspace = "a b"; }, "keyspace"},
      {[](StoreConfig& config) { config.consistency = protocol::Consistency::kAny; },
       "--consistency"},
  };
  for (const auto& [spoil, message] : rows) {
    StoreConfig config;
    spoil(config);
    const auto status = check_store(config);
    ASSERT_FALSE(status) << message;
    EXPECT_EQ(status.error().code, core::ErrorCode::kUsage);
    EXPECT_NE(status.error().message.find(message), std::string::npos) << status.error().message;
  }
}

TEST(CheckStore, PhasesMayRepeatAsLongAsWritesMeetAnEmptyTable) {
  StoreConfig config;
  config.phases = {StorePhase::kWrite, StorePhase::kRead,  StorePhase::kDelete,
                   StorePhase::kRead,  StorePhase::kWrite, StorePhase::kTruncate,
                   StorePhase::kWrite, StorePhase::kRead};
  EXPECT_TRUE(check_store(config));
}

TEST(StoreParallelism, FollowsTheSizeOfValuesAndWhatWasAsked) {
  StoreConfig config;
  config.value_bytes = 1;
  const uint32_t small = store_parallelism(config, StorePhase::kWrite);
  config.value_bytes = 64 << 20;
  const uint32_t large = store_parallelism(config, StorePhase::kWrite);
  EXPECT_GT(small, large);
  EXPECT_GE(large, 1u);
  config.parallelism = 3;
  EXPECT_EQ(store_parallelism(config, StorePhase::kWrite), 3u);
  EXPECT_EQ(store_parallelism(config, StorePhase::kRead), 3u);
}

TEST(StoreTable, NotesWhatIsInIt) {
  StoreConfig config;
  EXPECT_EQ(store_contents(config, 5), "5 keys of 65536 bytes, seed 1, 0 compressible");
}

TEST(StoreTable, TheDiskIsCheckedWhereItIsKnown) {
  EXPECT_TRUE(check_disk("/tmp", 1));
  const auto full = check_disk("/tmp", uint64_t{1} << 60);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, core::ErrorCode::kSetup);
  EXPECT_NE(full.error().message.find("--no-disk-check"), std::string::npos);
  EXPECT_FALSE(check_disk("/nonexistent/data", 1));
}

}  // namespace
}  // namespace cqlperf::bench
