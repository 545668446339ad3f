#include "workload/keys.h"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "workload/values.h"

namespace cqlperf::workload {
namespace {

TEST(KeySequenceTest, SerialKeysAreEachThereOnce) {
  const KeySequence sequence(KeyOrder::kSerial, 1000, 1);
  std::set<int32_t> keys;
  for (uint64_t i = 0; i < 1000; ++i) keys.insert(sequence.key_of(i));
  EXPECT_EQ(keys.size(), 1000u);
  EXPECT_EQ(*keys.begin(), 0);
  EXPECT_EQ(*keys.rbegin(), 999);
  EXPECT_EQ(sequence.key_of(1000), 0);
  EXPECT_EQ(sequence.key_of(2999), 999);
}

TEST(KeySequenceTest, SerialKeysUseAllOfAnInt) {
  const KeySequence sequence(KeyOrder::kSerial, kKeysMax, 1);
  EXPECT_EQ(sequence.key_of(kKeysMax - 1), INT32_MAX);
  EXPECT_EQ(sequence.key_of(kKeysMax), 0);
  EXPECT_EQ(sequence.key_of(3 * uint64_t{kKeysMax} + 7), 7);
}

TEST(KeySequenceTest, RandomKeysAreAFunctionOfSeedAndIndex) {
  const KeySequence one(KeyOrder::kRandom, kKeysMax, 1);
  const KeySequence again(KeyOrder::kRandom, kKeysMax, 1);
  const KeySequence other(KeyOrder::kRandom, kKeysMax, 2);
  int same = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(one.key_of(i), again.key_of(i));
    EXPECT_GE(one.key_of(i), 0);
    if (one.key_of(i) == other.key_of(i)) ++same;
  }
  EXPECT_LT(same, 3);
}

TEST(KeySequenceTest, RandomKeysAreUniform) {
  constexpr int64_t kKeys = 10;
  constexpr uint64_t kDraws = 100'000;
  const KeySequence sequence(KeyOrder::kRandom, kKeys, 7);
  std::vector<uint64_t> counts(kKeys, 0);
  for (uint64_t i = 0; i < kDraws; ++i) ++counts.at(static_cast<size_t>(sequence.key_of(i)));
  // The standard deviation of each count is 95.
  for (const uint64_t count : counts) EXPECT_NEAR(static_cast<double>(count), 10'000, 500);
}

TEST(KeySequenceTest, RandomKeysRepeatAsRandomNumbersDo) {
  constexpr uint64_t kDraws = 200'000;
  const KeySequence sequence(KeyOrder::kRandom, kKeysMax, 3);
  std::set<int32_t> keys;
  for (uint64_t i = 0; i < kDraws; ++i) keys.insert(sequence.key_of(i));
  // n^2 / (2 * 2^31) = 9.3 of them are there already.
  EXPECT_GT(keys.size(), kDraws - 30);
  EXPECT_LT(keys.size(), kDraws);
}

TEST(KeySequenceTest, OneKeyIsAlwaysThatKey) {
  for (const KeyOrder order : {KeyOrder::kSerial, KeyOrder::kRandom}) {
    const KeySequence sequence(order, 1, 1);
    for (uint64_t i = 0; i < 10; ++i) EXPECT_EQ(sequence.key_of(i), 0);
    EXPECT_EQ(sequence.key_of(UINT64_MAX), 0);
  }
}

TEST(RowValuesTest, ValuesDependOnSeedKeyAndColumn) {
  const RowValues values(1);
  EXPECT_EQ(values.value(5, 0), RowValues(1).value(5, 0));
  EXPECT_NE(values.value(5, 0), RowValues(2).value(5, 0));
  EXPECT_NE(values.value(5, 0), values.value(5, 1));
  EXPECT_NE(values.value(5, 0), values.value(6, 0));
  std::set<int32_t> seen;
  double sum = 0;
  for (int32_t key = 0; key < 10'000; ++key) {
    for (uint32_t column = 0; column < RowValues::kColumns; ++column) {
      const int32_t value = values.value(key, column);
      ASSERT_GE(value, 0);
      seen.insert(value);
      sum += value;
    }
  }
  EXPECT_GT(seen.size(), 29'990u);
  EXPECT_NEAR(sum / 30'000, 1'073'741'824.0, 2e7);
}

}  // namespace
}  // namespace cqlperf::workload
