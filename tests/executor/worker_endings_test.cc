#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "core/interrupt.h"
#include "executor/worker.h"
#include "simulation.h"

namespace cqlperf::executor {
namespace {

class WorkerEndingsTest : public ::testing::Test {
 protected:
  void SetUp() override { core::set_interrupted(false); }
  void TearDown() override { core::set_interrupted(false); }

  // Interrupts the run at that time after its start.
  static void interrupt_at(Simulation& run, int64_t at_ns) {
    run.at_turn = [at_ns](int64_t offset_ns) {
      if (offset_ns >= at_ns) core::set_interrupted(true);
    };
  }
};

TEST_F(WorkerEndingsTest, ASourceCanStopTheRun) {
  Plan plan;
  plan.parallelism = 4;
  plan.count = 1000;
  Simulation run(plan);
  int answers = 0;
  run.source.at_success = [&](Completions& completions, int64_t) {
    if (++answers == 10) completions.stop();
  };
  run.run();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kStopped);
  EXPECT_EQ(run.summary().operations, 12u) << "what is in flight is waited for, nothing starts";
}

TEST_F(WorkerEndingsTest, AnInterruptStopsAtOnceAndReportsWhatWasMeasured) {
  Plan plan = open_loop(1000, 100);
  plan.duration_ns = 60 * kSecond;
  Simulation run(plan);
  interrupt_at(run, 1'500 * kMilli);
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kInterrupted);
  EXPECT_NEAR(static_cast<double>(summary.operations), 1500, 2);
  EXPECT_EQ(summary.unsent, summary.due - summary.sent);
  EXPECT_LE(summary.unsent, 1u) << "what was not due yet is not missing";
  EXPECT_EQ(summary.in_flight_at_end, 0u);
  EXPECT_LE(run.offset_ns(), 1'503 * kMilli);
  ASSERT_EQ(run.rows().size(), 2u) << "the last, partial interval is there";
}

TEST_F(WorkerEndingsTest, AnInterruptWaitsASecondForTheAnswersAtMost) {
  Plan plan = open_loop(1000, 100);
  plan.count = 100'000;
  Simulation run(plan);
  run.service_ns = 3600 * kSecond;
  interrupt_at(run, 50 * kMilli);
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kInterrupted);
  EXPECT_EQ(summary.in_flight_at_end, summary.sent);
  EXPECT_NEAR(static_cast<double>(run.offset_ns()), 1.05e9, 2e6);
}

TEST_F(WorkerEndingsTest, AnInterruptShortensADrain) {
  Plan plan = open_loop(1000, 100);
  plan.duration_ns = kSecond;
  plan.drain_timeout_ns = 600 * kSecond;
  Simulation run(plan);
  run.frozen_from_ns = 0;
  run.frozen_to_ns = 3600 * kSecond;
  interrupt_at(run, 5 * kSecond);
  run.run();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kInterrupted);
  EXPECT_EQ(run.summary().in_flight_at_end, 100u);
  EXPECT_NEAR(static_cast<double>(run.offset_ns()), 6e9, 2e8);
}

TEST_F(WorkerEndingsTest, AnInterruptedClosedLoopOwesNothing) {
  Plan plan;
  plan.parallelism = 10;
  plan.count = 1'000'000;
  Simulation run(plan);
  interrupt_at(run, 100 * kMilli);
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.unsent, 0u);
  EXPECT_EQ(summary.operations, summary.due);
}

TEST_F(WorkerEndingsTest, TheDrainHasADeadline) {
  Plan plan = open_loop(1000, 100);
  plan.duration_ns = 2 * kSecond;
  plan.drain_timeout_ns = 3 * kSecond;
  Simulation run(plan);
  run.frozen_from_ns = kSecond;
  run.frozen_to_ns = 3600 * kSecond;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kOutOfTime);
  EXPECT_EQ(run.offset_ns(), 5 * kSecond);
  EXPECT_EQ(summary.due, 2000u);
  EXPECT_EQ(summary.in_flight_at_end, 100u);
  EXPECT_NEAR(static_cast<double>(summary.operations), 1000, 2);
  EXPECT_NEAR(static_cast<double>(summary.unsent), 900, 2);
}

