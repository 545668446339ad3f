#include "bench/row_ledger.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::bench {
namespace {

using testing::ElementsAre;

TEST(RowLedger, KnowsEveryKeyOnce) {
  RowLedger ledger(130);
  for (int64_t key = 0; key < 130; ++key) EXPECT_TRUE(ledger.mark(key)) << key;
  EXPECT_EQ(ledger.unmarked().count, 0u);
  EXPECT_FALSE(ledger.mark(5)) << "a second time";
  EXPECT_FALSE(ledger.mark(130)) << "none of the keys";
  EXPECT_FALSE(ledger.mark(-1));
}

TEST(RowLedger, TellsWhichKeysWereMarked) {
  RowLedger ledger(130);
  for (const int64_t key : {0, 63, 64, 129}) ledger.mark(key);
  EXPECT_EQ(ledger.marked(), 4u);
  for (const int64_t key : {0, 63, 64, 129}) EXPECT_TRUE(ledger.is_marked(key)) << key;
  for (const int64_t key : {-1, 1, 62, 65, 128, 130, 1000})
    EXPECT_FALSE(ledger.is_marked(key)) << key;
}

TEST(RowLedger, NamesTheFirstKeysThatAreMissing) {
  for (const uint64_t keys : {63u, 64u, 65u, 1000u}) {
    RowLedger ledger(keys);
    EXPECT_EQ(ledger.unmarked().count, keys);
    EXPECT_THAT(ledger.unmarked().first_keys, ElementsAre(0, 1, 2, 3, 4));
    for (uint64_t key = 0; key + 1 < keys; ++key) ledger.mark(static_cast<int64_t>(key));
    EXPECT_THAT(ledger.unmarked().first_keys, ElementsAre(static_cast<int64_t>(keys) - 1));
    ledger.clear();
    EXPECT_EQ(ledger.unmarked().count, keys);
  }
}

TEST(RowLedger, WorkersMarkAtTheSameTime) {
  constexpr int64_t kKeys = 100'000;
  RowLedger ledger(kKeys);
  std::atomic<int64_t> marked{0};
  std::vector<std::thread> workers;
  for (int64_t worker = 0; worker < 4; ++worker)
    workers.emplace_back([&] {
      for (int64_t key = 0; key < kKeys; ++key) marked += ledger.mark(key);
    });
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(marked, kKeys) << "each key is new to one of them";
  EXPECT_EQ(ledger.unmarked().count, 0u);
}

TEST(RowFault, KeepsTheSmallestKeys) {
  measure::RowFault fault;
  for (int64_t key = 100; key > 0; --key) add_fault(fault, key);
  EXPECT_EQ(fault.count, 100u);
  EXPECT_THAT(fault.first_keys, ElementsAre(1, 2, 3, 4, 5));
  measure::RowFault other;
  add_fault(other, 0);
  add_fault(other, 3);
  merge_faults(fault, other);
  EXPECT_EQ(fault.count, 102u);
  EXPECT_THAT(fault.first_keys, ElementsAre(0, 1, 2, 3, 4));
}

}  // namespace
}  // namespace cqlperf::bench
