#include "executor/worker.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "simulation.h"

namespace cqlperf::executor {
namespace {

Plan closed_loop(uint32_t parallelism, uint64_t count) {
  Plan plan;
  plan.parallelism = parallelism;
  plan.count = count;
  return plan;
}

TEST(WorkerTest, TheClosedLoopKeepsTheWindowFull) {
  Simulation run(closed_loop(10, 1000));
  size_t in_flight_max = 0;
  run.at_turn = [&](int64_t) {
    in_flight_max = std::max(in_flight_max, run.source.pending.size());
  };
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 1000u);
  EXPECT_EQ(in_flight_max, 0u) << "all ten are answered at once, before each turn";
  EXPECT_EQ(run.offset_ns(), 100 * kMilli);
  EXPECT_EQ(run.source.flushed_at_ns.size(), 100u) << "one flush for a turn's operations";
  EXPECT_EQ(*summary.response.max_ns, kMilli);
  EXPECT_EQ(*summary.service.max_ns, kMilli);
  EXPECT_EQ(run.worker().outcome().ending, Ending::kAllDone);
  EXPECT_EQ(summary.shortfall.cause, measure::ShortfallCause::kNone);
}

TEST(WorkerTest, TheClosedLoopEndsWithItsDuration) {
  Plan plan;
  plan.parallelism = 4;
  plan.duration_ns = 100 * kMilli + 500 * kMicro;
  Simulation run(plan);
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 4u * 101);
  EXPECT_EQ(summary.unsent, 0u);
  EXPECT_EQ(run.worker().outcome().ending, Ending::kOutOfTime);
  EXPECT_EQ(run.offset_ns(), 101 * kMilli);
}

TEST(WorkerTest, OperationsThatAreAddedComeAfterThoseOfThePlan) {
  Simulation run(closed_loop(10, 20));
  int left = 35;
  run.source.at_success = [&](Completions& completions, int64_t) {
    if (left-- > 0) completions.add_operation();
  };
  run.run();
  EXPECT_EQ(run.summary().operations, 55u);
  EXPECT_EQ(run.worker().outcome().due, 55u);
  EXPECT_EQ(run.worker().outcome().ending, Ending::kAllDone);
  EXPECT_EQ(run.source.indices.back(), 54u);
}

TEST(WorkerTest, OperationsThatAreAddedKeepToTheSchedule) {
  Plan plan = open_loop(1000, 100);
  plan.count = 10;
  Simulation run(plan);
  int left = 10;
  run.source.at_success = [&](Completions& completions, int64_t) {
    if (left-- > 0) completions.add_operation();
  };
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 20u);
  EXPECT_EQ(summary.unsent, 0u);
  EXPECT_EQ(run.source.flushed_at_ns.back(), Simulation::kStartNs + 19 * kMilli);
}

TEST(WorkerTest, ATurnThatIsTakenAfterAnAnswerStartsTheNextOperationAtOnce) {
  Simulation run(closed_loop(1, 1));
  int left = 5;
  size_t started_within = 0;
  run.source.at_success = [&](Completions& completions, int64_t done_ns) {
    if (left-- <= 0) return;
    completions.add_operation();
    completions.take_turn(done_ns);
    started_within += run.source.pending.size();
  };
  run.run();
  EXPECT_EQ(run.summary().operations, 6u);
  EXPECT_EQ(started_within, 5u);
  EXPECT_EQ(run.source.flushed_at_ns.size(), 6u);
}

TEST(WorkerTest, AScheduleIsKeptToTheNanosecond) {
  Plan plan = open_loop(5000, 100);
  plan.duration_ns = 10 * kSecond;
  Simulation run(plan);
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 50'000u);
  EXPECT_EQ(summary.late, 0u);
  EXPECT_EQ(*summary.response.max_ns, kMilli);
  EXPECT_EQ(run.source.flushed_at_ns[1], Simulation::kStartNs + 200 * kMicro);
  ASSERT_EQ(run.rows().size(), 10u);
  for (const auto& row : run.rows()) EXPECT_NEAR(row.rate, 5000, 5);
  EXPECT_EQ(summary.shortfall.cause, measure::ShortfallCause::kNone);
}