TEST_F(WorkerEndingsTest, AnswersInTheDrainCount) {
  Plan plan = open_loop(1000, 100);
  plan.duration_ns = 2 * kSecond;
  Simulation run(plan);
  run.frozen_from_ns = 1'950 * kMilli;
  run.frozen_to_ns = 2'500 * kMilli;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 2000u);
  EXPECT_EQ(summary.in_flight_at_end, 0u);
  EXPECT_EQ(run.offset_ns(), 2'500 * kMilli);
}

TEST_F(WorkerEndingsTest, ACountGivesUpWhenNothingCompletes) {
  for (const double rate : {0.0, 1000.0}) {
    Plan plan = open_loop(rate, 100);
    plan.count = 1'000'000;
    plan.stall_timeout_ns = 30 * kSecond;
    Simulation run(plan);
    run.frozen_from_ns = kSecond;
    run.frozen_to_ns = 3600 * kSecond;
    run.run();
    const auto summary = run.summary();
    EXPECT_EQ(run.worker().outcome().ending, Ending::kStalled);
    EXPECT_NEAR(static_cast<double>(run.offset_ns()), 31e9, 1e7);
    EXPECT_EQ(summary.in_flight_at_end, 100u);
    EXPECT_EQ(summary.due, 1'000'000u);
    EXPECT_EQ(summary.unsent, 1'000'000 - summary.sent) << "the rest";
  }
}

TEST_F(WorkerEndingsTest, ACountGivesUpWithoutAConnection) {
  Plan plan = open_loop(1000, 100);
  plan.count = 1000;
  Simulation run(plan);
  run.source.is_ready = false;
  run.run();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kStalled);
  EXPECT_EQ(run.summary().unsent, 1000u);
  EXPECT_EQ(run.offset_ns(), 30 * kSecond);
}

TEST_F(WorkerEndingsTest, WaitingForTheNextDueTimeIsNoStall) {
  Plan plan = open_loop(0.01, 1);
  plan.count = 3;
  plan.stall_timeout_ns = kSecond;
  Simulation run(plan);
  run.run();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kAllDone);
  EXPECT_EQ(run.summary().operations, 3u);
  EXPECT_EQ(run.offset_ns(), 201 * kSecond) << "one second is waited for after the last one";
}

TEST_F(WorkerEndingsTest, ErrorsThatAreAnswersAreProgress) {
  Plan plan = open_loop(0, 1);
  plan.count = 10;
  plan.stall_timeout_ns = 30 * kSecond;
  Simulation run(plan);
  run.service_ns = 20 * kSecond;
  run.failure = Failure{"write_timeout", "too slow", false};
  run.run();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kAllDone);
  EXPECT_EQ(run.summary().errors, 10u);
}

// A frozen server: each request is given up in time, and the run is too.
TEST_F(WorkerEndingsTest, RequestsWithoutAnAnswerAreNoProgress) {
  Plan plan = open_loop(0, 1);
  plan.count = 100;
  plan.stall_timeout_ns = 30 * kSecond;
  Simulation run(plan);
  run.service_ns = 10 * kSecond;
  run.failure = Failure{
      .kind = "client_timeout", .message = "no answer", .overloaded = false, .answered = false};
  run.run();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kStalled);
  EXPECT_GE(run.offset_ns(), 30 * kSecond);
  EXPECT_LE(run.offset_ns(), 41 * kSecond);
  EXPECT_GT(run.summary().unsent, 90u);
}

TEST_F(WorkerEndingsTest, WithADurationAStallIsWaitedOut) {
  Plan plan = open_loop(10, 100);
  plan.duration_ns = 120 * kSecond;
  Simulation run(plan);
  run.frozen_from_ns = kSecond;
  run.frozen_to_ns = 100 * kSecond;
  run.run();
  EXPECT_EQ(run.worker().outcome().ending, Ending::kOutOfTime);
  EXPECT_EQ(run.summary().operations, 1200u);
}

TEST_F(WorkerEndingsTest, WhicheverEndComesFirst) {
  Plan plan = open_loop(100, 10);
  plan.count = 50;
  plan.duration_ns = 10 * kSecond;
  Simulation by_count(plan);
  by_count.run();
  EXPECT_EQ(by_count.summary().operations, 50u);
  EXPECT_EQ(by_count.offset_ns(), 500 * kMilli);

  plan.count = 5000;
  Simulation by_time(plan);
  by_time.run();
  EXPECT_EQ(by_time.summary().operations, 1000u);
  EXPECT_EQ(by_time.summary().unsent, 0u) << "what the count asks for beyond is not due";
}

TEST_F(WorkerEndingsTest, ALateWakeUpAtTheDeadlineLosesNoOperation) {
  Plan plan = open_loop(5000, 100);
  plan.duration_ns = kSecond;
  Simulation run(plan);
  run.wake_delay_ns = 5 * kMilli;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 5000u);
  EXPECT_EQ(summary.unsent, 0u);
}

TEST_F(WorkerEndingsTest, AWorkerOfARunWithoutWorkForItEndsWithTheOthers) {
  Plan plan = open_loop(1, 8);
  plan.count = 2;
  Simulation run(plan, {5, 8});
  run.run();
  EXPECT_EQ(run.summary().due, 0u);
  EXPECT_EQ(run.offset_ns(), 2 * kSecond);
}

TEST_F(WorkerEndingsTest, CountsBeyondThirtyTwoBitsAreNotCutOff) {
  Plan plan = open_loop(1e9, 1);
  plan.duration_ns = 5 * kSecond;
  plan.late = LatePolicy::kDrop;
  Simulation run(plan);
  run.service_ns = 4 * kSecond;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.due, 5'000'000'000u);
  EXPECT_GT(summary.skipped, 1ULL << 32);
  EXPECT_EQ(run.source.indices, (std::vector<uint64_t>{0, 3'999'000'000}));
}

}  // namespace
}  // namespace cqlperf::executor
