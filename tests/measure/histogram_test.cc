#include "measure/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"

namespace cqlperf::measure {
namespace {

struct BucketCase {
  int64_t value_ns;
  int64_t lowest_ns;
  int64_t highest_ns;
};

class HistogramBucket : public testing::TestWithParam<BucketCase> {};

TEST_P(HistogramBucket, HoldsTheEquivalentValues) {
  const BucketCase& row = GetParam();
  const size_t index = Histogram::index_of(row.value_ns);
  EXPECT_EQ(Histogram::lowest_equivalent_ns(index), row.lowest_ns);
  EXPECT_EQ(Histogram::highest_equivalent_ns(index), row.highest_ns);
  EXPECT_EQ(Histogram::index_of(row.lowest_ns), index);
  EXPECT_EQ(Histogram::index_of(row.highest_ns), index);
  EXPECT_EQ(Histogram::index_of(row.highest_ns + 1), index + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Edges, HistogramBucket,
    testing::Values(BucketCase{0, 0, 0}, BucketCase{1, 1, 1}, BucketCase{1023, 1023, 1023},
                    BucketCase{1024, 1024, 1024}, BucketCase{2047, 2047, 2047},
                    BucketCase{2048, 2048, 2049}, BucketCase{2049, 2048, 2049},
                    BucketCase{4095, 4094, 4095}, BucketCase{4096, 4096, 4099},
                    // 10007 = 1250 * 8 + 7
                    BucketCase{10007, 10000, 10007}, BucketCase{37'000, 36'992, 37'023},
                    BucketCase{int64_t{1} << 31, int64_t{1} << 31,
                               (int64_t{1} << 31) + (1 << 21) - 1},
                    BucketCase{Histogram::kHighestNs, 3'599'182'594'048, 3'601'330'077'695}));

TEST(Histogram, EveryIndexIsWithinTheTable) {
  EXPECT_LT(Histogram::index_of(Histogram::kHighestNs), Histogram::kBucketCount);
}

TEST(Histogram, EmptyHasNoStatistics) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_FALSE(histogram.min_ns());
  EXPECT_FALSE(histogram.max_ns());
  EXPECT_FALSE(histogram.mean_ns());
  EXPECT_FALSE(histogram.value_at_percentile(50));
  EXPECT_EQ(histogram.end_index(), 0U);
  int buckets = 0;
  histogram.for_each_bucket([&](int64_t, int64_t, uint64_t) { ++buckets; });
  EXPECT_EQ(buckets, 0);
}

TEST(Histogram, OneValueIsEveryPercentile) {
  Histogram histogram;
  histogram.record(37'000);
  EXPECT_EQ(histogram.min_ns(), 37'000);
  EXPECT_EQ(histogram.max_ns(), 37'000);
  EXPECT_EQ(histogram.mean_ns(), 37'000.0);
  EXPECT_EQ(histogram.value_at_percentile(0), 36'992);
  for (const double percentile : {0.001, 50.0, 99.9999, 100.0, 150.0}) {
    EXPECT_EQ(histogram.value_at_percentile(percentile), 37'023) << percentile;
  }
  EXPECT_EQ(histogram.value_at_percentile(-1), 36'992);
}

TEST(Histogram, ZeroIsAValue) {
  Histogram histogram;
  histogram.record(0);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.max_ns(), 0);
  EXPECT_EQ(histogram.value_at_percentile(100), 0);
}

TEST(Histogram, NegativeCountsAsZero) {
  Histogram histogram;
  histogram.record(-5);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.count(), 1U);
}

TEST(Histogram, OverRangeIsClampedAndCounted) {
  Histogram histogram;
  histogram.record(Histogram::kHighestNs);
  EXPECT_EQ(histogram.over_range(), 0U);
  histogram.record(Histogram::kHighestNs + 1);
  histogram.record(INT64_MAX);
  EXPECT_EQ(histogram.over_range(), 2U);
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.max_ns(), Histogram::kHighestNs);
  EXPECT_EQ(histogram.min_ns(), Histogram::kHighestNs);
  EXPECT_EQ(histogram.mean_ns(), static_cast<double>(Histogram::kHighestNs));
}

// Values 1..10000: the percentiles are known, each rounded up to its bucket's end.
TEST(Histogram, PercentilesOfAKnownSequence) {
  Histogram histogram;
  for (int64_t value = 1; value <= 10'000; ++value) histogram.record(value);
  const std::vector<std::pair<double, int64_t>> expected = {
      {0, 1},       {0.01, 1},     {10, 1000},      {50, 5003},       {90, 9007},   {99, 9903},
      {99.9, 9991}, {99.99, 9999}, {99.991, 10007}, {99.9999, 10007}, {100, 10007},
  };
  for (const auto& [percentile, value_ns] : expected) {
    EXPECT_EQ(histogram.value_at_percentile(percentile), value_ns) << percentile;
  }
  EXPECT_EQ(histogram.mean_ns(), 5000.5);
}

TEST(Histogram, HighPercentilesDiffer) {
  Histogram histogram;
  histogram.record(1000, 999'900);
  histogram.record(1100, 9);
  histogram.record(1200, 90);
  histogram.record(1300, 1);
  EXPECT_EQ(histogram.value_at_percentile(99.99), 1000);
  EXPECT_EQ(histogram.value_at_percentile(99.9901), 1100);
  EXPECT_EQ(histogram.value_at_percentile(99.991), 1200);
  EXPECT_EQ(histogram.value_at_percentile(99.9999), 1200);
  EXPECT_EQ(histogram.value_at_percentile(100), 1300);
}

TEST(Histogram, IsWithinOneInThousandOfTheSortedValues) {
  core::Random random(7);
  Histogram histogram;
  std::vector<int64_t> values;
  for (int i = 0; i < 100'000; ++i) {
    const auto value = static_cast<int64_t>(std::exp(random.unit() * 28));
    values.push_back(value);
    histogram.record(value);
  }
  std::ranges::sort(values);
  for (const double percentile : {1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 99.99}) {
    const auto rank = static_cast<size_t>(std::ceil(percentile / 100 * 100'000 - 1e-6));
    const auto exact = static_cast<double>(values[rank - 1]);
    const auto found = static_cast<double>(*histogram.value_at_percentile(percentile));
    EXPECT_GE(found, exact) << percentile;
    EXPECT_LE(found, exact * (1 + 1.0 / 1024)) << percentile;
  }
}

TEST(Histogram, CountsBeyond32Bits) {
  for (const uint64_t count : {(uint64_t{1} << 31) + 1, (uint64_t{1} << 32) + 1}) {
    Histogram part;
    part.record(2000, count - 1);
    Histogram total;
    total.record(Histogram::kHighestNs);
    total.add(part);
    EXPECT_EQ(total.count(), count);
    EXPECT_EQ(total.value_at_percentile(50), 2000);
    EXPECT_EQ(total.max_ns(), Histogram::kHighestNs);
  }
}

TEST(Histogram, MeanOfLargeSumsIsExact) {
  Histogram histogram;
  histogram.record(Histogram::kHighestNs, uint64_t{1} << 40);  // a sum of about 2^82
  EXPECT_EQ(histogram.mean_ns(), static_cast<double>(Histogram::kHighestNs));
}

TEST(Histogram, AddEqualsRecordingTogether) {
  core::Random random(11);
  Histogram first;
  Histogram second;
  Histogram together;
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<int64_t>(random.below(uint64_t{1} << (i % 43)));
    (i % 3 == 0 ? first : second).record(value);
    together.record(value);
  }
  first.add(second);
  first.add(Histogram());
  EXPECT_EQ(first.count(), together.count());
  EXPECT_EQ(first.over_range(), together.over_range());
  EXPECT_EQ(first.min_ns(), together.min_ns());
  EXPECT_EQ(first.max_ns(), together.max_ns());
  EXPECT_EQ(first.mean_ns(), together.mean_ns());
  for (size_t i = 0; i < Histogram::kBucketCount; ++i) {
    ASSERT_EQ(first.count_at(i), together.count_at(i)) << i;
  }
}

TEST(Histogram, AddToAnEmptyOneCopies) {
  Histogram source;
  source.record(5);
  source.record(Histogram::kHighestNs * 2);
  Histogram target;
  target.add(source);
  EXPECT_EQ(target.min_ns(), 5);
  EXPECT_EQ(target.max_ns(), Histogram::kHighestNs);
  EXPECT_EQ(target.over_range(), 1U);
}

TEST(Histogram, ResetForgetsEverything) {
  Histogram histogram;
  for (int64_t value = 1; value < Histogram::kHighestNs; value *= 3) histogram.record(value);
  histogram.record(INT64_MAX);
  histogram.reset();
  EXPECT_TRUE(histogram.empty());
  EXPECT_EQ(histogram.over_range(), 0U);
  for (size_t i = 0; i < Histogram::kBucketCount; ++i) ASSERT_EQ(histogram.count_at(i), 0U) << i;
  histogram.record(42);
  EXPECT_EQ(histogram.min_ns(), 42);
  EXPECT_EQ(histogram.mean_ns(), 42.0);
}

TEST(Histogram, VisitsBucketsInOrder) {
  Histogram histogram;
  histogram.record(2048);
  histogram.record(2049);
  histogram.record(3);
  histogram.record(1'000'000);
  std::vector<std::tuple<int64_t, int64_t, uint64_t>> buckets;
  histogram.for_each_bucket([&](int64_t lowest_ns, int64_t highest_ns, uint64_t count) {
    buckets.emplace_back(lowest_ns, highest_ns, count);
  });
  const std::vector<std::tuple<int64_t, int64_t, uint64_t>> expected = {
      {3, 3, 1}, {2048, 2049, 2}, {999'936, 1'000'447, 1}};
  EXPECT_EQ(buckets, expected);
}

TEST(Histogram, RecordBucketTakesTheMiddleAndTheEnds) {
  Histogram histogram;
  histogram.record_bucket(Histogram::index_of(37'000), 4);
  histogram.record_bucket(Histogram::index_of(99), 0);
  EXPECT_EQ(histogram.count(), 4U);
  EXPECT_EQ(histogram.min_ns(), 36'992);
  EXPECT_EQ(histogram.max_ns(), 37'023);
  EXPECT_EQ(histogram.mean_ns(), 37'008.0);
}

}  // namespace
}  // namespace cqlperf::measure
