#include "bench/token_ranges.h"

#include <limits>

#include <gtest/gtest.h>

namespace cqlperf::bench {
namespace {

TEST(TokenRanges, CoverTheRingWithoutGapOrOverlap) {
  for (const uint64_t count : {1u, 2u, 3u, 7u, 64u, 4096u}) {
    const auto ranges = split_ring(count);
    ASSERT_EQ(ranges.size(), count);
    EXPECT_EQ(ranges.front().after, std::numeric_limits<int64_t>::min());
    EXPECT_EQ(ranges.back().up_to, std::numeric_limits<int64_t>::max());
    for (size_t i = 1; i < count; ++i) EXPECT_EQ(ranges[i].after, ranges[i - 1].up_to) << count;
  }
}

TEST(TokenRanges, AreOfOneSize) {
  const auto ranges = split_ring(1000);
  for (const TokenSpan& range : ranges) {
    const auto size = static_cast<double>(static_cast<uint64_t>(range.up_to) -
                                          static_cast<uint64_t>(range.after));
    EXPECT_NEAR(size / 18446744073709552.0, 1, 1e-6);
  }
}

}  // namespace
}  // namespace cqlperf::bench
