#include "bench/page_size.h"

#include <gtest/gtest.h>

namespace cqlperf::bench {
namespace {

TEST(PageSize, FollowsWhatPagesBring) {
  PageSize size(1 << 20, 1024, {});
  EXPECT_EQ(size.rows(), 1024);
  size.on_page(1024, 1024 * 4096);
  EXPECT_EQ(size.rows(), 256);
  size.on_page(256, 256 * 64);
  EXPECT_EQ(size.rows(), 512) << "grows by doubling";
  for (int i = 0; i < 10; ++i) size.on_page(100, 100 * 64);
  EXPECT_EQ(size.rows(), 16384);
}

TEST(PageSize, IsARowAtTheLeastAndWhatServersTakeAtTheMost) {
  EXPECT_EQ(PageSize(1 << 20, 64 << 20, {}).rows(), 1);
  EXPECT_EQ(PageSize(1 << 30, 1, {}).rows(), static_cast<int32_t>(PageSize::kRowsMax));
  EXPECT_EQ(PageSize(1 << 20, 0, {}).rows(), static_cast<int32_t>(PageSize::kRowsMax));
}

TEST(PageSize, HalvesAfterFailuresAndGrowsBack) {
  PageSize size(1 << 20, 1024, {});
  for (int i = 0; i < 30; ++i) size.on_failure();
  EXPECT_EQ(size.rows(), 1);
  for (int i = 0; i < 10; ++i) size.on_page(1, 1024);
  EXPECT_EQ(size.rows(), 1024);
}

TEST(PageSize, FixedRowsStayFixedButForFailures) {
  PageSize size(1 << 20, 1, 500);
  EXPECT_EQ(size.rows(), 500);
  size.on_page(500, 500 * 64 * 1024);
  EXPECT_EQ(size.rows(), 500);
  size.on_failure();
  EXPECT_EQ(size.rows(), 250);
  size.on_page(250, 250);
  EXPECT_EQ(size.rows(), 500);
}

TEST(PageSize, AnEmptyPageChangesNothing) {
  PageSize size(1 << 20, 1024, {});
  size.on_page(0, 40);
  EXPECT_EQ(size.rows(), 1024);
}

}  // namespace
}  // namespace cqlperf::bench
