#include "report/run_table.h"

#include <gtest/gtest.h>

namespace cqlperf::report {
namespace {

TEST(RunTable, RowsStandUnderTheHead) {
  measure::IntervalRow row;
  row.start_s = 4;
  row.length_s = 1;
  row.done = 5000;
  row.rate = 5000;
  row.target_rate = 5000;
  row.response = {.mean_ns = 420'000.0,
                  .p50_ns = 400'000,
                  .p99_ns = 1'200'000,
                  .p99_9_ns = 37'000,
                  .max_ns = 2'010'000'000};
  row.errors = 2;
  row.in_flight = 3;
  row.late = 7;
  row.process_cpu_ns = 310'000'000;
  EXPECT_EQ(run_table_head(),
            "    time       done    rate/s    target      mean       p50       p99     p99.9"
            "       max  errors  flying    late   CPU\n");
  EXPECT_EQ(run_table_row(row),
            "    5.0s       5000      5000      5000    420 us    400 us   1.20 ms   37.0 us"
            "    2.01 s       2       3       7   31%\n");
}

TEST(RunTable, NothingDoneShowsDashesNotNumbers) {
  measure::IntervalRow row;
  row.length_s = 1;
  EXPECT_EQ(run_table_row(row),
            "    1.0s          0         0         -         -         -         -         -"
            "         -       0       0       0    0%\n");
}

TEST(RunTable, ShortIntervalsHaveTimesOfTheirOwn) {
  measure::IntervalRow row;
  row.start_s = 0.02;
  row.length_s = 0.01;
  EXPECT_TRUE(run_table_row(row).starts_with("   0.03s ")) << run_table_row(row);
}

TEST(ProgressLine, SaysWhatIsDoneAndLeft) {
  EXPECT_EQ(progress_line({.done = 25'000, .total = 100'000, .elapsed_s = 5, .rate = 5000}, 80),
            "25,000 done, 25%, 5000/s, 0:15 left");
  EXPECT_EQ(progress_line({.done = 10, .elapsed_s = 30, .total_s = 7230, .rate = 0.33}, 80),
            "10 done, 0%, 0.33/s, 2:00:00 left");
  EXPECT_EQ(progress_line({}, 80), "0 done, 0/s");
  EXPECT_EQ(progress_line({.done = 25'000, .total = 100'000, .elapsed_s = 5, .rate = 5000}, 11),
            "25,000 done");
}

}  // namespace
}  // namespace cqlperf::report
