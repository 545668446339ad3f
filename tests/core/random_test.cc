#include "core/random.h"

#include <gtest/gtest.h>

namespace cqlperf::core {
namespace {

// The reference sequence of SplitMix64 seeded with 1234567 (its state grows by the golden ratio).
TEST(Random, Mix64IsSplitMix64) {
  EXPECT_EQ(mix64(1234567), 6457827717110365317ULL);
  EXPECT_EQ(mix64(1234567 + 0x9e3779b97f4a7c15ULL), 3203168211198807973ULL);
}

TEST(Random, BelowIsFlatAndInRange) {
  Random random(1);
  int counts[10] = {};
  for (int i = 0; i < 100'000; ++i) ++counts[random.below(10)];
  for (int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Random, UnitIsInRange) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = random.unit();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.01);
}

}  // namespace
}  // namespace cqlperf::core
