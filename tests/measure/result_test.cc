#include "measure/result.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cqlperf::measure {
namespace {

TEST(LatencyStats, AreAbsentWhenNothingWasRecorded) {
  const std::vector<double> extra = {99.99};
  const LatencyStats stats = latency_stats(Histogram(), extra);
  EXPECT_EQ(stats.count, 0U);
  EXPECT_FALSE(stats.mean_ns);
  EXPECT_FALSE(stats.min_ns);
  EXPECT_FALSE(stats.p50_ns);
  EXPECT_FALSE(stats.p90_ns);
  EXPECT_FALSE(stats.p99_ns);
  EXPECT_FALSE(stats.p99_9_ns);
  EXPECT_FALSE(stats.max_ns);
  ASSERT_EQ(stats.extra.size(), 1U);
  EXPECT_FALSE(stats.extra[0].value_ns);
}

TEST(LatencyStats, PercentilesAreNotAboveTheMaximum) {
  Histogram histogram;
  histogram.record(37'001);
  const LatencyStats stats = latency_stats(histogram, {});
  EXPECT_EQ(stats.p50_ns, 37'001);
  EXPECT_EQ(stats.p99_9_ns, 37'001);
  EXPECT_EQ(stats.max_ns, 37'001);
}

TEST(LatencyStats, HaveTheValuesOfTheHistogram) {
  Histogram histogram;
  for (int64_t value = 1; value <= 10'000; ++value) histogram.record(value);
  histogram.record(INT64_MAX);
  const std::vector<double> extra = {25, 99.99};
  const LatencyStats stats = latency_stats(histogram, extra);
  EXPECT_EQ(stats.count, 10'001U);
  EXPECT_EQ(stats.over_range, 1U);
  EXPECT_EQ(stats.min_ns, 1);
  EXPECT_EQ(stats.p50_ns, 5003);
  EXPECT_EQ(stats.p90_ns, 9007);
  EXPECT_EQ(stats.p99_ns, 9903);
  EXPECT_EQ(stats.p99_9_ns, 9991);
  EXPECT_EQ(stats.max_ns, Histogram::kHighestNs);
  ASSERT_EQ(stats.extra.size(), 2U);
  EXPECT_EQ(stats.extra[0].percentile, 25);
  EXPECT_EQ(stats.extra[0].value_ns, 2501);
  EXPECT_EQ(stats.extra[1].value_ns, 10'007);
}

TEST(PercentileName, DiffersForDifferentPercentiles) {
  EXPECT_EQ(percentile_name(50), "p50");
  EXPECT_EQ(percentile_name(99.9), "p99_9");
  EXPECT_EQ(percentile_name(99.99), "p99_99");
  EXPECT_EQ(percentile_name(99.991), "p99_991");
  EXPECT_EQ(percentile_name(99.9999), "p99_9999");
  EXPECT_EQ(percentile_name(100), "p100");
  EXPECT_EQ(percentile_name(0), "p0");
  EXPECT_EQ(percentile_name(0.00001), "p0_00001");
}

}  // namespace
}  // namespace cqlperf::measure
