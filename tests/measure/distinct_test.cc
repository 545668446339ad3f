#include "measure/distinct.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"

namespace cqlperf::measure {
namespace {

// Whether `found` is within `sigmas` standard errors of `truth`.
void expect_near(uint64_t found, uint64_t truth, double sigmas = 4) {
  const double error = std::abs(static_cast<double>(found) / static_cast<double>(truth) - 1);
  EXPECT_LE(error, sigmas * HyperLogLog::kStandardError) << found << " for " << truth;
}

TEST(DistinctCounter, EmptyIsZero) {
  DistinctCounter counter;
  EXPECT_EQ(counter.result().count, 0U);
  EXPECT_TRUE(counter.result().exact);
  EXPECT_EQ(counter.result().relative_error, 0);
  DistinctCounter sketch(0);
  EXPECT_EQ(sketch.result().count, 0U);
  EXPECT_FALSE(sketch.result().exact);
}

TEST(DistinctCounter, EqualsASet) {
  core::Random random(1);
  DistinctCounter counter;
  std::set<uint64_t> keys;
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t key = random.below(150'000);
    counter.add(key);
    keys.insert(key);
    if (i % 20'011 == 0) {
      EXPECT_EQ(counter.result().count, keys.size());
    }
  }
  EXPECT_EQ(counter.result().count, keys.size());
  EXPECT_TRUE(counter.result().exact);
}

TEST(DistinctCounter, CountsEveryKindOfKey) {
  // Among them the key whose hash is 0, which marks a free slot.
  uint64_t zero_hash_key = 0x9e3779b97f4a7c15ULL;
  zero_hash_key = 0 - zero_hash_key;
  ASSERT_EQ(core::mix64(zero_hash_key), 0U);
  DistinctCounter counter;
  for (int round = 0; round < 3; ++round) {
    for (const uint64_t key : {uint64_t{0}, uint64_t{1}, UINT64_MAX, zero_hash_key}) {
      counter.add(key);
    }
  }
  EXPECT_EQ(counter.result().count, 4U);
}

TEST(DistinctCounter, IsExactUpToTheLimitAndThenEstimates) {
  constexpr size_t kLimit = size_t{1} << 20;
  DistinctCounter counter(kLimit);
  uint64_t exact_up_to = 0;
  for (uint64_t key = 0; key < 400'000; ++key) {
    counter.add(key);
    if (key % 1000 != 999) continue;
    const DistinctCount result = counter.result();
    if (result.exact) {
      ASSERT_EQ(result.count, key + 1);
      exact_up_to = key + 1;
      continue;
    }
    EXPECT_GT(result.relative_error, 0);
    expect_near(result.count, key + 1);
  }
  EXPECT_GT(exact_up_to, kLimit / 14);
  EXPECT_LT(exact_up_to, kLimit / 10);
  // The set is given back, and the sketch stays.
  EXPECT_LT(counter.memory_bytes(), size_t{80} << 10);
}

TEST(DistinctCounter, MemoryStaysWithinTheLimit) {
  constexpr size_t kLimit = size_t{1} << 20;
  constexpr size_t kBesides = size_t{90} << 10;  // sketch, staging, table of parts
  DistinctCounter counter(kLimit);
  for (uint64_t key = 0; key < 200'000; ++key) {
    counter.add(key);
    if (key % 512 == 0) {
      ASSERT_LE(counter.memory_bytes(), kLimit + kBesides);
    }
  }
}

TEST(DistinctCounter, SmallLimitsWork) {
  for (const size_t limit : {size_t{0}, size_t{1}, size_t{127}, size_t{128}, size_t{5000}}) {
    DistinctCounter counter(limit);
    for (uint64_t key = 0; key < 20'000; ++key) counter.add(key);
    EXPECT_FALSE(counter.result().exact) << limit;
    expect_near(counter.result().count, 20'000);
  }
}

class SketchError : public testing::TestWithParam<uint64_t> {};

// The mean square error over several independent key sets is the one that is stated.
TEST_P(SketchError, IsAsStated) {
  const uint64_t count = GetParam();
  const int rounds = count > 1'000'000 ? 3 : 30;
  double square_sum = 0;
  for (int round = 0; round < rounds; ++round) {
    DistinctCounter counter(0);
    const uint64_t first = core::mix64(static_cast<uint64_t>(round)) >> 1;
    for (uint64_t i = 0; i < count; ++i) counter.add(first + i);
    const double error =
        static_cast<double>(counter.result().count) / static_cast<double>(count) - 1;
    square_sum += error * error;
    EXPECT_LE(std::abs(error), 4 * HyperLogLog::kStandardError);
  }
  EXPECT_LE(std::sqrt(square_sum / rounds), 1.5 * HyperLogLog::kStandardError);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SketchError,
                         testing::Values(1, 2, 100, 10'000, 65'536, 160'000, 330'000, 1'000'000,
                                         12'000'000));

TEST(DistinctCounter, BitmapIsExactForAKnownKeySpace) {
  constexpr uint64_t kKeys = 3'000'001;
  DistinctCounter counter = DistinctCounter::for_key_space(kKeys, size_t{1} << 20);
  core::Random random(5);
  std::vector<bool> seen(kKeys);
  uint64_t distinct = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    const uint64_t key = i == 0 ? kKeys - 1 : random.below(kKeys);
    counter.add(key);
    distinct += seen[key] ? 0 : 1;
    seen[key] = true;
  }
  EXPECT_TRUE(counter.result().exact);
  EXPECT_EQ(counter.result().count, distinct);
  EXPECT_LT(counter.memory_bytes(), kKeys / 8 + 4096);
}

TEST(DistinctCounter, KeySpaceThatDoesNotFitUsesTheSet) {
  DistinctCounter counter = DistinctCounter::for_key_space(uint64_t{1} << 40, 4096);
  counter.add(uint64_t{1} << 50);
  EXPECT_EQ(counter.result().count, 1U);
  EXPECT_TRUE(counter.result().exact);
}

TEST(DistinctCounterDeathTest, KeyOutsideOfTheKeySpaceAborts) {
  DistinctCounter counter = DistinctCounter::for_key_space(100);
  counter.add(100);
  EXPECT_DEATH(counter.result(), "key space");
}

TEST(DistinctCounter, MergeOfSetsIsExactWhileItFits) {
  DistinctCounter first(size_t{1} << 20);
  DistinctCounter second(size_t{1} << 20);
  for (uint64_t key = 0; key < 30'000; ++key) first.add(key);
  for (uint64_t key = 20'000; key < 50'001; ++key) second.add(key);
  first.merge(second);
  EXPECT_TRUE(first.result().exact);
  EXPECT_EQ(first.result().count, 50'001U);
  EXPECT_EQ(second.result().count, 30'001U);
}

// Into a counter that is still small: the other's keys must not crowd in its tables, for
// that takes quadratic time.
TEST(DistinctCounter, MergeOfALargeSetIntoAnEmptyOne) {
  constexpr uint64_t kKeys = 1'000'000;
  DistinctCounter large;
  for (uint64_t key = 0; key < kKeys; ++key) large.add(key);
  DistinctCounter small;
  small.merge(large);
  EXPECT_TRUE(small.result().exact);
  EXPECT_EQ(small.result().count, kKeys);
}

TEST(DistinctCounter, MergeBeyondTheLimitEstimates) {
  DistinctCounter first(size_t{1} << 20);
  DistinctCounter second(size_t{1} << 20);
  for (uint64_t key = 0; key < 60'000; ++key) first.add(key);
  for (uint64_t key = 50'000; key < 120'000; ++key) second.add(key);
  ASSERT_TRUE(first.result().exact);
  ASSERT_TRUE(second.result().exact);
  first.merge(second);
  EXPECT_FALSE(first.result().exact);
  expect_near(first.result().count, 120'000);
}

TEST(DistinctCounter, MergeWithAnEstimateIsAnEstimate) {
  for (const bool estimate_first : {false, true}) {
    DistinctCounter small(estimate_first ? 0 : size_t{1} << 20);
    DistinctCounter other(estimate_first ? size_t{1} << 20 : 0);
    for (uint64_t key = 0; key < 10'000; ++key) small.add(key);
    for (uint64_t key = 5'000; key < 20'000; ++key) other.add(key);
    small.merge(other);
    EXPECT_FALSE(small.result().exact);
    expect_near(small.result().count, 20'000);
  }
}

TEST(DistinctCounter, MergeOfBitmaps) {
  DistinctCounter first = DistinctCounter::for_key_space(1000);
  DistinctCounter second = DistinctCounter::for_key_space(1000);
  for (uint64_t key = 0; key < 600; ++key) first.add(key);
  for (uint64_t key = 500; key < 1000; ++key) second.add(key);
  first.merge(second);
  EXPECT_EQ(first.result().count, 1000U);
  EXPECT_TRUE(first.result().exact);
}

}  // namespace
}  // namespace cqlperf::measure
