#include "measure/collector.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/clock.h"
#include "measure/recorder.h"

namespace cqlperf::measure {
namespace {

using core::kNanosPerMilli;
using core::kNanosPerSecond;

// When the monotonic clock stood at the start of the runs below.
constexpr int64_t kStart = 5'000 * kNanosPerSecond;

// A collector and its recorders, driven by hand on one thread.
class MeasuredRun {
 public:
  explicit MeasuredRun(CollectorConfig config) {
    config.on_row = [this](const IntervalRow& row) { rows.push_back(row); };
    const size_t workers = config.workers;
    collector = std::make_unique<Collector>(std::move(config));
    for (size_t worker = 0; worker < workers; ++worker) {
      recorders.push_back(std::make_unique<Recorder>(collector->exchange(), worker));
      recorders.back()->start(kStart, {});
    }
  }

  void succeed(size_t worker, int count, int64_t service_ns = kNanosPerMilli) {
    for (int i = 0; i < count; ++i) {
      recorders[worker]->record_due(1);
      recorders[worker]->record_sent(kStart, kStart);
      recorders[worker]->record_success(0, kStart, kStart, kStart + service_ns);
    }
  }
  void end_interval(size_t worker, uint64_t interval, double end_s, uint64_t in_flight = 0) {
    recorders[worker]->end_interval(interval, at(end_s), in_flight, cpu(end_s));
    EXPECT_TRUE(collector->collect(0));
  }
  void finish(size_t worker, uint64_t interval, double end_s, uint64_t in_flight = 0) {
    recorders[worker]->finish(interval, at(end_s), in_flight, cpu(end_s));
    EXPECT_TRUE(collector->collect(0));
  }
  Summary close() {
    EXPECT_TRUE(collector->close());
    return collector->summary();
  }

  static int64_t at(double seconds) { return kStart + std::llround(seconds * 1e9); }
  // Each worker uses a quarter of a core, and the process a half.
  static CpuTimes cpu(double seconds) {
    return {.thread_ns = static_cast<int64_t>(seconds * 0.25e9),
            .process_ns = static_cast<int64_t>(seconds * 0.5e9)};
  }

