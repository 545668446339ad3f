#include "report/store_progress.h"

#include <gtest/gtest.h>

namespace cqlperf::report {
namespace {

StoreBar half_written() {
  return {.phase = measure::StorePhase::kWrite,
          .keys = 8'192,
          .keys_total = 16'384,
          .value_bytes = 65'536,
          .seconds = 12,
          .bytes_per_second = 312.4e6,
          .requests_per_second = 4'766};
}

TEST(StoreBar, FitsTheWidth) {
  EXPECT_EQ(store_bar(half_written(), 79),
            "write [############............]  50 %  512 MiB of 1 GiB  312.4 MB/s  0:12 left");
  for (size_t width = 0; width < 200; ++width)
    EXPECT_LE(store_bar(half_written(), width).size(), width);
  EXPECT_EQ(store_bar(half_written(), 50), "write  50 %  512 MiB of 1 GiB  312.4 MB/s  0:12 le");
  EXPECT_EQ(store_bar(half_written(), 500).find(']'), 6 + 1 + 40);
}

TEST(StoreBar, StartsEmptyAndEndsFull) {
  StoreBar bar = half_written();
  bar.keys = 0;
  EXPECT_EQ(store_bar(bar, 60), "write [.........]   0 %  0 B of 1 GiB  312.4 MB/s  -:-- left");
  bar.keys = bar.keys_total - 1;
  EXPECT_NE(store_bar(bar, 60).find(" 99 %"), std::string::npos) << "100 % is all of it";
  bar.keys = bar.keys_total + 5;
  EXPECT_NE(store_bar(bar, 70).find("#] 100 %"), std::string::npos) << store_bar(bar, 70);
  EXPECT_NE(store_bar({}, 60).find("  0 %"), std::string::npos) << "nothing to do";
}

TEST(StoreProgressLine, IsPlain) {
  EXPECT_EQ(store_progress_line(half_written()),
            "write: 50 %, 512 MiB of 1 GiB, 312.4 MB/s, 0:12 left\n");
}

TEST(StoreProgressLine, DeletesCountKeys) {
  StoreBar bar = half_written();
  bar.phase = measure::StorePhase::kDelete;
  EXPECT_EQ(store_progress_line(bar),
            "delete: 50 %, 8,192 of 16,384 keys, 4,766 keys/s, 0:12 left\n");
}

}  // namespace
}  // namespace cqlperf::report
