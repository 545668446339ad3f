#include "report/run_line.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

namespace cqlperf::report {
namespace {

// Right values as Go's time.Duration.String() documents and prints them.
TEST(GoDuration, PrintsAsGoDoes) {
  EXPECT_EQ(go_duration(0), "0s");
  EXPECT_EQ(go_duration(1), "1ns");
  EXPECT_EQ(go_duration(999), "999ns");
  EXPECT_EQ(go_duration(1'100), "1.1\u00b5s");
  EXPECT_EQ(go_duration(37'000), "37\u00b5s");
  EXPECT_EQ(go_duration(696'249), "696.249\u00b5s");
  EXPECT_EQ(go_duration(2'200'000), "2.2ms");
  EXPECT_EQ(go_duration(1'000'001), "1.000001ms");
  EXPECT_EQ(go_duration(3'300'000'000), "3.3s");
  EXPECT_EQ(go_duration(245'000'000'000), "4m5s");
  EXPECT_EQ(go_duration(245'001'000'000), "4m5.001s");
  EXPECT_EQ(go_duration(18'367'001'000'000), "5h6m7.001s");
  EXPECT_EQ(go_duration(3'600'000'000'000), "1h0m0s");
}

TEST(RunLine, HasTheFormOfTheOriginal) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(run_line(1'712'686'595'000'000'000, 100'000, 696'249),
            "2024/04/09 18:16:35 INFO Stats: throughput=100000 avg_latency:=696.249\u00b5s\n");
}

}  // namespace
}  // namespace cqlperf::report
