#include "report/summary_text.h"

#include <gtest/gtest.h>

namespace cqlperf::report {
namespace {

measure::Summary example() {
  measure::Summary summary;
  summary.measured_seconds = 10;
  summary.asked_rate = 5000;
  summary.achieved_rate = 4990;
  summary.operations = 49'900;
  summary.errors = 100;
  summary.errors_by_kind = {{"WriteTimeout", 100, "Operation timed out"}};
  summary.due = summary.sent = 50'000;
  summary.late = 12;
  summary.process_cpu_ns = 1'550'000'000;
  summary.busiest_worker_cpu = 0.15;
  summary.client_cpu_us_per_operation = 31.06;
  summary.lag_max_ns = 2'010'000;
  summary.response = {.count = 49'900,
                      .mean_ns = 420'400.0,
                      .min_ns = 200'000,
                      .p50_ns = 400'000,
                      .p90_ns = 500'000,
                      .p99_ns = 1'200'000,
                      .p99_9_ns = 3'000'000,
                      .max_ns = 2'010'000'000,
                      .extra = {}};
  summary.service = summary.response;
  summary.distinct_keys = measure::DistinctCount{.count = 49'890, .exact = true};
  return summary;
}

TEST(SummaryText, ShowsEverySection) {
  EXPECT_EQ(summary_text(example()),
            R"(  operations       49,900 in 10.00 s, 100 errors
  rate             4990/s achieved, 5000/s asked (99.80 %)

                         mean       p50       p90       p99     p99.9       max
  response time        420 us    400 us    500 us   1.20 ms   3.00 ms    2.01 s
  service time         420 us    400 us    500 us   1.20 ms   3.00 ms    2.01 s

  client CPU       31.06 us per operation, 0.15 cores, busiest worker 15 %, longest loop lag 2.01 ms
  schedule         50,000 due, 50,000 sent, 12 late, 0 skipped, 0 unsent, 0 unanswered
  distinct keys    49,890 written

  errors by kind, with the first message of each
         100 WriteTimeout: Operation timed out
)");
}

TEST(SummaryText, NothingDoneHasDashes) {
  const std::string text = summary_text(measure::Summary{});
  EXPECT_NE(text.find("operations       0 in 0.00 s, 0 errors"), std::string::npos);
  EXPECT_NE(text.find("- us per operation"), std::string::npos);
  for (const char* wrong : {" nan", "-nan", "inf", "9223372036854775807"})
    EXPECT_EQ(text.find(wrong), std::string::npos) << wrong;
}

TEST(SummaryText, SaysWhyTheRateWasMissed) {
  auto summary = example();
  summary.shortfall = {measure::ShortfallCause::kWindowFull, "the window was full"};
  EXPECT_NE(summary_text(summary).find("  the window was full\n"), std::string::npos);
}

TEST(SummaryText, AnEstimateIsCalledOne) {
  auto summary = example();
  summary.distinct_keys =
      measure::DistinctCount{.count = 20'000'000, .exact = false, .relative_error = 0.0041};
  EXPECT_NE(summary_text(summary).find("about 20,000,000 written (estimate, +-0.41 %)"),
            std::string::npos);
}

}  // namespace
}  // namespace cqlperf::report
