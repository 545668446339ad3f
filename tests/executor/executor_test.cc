#include "executor/executor.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/interrupt.h"

namespace cqlperf::executor {
namespace {

constexpr int64_t kMilli = core::kNanosPerMilli;
constexpr int64_t kSecond = core::kNanosPerSecond;

// Answers by a timer of its loop.
class TimerSource final : public OperationSource {
 public:
  TimerSource(net::EventLoop& loop, int64_t service_ns) : loop_(loop), service_ns_(service_ns) {}

  void begin(Completions& completions) override { completions_ = &completions; }
  StartResult start(const Operation& operation) override {
    indices.push_back(operation.index);
    slots_.push_back(operation.slot);
    return StartResult::kStarted;
  }
  void flush() override {
    if (!answers) return slots_.clear();
    // One timer for the operations of a turn, as one receive has many answers.
    loop_.call_at(loop_.now_ns() + service_ns_, [this, slots = std::move(slots_)] {
      if (completions_ == nullptr) return;
      for (const uint32_t slot : slots) completions_->succeeded(slot, loop_.now_ns());
    });
    slots_.clear();
  }
  bool ready() override { return true; }
  void end() override { completions_ = nullptr; }

  std::vector<uint64_t> indices;
  bool answers = true;

 private:
  net::EventLoop& loop_;
  int64_t service_ns_;
  Completions* completions_ = nullptr;
  std::vector<uint32_t> slots_;
};

class ExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override { core::set_interrupted(false); }
  void TearDown() override { core::set_interrupted(false); }

  void make_workers(size_t count, int64_t service_ns) {
    for (size_t i = 0; i < count; ++i) {
      loops_.push_back(std::make_unique<net::EventLoop>());
      sources_.push_back(std::make_unique<TimerSource>(*loops_.back(), service_ns));
      parts_.push_back({loops_.back().get(), sources_.back().get()});
    }
  }
  std::unique_ptr<measure::Collector> make_collector(const Plan& plan) {
    measure::CollectorConfig config;
    config.workers = parts_.size();
    config.asked_rate = plan.rate;
    config.parallelism = plan.parallelism;
    config.on_row = [this](const measure::IntervalRow& row) {
      ++rows_;
      if (on_row) on_row(row);
    };
    return std::make_unique<measure::Collector>(std::move(config));
  }
  std::vector<uint64_t> all_indices() const {
    std::vector<uint64_t> all;
    for (const auto& source : sources_)
      all.insert(all.end(), source->indices.begin(), source->indices.end());
    std::ranges::sort(all);
    return all;
  }
  void expect_each_once(uint64_t count) const {
    const auto all = all_indices();
    ASSERT_EQ(all.size(), count);
    for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(all[i], i);
  }