TEST(WorkerTest, LateWakeUpsShowInTheResponseTimeAndCostNoRate) {
  Plan plan = open_loop(5000, 100);
  plan.count = 25'000;
  Simulation run(plan);
  run.wake_delay_ns = 70 * kMicro;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 25'000u);
  EXPECT_EQ(summary.lag_max_ns, 70 * kMicro);
  EXPECT_NEAR(summary.achieved_rate, 5000, 5);
  EXPECT_GT(*summary.response.max_ns, kMilli);
  EXPECT_LE(*summary.response.max_ns, kMilli + 70 * kMicro);
  EXPECT_EQ(*summary.service.max_ns, kMilli);
}

TEST(WorkerTest, AFrozenServerShowsInBothTimesAndLosesNothing) {
  Plan plan = open_loop(5000, 100);
  plan.duration_ns = 10 * kSecond;
  Simulation run(plan);
  run.frozen_from_ns = 5 * kSecond;
  run.frozen_to_ns = 7 * kSecond;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 50'000u);
  EXPECT_EQ(summary.due, 50'000u);
  // 100 in flight wait all of it; 9,900 more come due and wait for what is left of it.
  EXPECT_NEAR(*summary.response.max_ns, 2e9, 2e7);
  EXPECT_GT(*summary.response.p99_ns, 1'800 * kMilli);
  EXPECT_GE(*summary.response.mean_ns, 200e6);
  EXPECT_NEAR(*summary.service.max_ns, 2e9, 2e7);
  EXPECT_LE(*summary.service.p99_ns, kMilli + kMilli / 1000);
  EXPECT_GT(summary.late, 9'000u);
  EXPECT_EQ(summary.skipped, 0u);
}

TEST(WorkerTest, AFrozenServerMakesTheDropPolicySkip) {
  Plan plan = open_loop(5000, 100);
  plan.duration_ns = 10 * kSecond;
  plan.late = LatePolicy::kDrop;
  Simulation run(plan);
  run.frozen_from_ns = 5 * kSecond;
  run.frozen_to_ns = 7 * kSecond;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.due, 50'000u);
  EXPECT_EQ(summary.operations + summary.skipped, 50'000u);
  // 2 s at 5000/s, less the window and the last millisecond.
  EXPECT_NEAR(static_cast<double>(summary.skipped), 9'900, 20);
  EXPECT_EQ(summary.late, 0u);
  EXPECT_NEAR(*summary.service.max_ns, 2e9, 2e7);
}

TEST(WorkerTest, WaitingForTheWindowIsMeasured) {
  Plan plan = open_loop(1000, 1);  // 1000/s at 2 ms each: the window allows for 500/s
  plan.duration_ns = 4 * kSecond;
  Simulation run(plan);
  run.service_ns = 2 * kMilli;
  run.run();
  const auto summary = run.summary();
  EXPECT_NEAR(static_cast<double>(summary.operations), 2000, 2);
  EXPECT_EQ(summary.unsent, 4000 - summary.sent);
  EXPECT_EQ(summary.shortfall.cause, measure::ShortfallCause::kWindowFull);
  EXPECT_EQ(run.worker().outcome().ending, Ending::kOutOfTime);
}

TEST(WorkerTest, ManyWorkersSplitCountAndWindowExactly) {
  std::multiset<uint64_t> indices;
  for (uint32_t worker = 0; worker < 3; ++worker) {
    Simulation run(closed_loop(10, 10), {worker, 3});
    run.run();
    run.summary();
    indices.insert(run.source.indices.begin(), run.source.indices.end());
  }
  EXPECT_EQ(indices, (std::multiset<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(WorkerTest, ARateBelowTheNumberOfWorkersIsTheRateInTotal) {
  std::vector<int64_t> sent_ns;
  for (uint32_t worker = 0; worker < 8; ++worker) {
    Plan plan = open_loop(1, 8);
    plan.duration_ns = 20 * kSecond;
    Simulation run(plan, {worker, 8});
    run.run();
    run.summary();
    sent_ns.insert(sent_ns.end(), run.source.flushed_at_ns.begin(), run.source.flushed_at_ns.end());
  }
  std::ranges::sort(sent_ns);
  ASSERT_EQ(sent_ns.size(), 20u);
  for (size_t i = 0; i < sent_ns.size(); ++i)
    EXPECT_EQ(sent_ns[i], Simulation::kStartNs + static_cast<int64_t>(i) * kSecond);
}

TEST(WorkerTest, ZeroAndOneOperations) {
  for (const double rate : {0.0, 5.0}) {
    for (const uint64_t count : {0, 1}) {
      Plan plan = open_loop(rate, 100);
      plan.count = count;
      Simulation run(plan);
      run.run();
      const auto summary = run.summary();
      EXPECT_EQ(summary.operations, count);
      EXPECT_EQ(run.source.start_calls, count);
      EXPECT_EQ(run.worker().outcome().ending, Ending::kAllDone);
      // The one operation of a schedule takes up its period.
      EXPECT_EQ(run.offset_ns(), count == 0 ? 0 : rate > 0 ? 200 * kMilli : kMilli);
    }
  }
}

TEST(WorkerTest, ADurationOfZeroStartsNothing) {
  for (const double rate : {0.0, 5.0}) {
    Plan plan = open_loop(rate, 100);
    plan.duration_ns = 0;
    Simulation run(plan);
    run.run();
    EXPECT_EQ(run.summary().due, 0u);
    EXPECT_EQ(run.source.start_calls, 0u);
  }
}

TEST(WorkerTest, AHundredThousandPerSecondAreSentTickByTick) {
  Plan plan = open_loop(100'000, 1000);
  plan.duration_ns = kSecond;
  plan.pacing_tick_ns = 200 * kMicro;
  Simulation run(plan);
  run.service_ns = 70 * kMicro;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 100'000u);
  // At the start, at each of the 4999 ticks, and at the deadline.
  EXPECT_EQ(run.source.flushed_at_ns.size(), 5001u);
  for (const int64_t at_ns : run.source.flushed_at_ns)
    EXPECT_EQ((at_ns - Simulation::kStartNs) % plan.pacing_tick_ns, 0);
  EXPECT_EQ(summary.late, 0u);
  EXPECT_LE(*summary.response.max_ns, 270 * kMicro)
      << "never sent before due: at most a tick after";
  EXPECT_GE(*summary.response.min_ns, 70 * kMicro);
}

TEST(WorkerTest, WhatWaitsForTheWindowDoesNotWaitForATick) {
  Plan plan = open_loop(100'000, 10);
  plan.duration_ns = kSecond;
  plan.pacing_tick_ns = 10 * kMilli;
  Simulation run(plan);
  run.service_ns = kMilli;  // 10 per millisecond, if no time is lost
  run.run();
  EXPECT_NEAR(static_cast<double>(run.summary().operations), 9'900, 20);
}

TEST(WorkerTest, AnOverloadedServerIsGivenTime) {
  Plan plan = closed_loop(1, 12);
  Simulation run(plan);
  run.service_ns = 10 * kMicro;
  run.failure = Failure{"overloaded", "too much", true};
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.errors, 12u);
  EXPECT_EQ(summary.errors_by_kind.at(0).first_message, "too much");
  // 1, 2, 4 ... 512 ms, then 1 s at most.
  const auto& flushed = run.source.flushed_at_ns;
  for (size_t i = 1; i < flushed.size(); ++i) {
    const int64_t pause_ns = std::min(kMilli << (i - 1), kSecond);
    EXPECT_EQ(flushed[i] - flushed[i - 1], pause_ns + run.service_ns) << i;
  }
  EXPECT_EQ(run.worker().outcome().backoff_ns, 1023 * kMilli + kSecond);
}

TEST(WorkerTest, OneSuccessEndsTheBackOff) {
  Simulation run(closed_loop(1, 6));
  run.failure = Failure{"overloaded", "", true};
  run.at_turn = [&](int64_t) {
    run.failure.reset();
    if (run.source.indices.size() != 3) run.failure = Failure{"overloaded", "", true};
  };
  run.run();
  const auto& flushed = run.source.flushed_at_ns;
  ASSERT_EQ(flushed.size(), 6u);
  EXPECT_EQ(flushed[3] - flushed[2], 5 * kMilli) << "the third pause";
  EXPECT_EQ(flushed[4] - flushed[3], kMilli) << "after a success none";
  EXPECT_EQ(flushed[5] - flushed[4], 2 * kMilli) << "the first pause again";
}

TEST(WorkerTest, OtherFailuresDoNotSlowTheRunDown) {
  Simulation run(closed_loop(10, 1000));
  run.failure = Failure{"write_timeout", "too slow", false};
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.errors, 1000u);
  EXPECT_EQ(summary.operations, 0u);
  EXPECT_FALSE(summary.response.mean_ns) << "nothing succeeded";
  EXPECT_EQ(run.offset_ns(), 100 * kMilli);
}

TEST(WorkerTest, ASourceThatIsNotReadyIsAskedOncePerMillisecond) {
  Plan plan = open_loop(1000, 10);
  plan.duration_ns = 2 * kSecond;
  Simulation run(plan);
  run.at_turn = [&](int64_t offset_ns) {
    run.source.is_ready = offset_ns < 500 * kMilli || offset_ns >= 1500 * kMilli;
  };
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 2000u) << "all that came due in the outage is sent after it";
  EXPECT_NEAR(*summary.response.max_ns, 1e9, 2e6);
  EXPECT_LE(run.source.start_calls, 2000u + 1001u);
  EXPECT_LE(run.turns, 10'000u);
}

TEST(WorkerTest, ASourceThatBecomesReadyIsUsedInThatTurn) {
  Simulation run(closed_loop(1, 1));
  run.source.is_ready = false;
  run.source.now_ns = Simulation::kStartNs;
  run.worker().turn(Simulation::kStartNs);
  EXPECT_EQ(run.source.start_calls, 1u);
  run.worker().turn(Simulation::kStartNs + 10);
  EXPECT_EQ(run.source.start_calls, 1u) << "ready() said no, and it is too early to try";
  run.source.is_ready = true;
  run.worker().turn(Simulation::kStartNs + 20);
  EXPECT_EQ(run.source.indices.size(), 1u);
}

TEST(WorkerTest, WaitingForAConnectionIsMeasured) {
  Plan plan = open_loop(1000, 10);
  plan.duration_ns = 2 * kSecond;
  Simulation run(plan);
  run.source.is_ready = false;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.unsent, 2000u);
  EXPECT_EQ(summary.shortfall.cause, measure::ShortfallCause::kNotConnected);
}

TEST(WorkerTest, IntervalsAreHandedOverAtTheirEnds) {
  Plan plan = open_loop(100, 10);
  plan.duration_ns = 3 * kSecond + 500 * kMilli;
  Simulation run(plan);
  run.run();
  run.summary();
  ASSERT_EQ(run.rows().size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(run.rows()[i].start_s, static_cast<double>(i));
    EXPECT_DOUBLE_EQ(run.rows()[i].length_s, i < 3 ? 1 : 0.5);
    EXPECT_NEAR(run.rows()[i].rate, 100, 2);
  }
}

TEST(WorkerTest, AnIntervalThatWasSleptThroughKeepsItsRealLength) {
  Plan plan = open_loop(100, 1000);
  plan.duration_ns = 10 * kSecond;
  Simulation run(plan);
  run.run(2'200 * kMilli);
  run.wake_delay_ns = 3 * kSecond;  // the whole process was stopped
  run.run(5'300 * kMilli);
  run.wake_delay_ns = 0;
  run.run();
  const auto summary = run.summary();
  EXPECT_EQ(summary.operations, 1000u);
  uint64_t done = 0;
  double end_s = 0;
  for (const auto& row : run.rows()) {
    EXPECT_NEAR(row.start_s, end_s, 1e-9);
    EXPECT_NEAR(row.rate, static_cast<double>(row.done) / row.length_s, 1e-6);
    done += row.done;
    end_s = row.start_s + row.length_s;
  }
  EXPECT_EQ(done, 1000u);
  EXPECT_LT(run.rows().size(), 10u);
}

TEST(WorkerTest, SlowAnswersDoNotDoubleTheShownRate) {
  Plan plan = closed_loop(10, 50);
  Simulation run(plan);
  run.service_ns = kSecond;
  run.run();
  EXPECT_NEAR(run.summary().achieved_rate, 10, 0.1);
  for (const auto& row : run.rows()) EXPECT_LE(row.rate, 20);
}

TEST(WorkerTest, AWorkerSleepsForATenthOfASecondAtMost) {
  Plan plan = open_loop(0.01, 1);
  plan.count = 2;
  Simulation run(plan);
  run.service_ns = 10 * kMicro;
  run.run(5 * kSecond);
  EXPECT_GE(run.turns, 50u) << "or a Ctrl-C would not be seen";
  EXPECT_LE(run.turns, 60u);
}

}  // namespace
}  // namespace cqlperf::executor
