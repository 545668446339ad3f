#include "bench/descriptor_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace cqlperf::bench {
namespace {

TEST(DescriptorLimit, IsRaisedWhenItIsTooLowAndAllowed) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_GE(before.rlim_max, 300U);
  rlimit low = before;
  low.rlim_cur = 200;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_TRUE(ensure_descriptors(300));
  rlimit after = {};
  getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, 300U);
  EXPECT_TRUE(ensure_descriptors(100)) << "never lowered";
  getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, 300U);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(DescriptorLimit, NamesTheFlagsWhenTheSystemAllowsNoMore) {
  const auto status = ensure_descriptors(size_t{1} << 40);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kSetup);
  EXPECT_NE(status.error().message.find("--connections"), std::string::npos);
}

}  // namespace
}  // namespace cqlperf::bench
