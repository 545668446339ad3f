#include "executor/run_tracker.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/interrupt.h"
#include "simulation.h"

namespace cqlperf::executor {
namespace {

// Runs the plan with a tracker and returns its lines.
std::vector<RunLine> lines_of(const Plan& plan, int64_t service_ns,
                              std::optional<Failure> failure = {}) {
  RunTracker tracker(plan.rate);
  Simulation run(plan, {}, &tracker);
  run.service_ns = service_ns;
  run.failure = std::move(failure);
  run.run();
  return tracker.take_lines();
}

Plan runs_at(double rate, uint64_t runs, uint32_t parallelism) {
  Plan plan = open_loop(rate, parallelism);
  plan.count = *operations_of_runs(rate, runs);
  return plan;
}

TEST(RunTrackerTest, ARateThatIsHeldShowsExactly) {
  const auto lines = lines_of(runs_at(5000, 5, 100), 700 * kMicro);
  ASSERT_EQ(lines.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(lines[i].run, i);
    EXPECT_EQ(lines[i].throughput, 5000);
    EXPECT_EQ(lines[i].succeeded, 5000u);
    EXPECT_EQ(*lines[i].avg_latency_ns, 700'000);
  }
}

TEST(RunTrackerTest, ALittleLatenessIsStillTheRate) {
  RunTracker tracker(1000);
  tracker.start(0);
  for (uint64_t i = 0; i < 1000; ++i) {
    const auto due_ns = static_cast<int64_t>(i) * kMilli;
    tracker.sent(i, due_ns, due_ns + (i == 999 ? RunTracker::kHeldNs : 0));
  }
  for (uint64_t i = 0; i < 1000; ++i) tracker.succeeded(i, kMilli);
  const auto lines = tracker.take_lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].throughput, 1000);
}

TEST(RunTrackerTest, ARateThatCannotBeReachedShowsWhatWasSent) {
  // One at a time, 1 ms each: 1000/s where 2000 are asked.
  const auto lines = lines_of(runs_at(2000, 3, 1), kMilli);
  ASSERT_EQ(lines.size(), 3u);
  for (const RunLine& line : lines) EXPECT_NEAR(line.throughput, 1000, 2);
  EXPECT_GT(*lines[2].avg_latency_ns, *lines[0].avg_latency_ns) << "from the due time";
}

TEST(RunTrackerTest, RunsOfOneOperation) {
  const auto lines = lines_of(runs_at(1, 4, 1), 10 * kMicro);
  ASSERT_EQ(lines.size(), 4u);
  for (const RunLine& line : lines) EXPECT_EQ(line.throughput, 1);
}

TEST(RunTrackerTest, FailuresAreNoThroughput) {
  const auto lines = lines_of(runs_at(100, 2, 10), kMilli, Failure{"unavailable", "", false});
  ASSERT_EQ(lines.size(), 2u);
  for (const RunLine& line : lines) {
    EXPECT_EQ(line.throughput, 0);
    EXPECT_EQ(line.failed, 100u);
    EXPECT_FALSE(line.avg_latency_ns);
  }
}

TEST(RunTrackerTest, LinesComeInOrderEvenWhenRunsEndOutOfOrder) {
  RunTracker tracker(2);
  tracker.start(0);
  for (uint64_t i = 0; i < 4; ++i) {
    const auto due_ns = static_cast<int64_t>(i) * kSecond / 2;
    tracker.sent(i, due_ns, due_ns);
  }
  tracker.succeeded(3, 1);
  tracker.succeeded(2, 1);
  tracker.succeeded(1, 1);
  EXPECT_TRUE(tracker.take_lines().empty()) << "the first run is not complete";
  tracker.succeeded(0, 1);
  const auto lines = tracker.take_lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].run, 0u);
  EXPECT_EQ(lines[1].run, 1u);
}

TEST(RunTrackerTest, TheClosedLoopHasALineForEachSecond) {
  Plan plan;
  plan.parallelism = 10;
  plan.duration_ns = 3 * kSecond;
  const auto lines = lines_of(plan, kMilli);
  ASSERT_EQ(lines.size(), 3u);
  for (const RunLine& line : lines) EXPECT_NEAR(line.throughput, 10'000, 20);
}

TEST(RunTrackerTest, ASecondWithoutAnswersHasALineToo) {
  Plan plan;
  plan.parallelism = 10;
  plan.duration_ns = 5 * kSecond;
  RunTracker tracker(0);
  Simulation run(plan, {}, &tracker);
  run.frozen_from_ns = 1'500 * kMilli;
  run.frozen_to_ns = 3'500 * kMilli;
  run.run();
  const auto lines = tracker.take_lines();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[2].throughput, 0);
}

TEST(RunTrackerTest, AnInterruptedRunShowsWhatItDid) {
  RunTracker tracker(1000);
  Simulation run(runs_at(1000, 10, 100), {}, &tracker);
  run.at_turn = [](int64_t offset_ns) {
    if (offset_ns >= 1'500 * kMilli) core::set_interrupted(true);
  };
  run.run();
  core::set_interrupted(false);
  const auto lines = tracker.take_lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].throughput, 1000);
  EXPECT_NEAR(lines[1].throughput, 500, 2);
}

TEST(RunTrackerTest, ItMayBeStartedAgain) {
  RunTracker tracker(1);
  for (int i = 0; i < 2; ++i) {
    Simulation run(runs_at(1, 2, 1), {}, &tracker);
    run.run();
    const auto lines = tracker.take_lines();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].run, 0u);
  }
}

}  // namespace
}  // namespace cqlperf::executor
