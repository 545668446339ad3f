#include "executor/schedule.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cqlperf::executor {
namespace {

constexpr int64_t kSecond = core::kNanosPerSecond;

TEST(ScheduleTest, OperationsAreDueOnePeriodAfterTheOther) {
  const Schedule schedule(5000);
  EXPECT_FALSE(schedule.closed_loop());
  EXPECT_EQ(schedule.due_offset_ns(0), 0);
  EXPECT_EQ(schedule.due_offset_ns(1), 200'000);
  EXPECT_EQ(schedule.due_offset_ns(25'000), 5 * kSecond);
}

TEST(ScheduleTest, RateZeroIsTheClosedLoop) {
  const Schedule schedule(0);
  EXPECT_TRUE(schedule.closed_loop());
  EXPECT_EQ(schedule.due_offset_ns(kOperationsMax), 0);
}

TEST(ScheduleTest, NothingAddsUpOverTheLengthOfARun) {
  for (const double rate : {3.0, 7.0, 999.0, 33'333.0, 1'000'003.0, 12'345'678.0}) {
    const Schedule schedule(rate);
    for (const int64_t seconds : {1LL, 60LL, 3600LL, 86'400LL, 25 * 86'400LL}) {
      const auto index = static_cast<uint64_t>(rate) * static_cast<uint64_t>(seconds);
      EXPECT_NEAR(schedule.due_offset_ns(index), seconds * kSecond, 1) << rate << " " << seconds;
    }
  }
}

TEST(ScheduleTest, TheFullestSchedulesDoNotOverflow) {
  EXPECT_EQ(Schedule(1e9).due_offset_ns(kOperationsMax), 1'000'000'000'000'000);
  EXPECT_EQ(Schedule(1e-6).due_offset_ns(1), 1'000'000'000'000'000);
  EXPECT_EQ(Schedule(1e-6).due_offset_ns(kOperationsMax), kNeverNs);
  EXPECT_EQ(Schedule(1e9).operations_before(kNeverNs), kOperationsMax);
}

TEST(ScheduleTest, IndicesBeyondThirtyTwoBitsHaveTheirOwnTimes) {
  const Schedule schedule(1e6);
  for (const uint64_t index : {(1ULL << 31) + 1, (1ULL << 32) + 1, (1ULL << 40) + 1})
    EXPECT_EQ(schedule.due_offset_ns(index), static_cast<int64_t>(index) * 1000);
}

TEST(ScheduleTest, ASecondHoldsExactlyTheRate) {
  for (const double rate : {1.0, 3.0, 5000.0, 7e6, 33'333'333.0, 1e9}) {
    const Schedule schedule(rate);
    for (const int64_t seconds : {1, 2, 10, 3600}) {
      EXPECT_EQ(schedule.operations_before(seconds * kSecond),
                static_cast<uint64_t>(rate) * static_cast<uint64_t>(seconds))
          << rate;
    }
  }
}

TEST(ScheduleTest, CountingAgreesWithTheDueTimes) {
  for (const double rate : {0.3, 0.7, 11.0, 12'345.678, 9.87e8}) {
    const Schedule schedule(rate);
    for (int64_t offset_ns = 1; offset_ns < 1000 * kSecond; offset_ns = offset_ns * 3 + 1) {
      const uint64_t count = schedule.operations_before(offset_ns);
      EXPECT_GE(schedule.due_offset_ns(count), offset_ns) << rate;
      EXPECT_LT(schedule.due_offset_ns(count - 1), offset_ns) << rate;
    }
  }
  EXPECT_EQ(Schedule(5).operations_before(0), 0u);
  EXPECT_EQ(Schedule(5).operations_before(-1), 0u);
  EXPECT_EQ(Schedule(5).operations_before(1), 1u);
}

TEST(StripeTest, EachIndexBelongsToExactlyOneWorker) {
  for (const uint32_t workers : {1u, 2u, 3u, 8u}) {
    for (const uint64_t total : {0ULL, 1ULL, 2ULL, 10ULL, 1000ULL}) {
      std::multiset<uint64_t> indices;
      for (uint32_t worker = 0; worker < workers; ++worker) {
        const Stripe stripe{worker, workers};
        for (uint64_t i = 0; i < stripe.count_below(total); ++i) indices.insert(stripe.index(i));
      }
      ASSERT_EQ(indices.size(), total) << workers;
      uint64_t expected = 0;
      for (const uint64_t index : indices) EXPECT_EQ(index, expected++);
    }
  }
}

TEST(StripeTest, ThreeBillionOperationsAreSplitWithoutLoss) {
  for (const uint64_t total : {uint64_t{3'000'000'000}, (uint64_t{1} << 32) + 1, kOperationsMax}) {
    uint64_t sum = 0;
    for (uint32_t worker = 0; worker < 7; ++worker) sum += Stripe{worker, 7}.count_below(total);
    EXPECT_EQ(sum, total);
  }
}

TEST(StripeTest, ARateBelowTheNumberOfWorkersIsKept) {
  const Schedule schedule(1);
  std::multiset<int64_t> due_ns;
  for (uint32_t worker = 0; worker < 8; ++worker) {
    const Stripe stripe{worker, 8};
    const uint64_t mine = stripe.count_below(schedule.operations_before(16 * kSecond));
    for (uint64_t i = 0; i < mine; ++i) due_ns.insert(schedule.due_offset_ns(stripe.index(i)));
  }
  ASSERT_EQ(due_ns.size(), 16u);
  int64_t expected_ns = 0;
  for (const int64_t due : due_ns) {
    EXPECT_EQ(due, expected_ns);
    expected_ns += kSecond;
  }
}

TEST(WindowShareTest, SharesAddUpAndDifferByOneAtMost) {
  std::vector<uint32_t> shares;
  for (uint32_t worker = 0; worker < 3; ++worker) shares.push_back(window_share(10, {worker, 3}));
  EXPECT_EQ(shares, (std::vector<uint32_t>{4, 3, 3}));
  EXPECT_EQ(window_share(8, {7, 8}), 1u);
  EXPECT_EQ(window_share(100, {0, 1}), 100u);
}

TEST(RunsTest, RunsTimesRateOperations) {
  EXPECT_EQ(operations_of_runs(5000, 5), 25'000u);
  EXPECT_EQ(operations_of_runs(1, 1), 1u);
  EXPECT_EQ(operations_of_runs(100'000, 2'147'483'647), 214'748'364'700'000u);
  // Half an operation per second: at 0 s and at 2 s.
  EXPECT_EQ(operations_of_runs(0.5, 3), 2u);
}

TEST(RunsTest, TooManyAreAUsageError) {
  const auto result = operations_of_runs(1e9, 2'147'483'647);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, core::ErrorCode::kUsage);
  EXPECT_NE(result.error().message.find("fewer runs"), std::string::npos);
}

}  // namespace
}  // namespace cqlperf::executor
