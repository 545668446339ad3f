#include "measure/recorder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "measure/errors.h"

namespace cqlperf::measure {
namespace {

TEST(ErrorCounts, KeepTheFirstMessageOfEachKind) {
  ErrorCounts errors;
  errors.add("timeout", "no answer in 2 s");
  errors.add("overloaded", "busy");
  errors.add("timeout", "another");
  errors.add("timeout", "many", uint64_t{1} << 32);
  EXPECT_EQ(errors.total(), (uint64_t{1} << 32) + 3);
  ASSERT_EQ(errors.kinds().size(), 2U);
  EXPECT_EQ(errors.kinds()[0].kind, "timeout");
  EXPECT_EQ(errors.kinds()[0].count, (uint64_t{1} << 32) + 2);
  EXPECT_EQ(errors.kinds()[0].first_message, "no answer in 2 s");
  EXPECT_EQ(errors.kinds()[1].first_message, "busy");
}

TEST(ErrorCounts, AreBounded) {
  ErrorCounts errors;
  const std::string long_message(10'000, 'x');
  for (int i = 0; i < 1000; ++i) errors.add("kind " + std::to_string(i), long_message);
  EXPECT_EQ(errors.total(), 1000U);
  ASSERT_EQ(errors.kinds().size(), ErrorCounts::kMaxKinds + 1);
  EXPECT_EQ(errors.kinds().back().kind, "other");
  EXPECT_EQ(errors.kinds().back().count, 1000 - ErrorCounts::kMaxKinds);
  EXPECT_EQ(errors.kinds().back().first_message.size(), ErrorCounts::kMaxMessageBytes);
}

TEST(ErrorCounts, MergeAndClear) {
  ErrorCounts errors;
  errors.add("a", "first");
  ErrorCounts more;
  more.add("b", "b's");
  more.add("a", "second", 5);
  errors.merge(more);
  EXPECT_EQ(errors.total(), 7U);
  EXPECT_EQ(errors.kinds()[0].count, 6U);
  EXPECT_EQ(errors.kinds()[0].first_message, "first");
  EXPECT_EQ(errors.kinds()[1].first_message, "b's");
  errors.clear();
  EXPECT_EQ(errors.total(), 0U);
  EXPECT_TRUE(errors.kinds().empty());
}

TEST(Counters, AddSumsAndKeepsTheWorstLag) {
  Counters counters{.due = 1,
                    .sent = 2,
                    .late = 3,
                    .skipped = 4,
                    .lag_max_ns = 50,
                    .window_full_ns = 6,
                    .not_ready_ns = 7};
  counters.add({.due = 10,
                .sent = 20,
                .late = 30,
                .skipped = 40,
                .lag_max_ns = 20,
                .window_full_ns = 60,
                .not_ready_ns = 70});
  EXPECT_EQ(counters.due, 11U);
  EXPECT_EQ(counters.sent, 22U);
  EXPECT_EQ(counters.late, 33U);
  EXPECT_EQ(counters.skipped, 44U);
  EXPECT_EQ(counters.lag_max_ns, 50);
  EXPECT_EQ(counters.window_full_ns, 66);
  EXPECT_EQ(counters.not_ready_ns, 77);
}

TEST(Recorder, KeepsResponseAndServiceTimeApart) {
  SampleExchange exchange(1, 2);
  Recorder recorder(exchange, 0);
  recorder.start(1000, {});
  recorder.record_success(1, 1000, 1300, 2000);
  const Sample& sample = recorder.current();
  EXPECT_EQ(sample.kinds[1].response.max_ns(), 1000);
  EXPECT_EQ(sample.kinds[1].service.max_ns(), 700);
  EXPECT_TRUE(sample.kinds[0].response.empty());
  EXPECT_TRUE(sample.failed_response.empty());
}

TEST(Recorder, FailuresAreNotAmongTheAnswers) {
  SampleExchange exchange(1, 1);
  Recorder recorder(exchange, 0);
  recorder.record_failure("timeout", "no answer", 1000, 2'000'001'000);
  const Sample& sample = recorder.current();
  EXPECT_TRUE(sample.kinds[0].response.empty());
  EXPECT_EQ(sample.failed_response.max_ns(), 2'000'000'000);
  EXPECT_EQ(sample.errors.total(), 1U);
}

TEST(Recorder, LateIsBeyondTheThreshold) {
  SampleExchange exchange(1, 1);
  Recorder recorder(exchange, 0, 1000);
  recorder.record_sent(5000, 5000);
  recorder.record_sent(5000, 6000);
  recorder.record_sent(5000, 6001);
  EXPECT_EQ(recorder.current().counters.sent, 3U);
  EXPECT_EQ(recorder.current().counters.late, 1U);
}

TEST(Recorder, StartForgetsTheWarmUp) {
  SampleExchange exchange(1, 1);
  Recorder recorder(exchange, 0);
  recorder.start(0, {});
  recorder.record_due(5);
  recorder.record_sent(0, 10'000'000);
  recorder.record_skipped(3);
  recorder.record_success(0, 0, 0, 10);
  recorder.record_failure("a", "b", 0, 10);
  recorder.record_lag(7);
  recorder.add_window_full_ns(1);
  recorder.add_not_ready_ns(1);
  recorder.start(100, {.thread_ns = 4, .process_ns = 8});
  const Sample& sample = recorder.current();
  EXPECT_EQ(sample.start_ns, 100);
  EXPECT_EQ(sample.cpu_at_start.process_ns, 8);
  EXPECT_EQ(sample.counters.due, 0U);
  EXPECT_EQ(sample.counters.sent, 0U);
  EXPECT_EQ(sample.counters.late, 0U);
  EXPECT_EQ(sample.counters.skipped, 0U);
  EXPECT_EQ(sample.counters.lag_max_ns, 0);
  EXPECT_EQ(sample.counters.window_full_ns, 0);
  EXPECT_EQ(sample.counters.not_ready_ns, 0);
  EXPECT_TRUE(sample.kinds[0].response.empty());
  EXPECT_TRUE(sample.kinds[0].service.empty());
  EXPECT_TRUE(sample.failed_response.empty());
  EXPECT_EQ(sample.errors.total(), 0U);
}

TEST(Recorder, HandsOverASampleAndGoesOnInAnEmptyOne) {
  SampleExchange exchange(1, 1);
  Recorder recorder(exchange, 0);
  recorder.start(100, {.thread_ns = 1, .process_ns = 2});
  recorder.record_success(0, 0, 0, 10);
  recorder.end_interval(0, 1100, 7, {.thread_ns = 501, .process_ns = 602});
  EXPECT_TRUE(recorder.current().kinds[0].response.empty());
  EXPECT_EQ(recorder.current().start_ns, 1100);

  const std::unique_ptr<Sample> sample = exchange.take(0);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->interval, 0U);
  EXPECT_EQ(sample->start_ns, 100);
  EXPECT_EQ(sample->end_ns, 1100);
  EXPECT_EQ(sample->in_flight, 7U);
  EXPECT_FALSE(sample->final);
  EXPECT_EQ(sample->cpu_at_start.thread_ns, 1);
  EXPECT_EQ(sample->cpu_at_end.thread_ns, 501);
  EXPECT_EQ(sample->kinds[0].response.count(), 1U);
}

TEST(Recorder, GoesOnInTheSameSampleWhenTheCollectorIsBehind) {
  SampleExchange exchange(1, 1);
  Recorder recorder(exchange, 0);
  recorder.start(0, {});
  for (uint64_t interval = 0; interval < 10; ++interval) {
    recorder.record_success(0, 0, 0, 10);
    const auto end_ns = static_cast<int64_t>(interval + 1) * 1000;
    recorder.end_interval(interval, end_ns, 0, {});
  }
  recorder.finish(10, 10'500, 0, {});
  // Two samples fitted; the rest is in the third and last.
  uint64_t count = 0;
  int64_t covered_to_ns = 0;
  std::vector<uint64_t> intervals;
  while (const std::unique_ptr<Sample> sample = exchange.take(0)) {
    EXPECT_EQ(sample->start_ns, covered_to_ns);
    covered_to_ns = sample->end_ns;
    count += sample->kinds[0].response.count();
    intervals.push_back(sample->interval);
    EXPECT_EQ(sample->final, sample->interval == 10);
  }
  EXPECT_EQ(intervals, (std::vector<uint64_t>{0, 1, 10}));
  EXPECT_EQ(count, 10U);
  EXPECT_EQ(covered_to_ns, 10'500);
}

TEST(SampleExchange, GivesBackEmptied) {
  SampleExchange exchange(1, 1);
  std::unique_ptr<Sample> sample = exchange.first(0);
  for (int round = 0; round < 10; ++round) {
    ASSERT_EQ(sample->errors.total(), 0U);
    ASSERT_TRUE(sample->kinds[0].service.empty());
    sample->errors.add("a", "b");
    sample->kinds[0].service.record(1);
    ASSERT_TRUE(exchange.hand_over(sample));
    exchange.give_back(exchange.take(0));
  }
}

TEST(SampleExchange, TakeTimesOut) {
  SampleExchange exchange(1, 1);
  EXPECT_FALSE(exchange.take(0));
  EXPECT_FALSE(exchange.take(1'000'000));
}

TEST(SampleExchange, ManyWorkersLoseNothing) {
  constexpr size_t kWorkers = 4;
  constexpr uint64_t kIntervals = 300;
  SampleExchange exchange(kWorkers, 1);
  std::vector<std::thread> workers;
  for (size_t worker = 0; worker < kWorkers; ++worker) {
    workers.emplace_back([&exchange, worker] {
      Recorder recorder(exchange, worker);
      recorder.start(0, CpuTimes::read());
      for (uint64_t interval = 0; interval < kIntervals; ++interval) {
        recorder.record_success(0, 0, 0, static_cast<int64_t>(interval));
        recorder.end_interval(interval, static_cast<int64_t>(interval), 0, {});
      }
      recorder.finish(kIntervals, kIntervals, 0, {});
    });
  }
  uint64_t count = 0;
  size_t finished = 0;
  while (finished < kWorkers) {
    std::unique_ptr<Sample> sample = exchange.take(10'000'000'000);
    ASSERT_TRUE(sample);
    count += sample->kinds[0].response.count();
    finished += sample->final ? 1 : 0;
    exchange.give_back(std::move(sample));
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(count, kWorkers * kIntervals);
}

TEST(SampleExchangeDeathTest, OneRecorderPerWorker) {
  SampleExchange exchange(1, 1);
  const std::unique_ptr<Sample> sample = exchange.first(0);
  EXPECT_DEATH(exchange.first(0), "one recorder");
}

TEST(CpuTimes, MoveOn) {
  const CpuTimes before = CpuTimes::read();
  volatile uint64_t work = 0;
  while (CpuTimes::read().thread_ns <= before.thread_ns) work = work + 1;
  EXPECT_GT(CpuTimes::read().process_ns, before.process_ns);
}

}  // namespace
}  // namespace cqlperf::measure