  std::vector<std::unique_ptr<net::EventLoop>> loops_;
  std::vector<std::unique_ptr<TimerSource>> sources_;
  std::vector<WorkerParts> parts_;
  std::function<void(const measure::IntervalRow&)> on_row;
  int rows_ = 0;
};

TEST_F(ExecutorTest, ThreeThreadsDoEachOperationOnce) {
  Plan plan;
  plan.parallelism = 10;
  plan.threads = 3;
  plan.count = 10'000;
  make_workers(worker_count(plan), 100 * core::kNanosPerMicro);
  const auto collector = make_collector(plan);
  const auto outcome = run(plan, parts_, *collector);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->files);
  EXPECT_EQ(outcome->total.ending, Ending::kAllDone);
  EXPECT_EQ(outcome->total.completed, 10'000u);
  EXPECT_EQ(collector->summary().operations, 10'000u);
  expect_each_once(10'000);
}

TEST_F(ExecutorTest, AScheduleOverThreadsIsComplete) {
  Plan plan;
  plan.rate = 2000;
  plan.parallelism = 1000;  // room for all, however long this machine makes a thread wait
  plan.threads = 2;
  plan.duration_ns = 500 * kMilli;
  plan.interval_ns = 100 * kMilli;
  plan.pacing_tick_ns = 200 * core::kNanosPerMicro;
  make_workers(2, 50 * core::kNanosPerMicro);
  const auto collector = make_collector(plan);
  const auto outcome = run(plan, parts_, *collector);
  ASSERT_TRUE(outcome);
  const auto summary = collector->summary();
  EXPECT_EQ(summary.operations, 1000u);
  EXPECT_GE(summary.measured_seconds, 0.5);
  EXPECT_GE(rows_, 1);
  expect_each_once(1000);
}

TEST_F(ExecutorTest, SourcesAndLoopsAreUsedAgainAfterAWarmUp) {
  Plan plan;
  plan.parallelism = 4;
  plan.threads = 2;
  plan.count = 100;
  make_workers(2, 10 * core::kNanosPerMicro);
  const auto discarded = make_collector(plan);
  ASSERT_TRUE(run(warm_up_plan(plan, 20 * kMilli), parts_, *discarded));
  for (auto& source : sources_) source->indices.clear();
  const auto collector = make_collector(plan);
  ASSERT_TRUE(run(plan, parts_, *collector));
  EXPECT_EQ(collector->summary().operations, 100u);
  expect_each_once(100);
}

TEST_F(ExecutorTest, BusyPollingNeverSleeps) {
  Plan plan;
  plan.rate = 1000;
  plan.parallelism = 100;
  plan.duration_ns = 100 * kMilli;
  plan.busy_poll = true;
  make_workers(1, 10 * core::kNanosPerMicro);
  const auto collector = make_collector(plan);
  ASSERT_TRUE(run(plan, parts_, *collector));
  EXPECT_EQ(collector->summary().operations, 100u);
}

TEST_F(ExecutorTest, AnInterruptEndsAllWorkers) {
  Plan plan;
  plan.rate = 1000;
  plan.parallelism = 10;
  plan.threads = 2;
  plan.duration_ns = 3600 * kSecond;
  plan.interval_ns = 50 * kMilli;
  make_workers(2, 10 * core::kNanosPerMicro);
  on_row = [](const measure::IntervalRow&) { core::set_interrupted(true); };
  const auto collector = make_collector(plan);
  const auto outcome = run(plan, parts_, *collector);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->total.ending, Ending::kInterrupted);
  EXPECT_GT(collector->summary(true).operations, 0u);
  EXPECT_EQ(outcome->total.due, outcome->total.completed + outcome->total.abandoned +
                                    outcome->total.skipped + outcome->total.unsent);
}

TEST_F(ExecutorTest, ASilentServerDoesNotHoldTheRunUp) {
  Plan plan;
  plan.parallelism = 8;
  plan.threads = 2;
  plan.duration_ns = 50 * kMilli;
  plan.drain_timeout_ns = 50 * kMilli;
  make_workers(2, 0);
  for (auto& source : sources_) source->answers = false;
  const auto collector = make_collector(plan);
  const auto outcome = run(plan, parts_, *collector);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->total.abandoned, 8u);
  EXPECT_EQ(collector->summary().operations, 0u);
}

TEST_F(ExecutorTest, LinesOfRunsComeToTheCallingThread) {
  Plan plan;
  plan.rate = 1000;
  plan.parallelism = 100;
  plan.count = *operations_of_runs(plan.rate, 2);
  make_workers(1, 10 * core::kNanosPerMicro);
  const auto collector = make_collector(plan);
  std::vector<RunLine> lines;
  RunOptions options;
  options.track_runs = true;
  options.on_run_line = [&](const RunLine& line) { lines.push_back(line); };
  ASSERT_TRUE(run(plan, parts_, *collector, options));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].run, 1u);
  EXPECT_EQ(lines[1].succeeded, 1000u);
  EXPECT_GT(lines[1].wall_ns, lines[0].wall_ns);
}

TEST_F(ExecutorTest, APlanThatIsNotValidRunsNothing) {
  Plan plan;
  make_workers(1, 0);
  const auto collector = make_collector(plan);
  const auto outcome = run(plan, parts_, *collector);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, core::ErrorCode::kUsage);
}

TEST_F(ExecutorTest, LinesOfRunsNeedOneWorkerThatSkipsNothing) {
  Plan plan;
  plan.rate = 10;
  plan.count = 1;
  plan.late = LatePolicy::kDrop;
  make_workers(1, 0);
  const auto collector = make_collector(plan);
  RunOptions options;
  options.track_runs = true;
  const auto outcome = run(plan, parts_, *collector, options);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("--late"), std::string::npos);
}

}  // namespace
}  // namespace cqlperf::executor