  std::vector<IntervalRow> rows;
  std::unique_ptr<Collector> collector;
  std::vector<std::unique_ptr<Recorder>> recorders;
};

TEST(Collector, OneWorkerWithAPartialLastInterval) {
  MeasuredRun run({.asked_rate = 100});
  run.succeed(0, 100);
  run.end_interval(0, 0, 1.0, 3);
  run.succeed(0, 50);
  run.finish(0, 1, 1.5);
  EXPECT_TRUE(run.collector->finished());
  const Summary summary = run.close();

  ASSERT_EQ(run.rows.size(), 2U);
  EXPECT_EQ(run.rows[0].start_s, 0);
  EXPECT_EQ(run.rows[0].length_s, 1);
  EXPECT_EQ(run.rows[0].done, 100U);
  EXPECT_EQ(run.rows[0].rate, 100);
  EXPECT_EQ(run.rows[0].target_rate, 100);
  EXPECT_EQ(run.rows[0].in_flight, 3U);
  EXPECT_EQ(run.rows[0].sent, 100U);
  EXPECT_EQ(run.rows[0].process_cpu_ns, kNanosPerSecond / 2);
  EXPECT_NEAR(run.rows[0].busiest_worker_cpu, 0.25, 1e-9);
  EXPECT_EQ(run.rows[1].start_s, 1);
  EXPECT_EQ(run.rows[1].length_s, 0.5);
  EXPECT_EQ(run.rows[1].rate, 100);  // 50 in half a second

  EXPECT_EQ(summary.operations, 150U);
  EXPECT_EQ(summary.measured_seconds, 1.5);
  EXPECT_EQ(summary.achieved_rate, 100);
  EXPECT_EQ(summary.due, 150U);
  EXPECT_EQ(summary.sent, 150U);
  EXPECT_EQ(summary.unsent, 0U);
  EXPECT_EQ(summary.in_flight_at_end, 0U);
  EXPECT_NEAR(*summary.client_cpu_us_per_operation, 5'000, 1e-6);
  EXPECT_NEAR(summary.busiest_worker_cpu, 0.25, 1e-9);
  EXPECT_EQ(summary.response.count, 150U);
  EXPECT_EQ(summary.service.max_ns, kNanosPerMilli);
  EXPECT_EQ(summary.shortfall.cause, ShortfallCause::kNone);
}

// Answers take a whole second, so every other interval has none of them.
TEST(Collector, SlowAnswersDoNotRaiseTheRate) {
  MeasuredRun run({});
  for (uint64_t interval = 0; interval < 4; ++interval) {
    if (interval % 2 == 1) run.succeed(0, 10, kNanosPerSecond);
    run.end_interval(0, interval, static_cast<double>(interval + 1) * 0.5);
  }
  run.finish(0, 4, 2.0);
  const Summary summary = run.close();
  ASSERT_EQ(run.rows.size(), 4U);  // the last, empty and without length, is none
  EXPECT_EQ(run.rows[0].rate, 0);
  EXPECT_FALSE(run.rows[0].response.mean_ns);
  EXPECT_FALSE(run.rows[0].response.p99_ns);
  EXPECT_FALSE(run.rows[0].service.max_ns);
  EXPECT_EQ(run.rows[1].rate, 20);
  EXPECT_EQ(run.rows[1].service.max_ns, kNanosPerSecond);
  EXPECT_EQ(summary.achieved_rate, 10);
}

TEST(Collector, WorkersAreAddedUpOnce) {
  MeasuredRun run({.workers = 3});
  for (uint64_t interval = 0; interval < 2; ++interval) {
    const auto end_s = static_cast<double>(interval + 1);
    for (size_t worker = 0; worker < 3; ++worker) {
      run.succeed(worker, 10);
      EXPECT_EQ(run.rows.size(), interval);  // complete only with the last worker
      run.end_interval(worker, interval, end_s, worker);
    }
  }
  for (size_t worker = 0; worker < 3; ++worker) {
    run.succeed(worker, 5);
    run.finish(worker, 2, worker == 0 ? 2.1 : 2.5, worker == 2 ? 1 : 0);
  }
  const Summary summary = run.close();
  ASSERT_EQ(run.rows.size(), 3U);
  EXPECT_EQ(run.rows[0].done, 30U);
  EXPECT_EQ(run.rows[0].rate, 30);
  EXPECT_EQ(run.rows[0].in_flight, 3U);
  EXPECT_EQ(run.rows[0].process_cpu_ns, kNanosPerSecond / 2);  // of the process, not three times
  // One worker was done sooner: its rate over its own time must not be added to the others'.
  EXPECT_EQ(run.rows[2].length_s, 0.5);
  EXPECT_EQ(run.rows[2].rate, 30);
  EXPECT_EQ(summary.operations, 75U);
  EXPECT_EQ(summary.measured_seconds, 2.5);
  EXPECT_EQ(summary.achieved_rate, 30);
  EXPECT_EQ(summary.in_flight_at_end, 1U);
}

TEST(Collector, RowsFollowEachOtherWithoutGapOrOverlap) {
  MeasuredRun run({.workers = 2});
  run.end_interval(0, 0, 1.000);
  run.end_interval(1, 0, 1.004);
  run.end_interval(0, 1, 2.002);
  run.end_interval(1, 1, 2.000);
  run.finish(0, 2, 2.4);
  run.finish(1, 2, 2.6);
  const Summary summary = run.close();
  ASSERT_EQ(run.rows.size(), 3U);
  EXPECT_NEAR(run.rows[0].length_s, 1.002, 1e-9);
  EXPECT_NEAR(run.rows[1].start_s, 1.002, 1e-9);
  EXPECT_NEAR(run.rows[1].length_s, 0.999, 1e-9);
  EXPECT_NEAR(run.rows[2].start_s, 2.001, 1e-9);
  EXPECT_NEAR(run.rows[2].length_s, 0.599, 1e-9);
  EXPECT_NEAR(summary.measured_seconds, 2.6, 1e-9);
}

TEST(Collector, AWorkerThatFinishedDoesNotHoldTheOthersUp) {
  MeasuredRun run({.workers = 2});
  run.succeed(0, 1);
  run.finish(0, 0, 0.1);
  for (uint64_t interval = 0; interval < 3; ++interval) {
    run.succeed(1, 10);
    run.end_interval(1, interval, static_cast<double>(interval + 1));
    EXPECT_EQ(run.rows.size(), interval + 1);
  }
  run.finish(1, 3, 3.0);
  const Summary summary = run.close();
  EXPECT_EQ(run.rows[0].rate, 11);
  EXPECT_EQ(run.rows[1].rate, 10);
  EXPECT_EQ(summary.operations, 31U);
}

TEST(Collector, AWorkerThatWasHeldUpMakesOneLongRow) {
  MeasuredRun run({.workers = 2});
  // Worker 0 goes on for more intervals than it has samples, while worker 1 hands over nothing.
  for (uint64_t interval = 0; interval < 8; ++interval) {
    run.succeed(0, 10);
    run.end_interval(0, interval, static_cast<double>(interval + 1));
  }
  EXPECT_TRUE(run.rows.empty());
  run.succeed(1, 80);
  run.end_interval(1, 7, 8.0);  // was away for all of them
  run.succeed(0, 10);
  run.end_interval(0, 8, 9.0);
  run.succeed(1, 10);
  run.end_interval(1, 8, 9.0);
  run.finish(0, 9, 9.0);
  run.finish(1, 9, 9.0);
  const Summary summary = run.close();
  uint64_t done = 0;
  double length_s = 0;
  for (const IntervalRow& row : run.rows) {
    done += row.done;
    length_s += row.length_s;
    EXPECT_NEAR(row.rate, 20, 1e-9);
  }
  EXPECT_EQ(done, 180U);
  EXPECT_EQ(length_s, 9);
  EXPECT_EQ(summary.operations, 180U);
}

TEST(Collector, CloseTakesWhatThereIs) {
  MeasuredRun run({.workers = 3});
  run.succeed(0, 10);
  run.end_interval(0, 0, 1.0);
  run.succeed(0, 10);
  run.end_interval(0, 1, 2.0);
  run.succeed(1, 5);
  run.finish(1, 0, 0.5);
  EXPECT_TRUE(run.rows.empty());  // worker 2 never came
  EXPECT_FALSE(run.collector->finished());
  const Summary summary = run.close();
  EXPECT_EQ(summary.operations, 25U);
  EXPECT_EQ(summary.measured_seconds, 2);
  EXPECT_EQ(run.rows.size(), 2U);
}

TEST(Collector, NothingAtAllHasNoStatistics) {
  MeasuredRun run({.asked_rate = 1000});
  run.finish(0, 0, 0);
  const Summary summary = run.close();
  EXPECT_TRUE(run.rows.empty());
  EXPECT_EQ(summary.operations, 0U);
  EXPECT_EQ(summary.measured_seconds, 0);
  EXPECT_EQ(summary.achieved_rate, 0);
  EXPECT_EQ(summary.process_cpu_ns, 0);
  EXPECT_FALSE(summary.client_cpu_us_per_operation);
  EXPECT_FALSE(summary.response.mean_ns);
  EXPECT_FALSE(summary.distinct_keys);
  EXPECT_EQ(summary.busiest_worker_cpu, 0);
}

TEST(Collector, NoSampleAtAll) {
  MeasuredRun run({});
  const Summary summary = run.close();
  EXPECT_EQ(summary.measured_seconds, 0);
  EXPECT_EQ(summary.achieved_rate, 0);
}

TEST(Collector, AllFailed) {
  MeasuredRun run({.asked_rate = 10});
  for (int i = 0; i < 10; ++i) {
    run.recorders[0]->record_due(1);
    run.recorders[0]->record_sent(kStart, kStart);
    run.recorders[0]->record_failure(i < 3 ? "unavailable" : "timeout", "message", kStart,
                                     kStart + 2 * kNanosPerSecond);
  }
  run.finish(0, 0, 1.0);
  const Summary summary = run.close();
  ASSERT_EQ(run.rows.size(), 1U);
  EXPECT_EQ(run.rows[0].done, 0U);
  EXPECT_EQ(run.rows[0].errors, 10U);
  EXPECT_EQ(run.rows[0].rate, 0);
  EXPECT_FALSE(run.rows[0].response.p50_ns);
  EXPECT_EQ(summary.operations, 0U);
  EXPECT_EQ(summary.errors, 10U);
  ASSERT_EQ(summary.errors_by_kind.size(), 2U);
  EXPECT_EQ(summary.errors_by_kind[0].kind, "unavailable");
  EXPECT_EQ(summary.errors_by_kind[0].count, 3U);
  EXPECT_EQ(summary.failed_response.max_ns, 2 * kNanosPerSecond);
  EXPECT_FALSE(summary.client_cpu_us_per_operation);
  EXPECT_FALSE(summary.response.max_ns);
  EXPECT_EQ(summary.shortfall.cause, ShortfallCause::kServerErrors);
}

TEST(Collector, ErrorsWithoutLengthStillMakeARow) {
  MeasuredRun run({});
  run.recorders[0]->record_failure("connect", "refused", kStart, kStart);
  run.finish(0, 0, 0);
  const Summary summary = run.close();
  ASSERT_EQ(run.rows.size(), 1U);
  EXPECT_EQ(run.rows[0].errors, 1U);
  EXPECT_EQ(run.rows[0].rate, 0);
  EXPECT_EQ(summary.errors, 1U);
}

TEST(Collector, CountersAndUnsent) {
  MeasuredRun run({.workers = 2, .asked_rate = 100, .parallelism = 4});
  for (size_t worker = 0; worker < 2; ++worker) {
    Recorder& recorder = *run.recorders[worker];
    recorder.record_due(50);
    for (int i = 0; i < 20; ++i) {
      recorder.record_sent(kStart, kStart + 2 * kNanosPerMilli);
      recorder.record_success(0, kStart, kStart, kStart + 100 * kNanosPerMilli);
    }
    recorder.record_skipped(5);
    recorder.record_lag(worker == 0 ? 7 : 9);
    recorder.add_window_full_ns(worker == 0 ? kNanosPerSecond : kNanosPerSecond / 2);
    run.finish(worker, 0, 1.0);
  }
  const Summary summary = run.close();
  EXPECT_EQ(summary.due, 100U);
  EXPECT_EQ(summary.sent, 40U);
  EXPECT_EQ(summary.late, 40U);
  EXPECT_EQ(summary.skipped, 10U);
  EXPECT_EQ(summary.unsent, 50U);
  EXPECT_EQ(summary.lag_max_ns, 9);
  EXPECT_EQ(run.rows.at(0).late, 40U);
  EXPECT_EQ(run.rows.at(0).skipped, 10U);
  EXPECT_EQ(summary.shortfall.cause, ShortfallCause::kWindowFull);
  EXPECT_THAT(summary.shortfall.sentence, testing::HasSubstr("75 %"));
  EXPECT_THAT(summary.shortfall.sentence, testing::HasSubstr("10 in flight"));
}

TEST(Collector, KindsAreSeparateAndTogether) {
  MeasuredRun run({.kinds = {"insert", "read"}, .extra_percentiles = {99.99, 99.991}});
  run.recorders[0]->record_success(0, 0, 0, 1000);
  run.recorders[0]->record_success(1, 0, 0, 2000);
  run.recorders[0]->record_success(1, 0, 0, 2000);
  run.finish(0, 0, 1.0);
  const Summary summary = run.close();
  EXPECT_EQ(summary.operations, 3U);
  ASSERT_EQ(summary.kinds.size(), 2U);
  EXPECT_EQ(summary.kinds[0].name, "insert");
  EXPECT_EQ(summary.kinds[0].response.count, 1U);
  EXPECT_EQ(summary.kinds[0].response.max_ns, 1000);
  EXPECT_EQ(summary.kinds[1].service.count, 2U);
  EXPECT_EQ(summary.response.max_ns, 2000);
  ASSERT_EQ(summary.response.extra.size(), 2U);
  EXPECT_EQ(summary.response.extra[1].percentile, 99.991);
  EXPECT_EQ(summary.response.extra[1].value_ns, 2000);
  EXPECT_EQ(run.collector->total_latencies().response.count(), 3U);
}

TEST(Collector, CountsBeyond32Bits) {
  MeasuredRun run({});
  SampleExchange& exchange = run.collector->exchange();
  // What a long run adds up to, in two samples.
  for (uint64_t interval = 0; interval < 2; ++interval) {
    auto sample = std::make_unique<Sample>(0, 1);
    sample->interval = interval;
    sample->start_ns = MeasuredRun::at(static_cast<double>(interval));
    sample->end_ns = MeasuredRun::at(static_cast<double>(interval + 1));
    sample->final = interval == 1;
    sample->kinds[0].response.record(1000, uint64_t{1} << 31);
    sample->kinds[0].service.record(1000, uint64_t{1} << 31);
    sample->counters.sent = (uint64_t{1} << 31) + 1;
    sample->errors.add("timeout", "t", uint64_t{1} << 32);
    exchange.hand_over_last(std::move(sample));
  }
  const Summary summary = run.close();
  EXPECT_EQ(summary.operations, uint64_t{1} << 32);
  EXPECT_EQ(summary.sent, (uint64_t{1} << 32) + 2);
  EXPECT_EQ(summary.errors, uint64_t{1} << 33);
  EXPECT_EQ(summary.achieved_rate, 2147483648.0);
  EXPECT_EQ(summary.response.p99_9_ns, 1000);
}

TEST(Collector, KeepsWhatTheSummaryIsGiven) {
  MeasuredRun run({});
  run.finish(0, 0, 1.0);
  ASSERT_TRUE(run.collector->close());
  const Summary summary = run.collector->summary(
      true, DistinctCount{.count = 5, .exact = false, .relative_error = 0.1});
  EXPECT_TRUE(summary.interrupted);
  ASSERT_TRUE(summary.distinct_keys);
  EXPECT_EQ(summary.distinct_keys->count, 5U);
}

TEST(Collector, WritesTheLog) {
  char path[] = "/tmp/cqlperf-collector-XXXXXX";
  close(mkstemp(path));
  MeasuredRun run({.kinds = {"insert", "read"},
                   .hdr_log = HdrLogWriter::open(path, {"a comment"}).value(),
                   .wall_offset_ns = 1'700'000'000 * kNanosPerSecond - kStart});
  run.recorders[0]->record_success(0, 0, 500, 1000);
  run.recorders[0]->record_success(1, 0, 0, 2000);
  run.end_interval(0, 0, 1.0);
  run.recorders[0]->record_failure("timeout", "t", 0, 3000);
  run.finish(0, 1, 1.25);
  run.close();

  std::map<std::string, std::vector<HdrLogInterval>> lines;
  const auto header = read_hdr_log(
      path, [&](HdrLogInterval interval) { lines[interval.tag].push_back(std::move(interval)); });
  unlink(path);
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->base_wall_ns, 1'700'000'000 * kNanosPerSecond);
  EXPECT_EQ(lines.size(), 7U);
  for (const char* tag : {"response", "service", "response-insert", "service-read"}) {
    ASSERT_EQ(lines[tag].size(), 2U) << tag;
    EXPECT_EQ(lines[tag][0].start_ns, 0);
    EXPECT_EQ(lines[tag][0].length_ns, kNanosPerSecond);
    EXPECT_EQ(lines[tag][1].start_ns, kNanosPerSecond);
    EXPECT_EQ(lines[tag][1].length_ns, kNanosPerSecond / 4);
    EXPECT_TRUE(lines[tag][1].histogram.empty());
  }
  EXPECT_EQ(lines["response"][0].histogram.count(), 2U);
  EXPECT_EQ(lines["service-insert"][0].histogram.value_at_percentile(100), 500);
  ASSERT_EQ(lines["failed-response"].size(), 1U);
  EXPECT_EQ(lines["failed-response"][0].start_ns, kNanosPerSecond);
}

TEST(Collector, WallOffsetLeadsToTheWallClock) {
  const int64_t wall_ns = core::steady_clock().now_ns() + current_wall_offset_ns();
  EXPECT_LT(std::abs(core::wall_clock_ns() - wall_ns), 10 * kNanosPerSecond);
}

TEST(Collector, WorksWithThreads) {
  constexpr size_t kWorkers = 3;
  constexpr uint64_t kIntervals = 50;
  auto collector = std::make_unique<Collector>(CollectorConfig{.workers = kWorkers});
  std::vector<std::thread> threads;
  for (size_t worker = 0; worker < kWorkers; ++worker) {
    threads.emplace_back([&exchange = collector->exchange(), worker] {
      Recorder recorder(exchange, worker);
      recorder.start(kStart, CpuTimes::read());
      for (uint64_t interval = 0; interval < kIntervals; ++interval) {
        for (int i = 0; i < 100; ++i) recorder.record_success(0, 0, 0, i);
        recorder.end_interval(interval, MeasuredRun::at(static_cast<double>(interval + 1)), 0,
                              CpuTimes::read());
      }
      recorder.finish(kIntervals, MeasuredRun::at(kIntervals), 0, CpuTimes::read());
    });
  }
  const int64_t deadline_ns = core::steady_clock().now_ns() + 60 * kNanosPerSecond;
  while (!collector->finished() && core::steady_clock().now_ns() < deadline_ns) {
    ASSERT_TRUE(collector->collect(100 * kNanosPerMilli));
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(collector->close());
  EXPECT_EQ(collector->summary().operations, kWorkers * kIntervals * 100);
  EXPECT_EQ(collector->summary().measured_seconds, kIntervals);
  uint64_t done = 0;
  EXPECT_TRUE(collector->intervals().for_each([&](const IntervalRow& row) { done += row.done; }));
  EXPECT_EQ(done, kWorkers * kIntervals * 100);
}

}  // namespace
}  // namespace cqlperf::measure
