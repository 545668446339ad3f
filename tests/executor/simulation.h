#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "executor/completions.h"
#include "executor/operation.h"
#include "executor/plan.h"
#include "executor/worker.h"
#include "measure/collector.h"
#include "measure/recorder.h"

namespace cqlperf::executor {

inline constexpr int64_t kMicro = core::kNanosPerMicro;
inline constexpr int64_t kMilli = core::kNanosPerMilli;
inline constexpr int64_t kSecond = core::kNanosPerSecond;

// A source whose operations are plain entries in a queue, answered in order when the test says so.
class FakeSource final : public OperationSource {
 public:
  struct Pending {
    Operation operation;
    int64_t sent_ns;
  };

  void begin(Completions& completions) override {
    completions_ = &completions;
    ++begins;
  }
  StartResult start(const Operation& operation) override {
    ++start_calls;
    if (!is_ready) return StartResult::kNotReady;
    pending.push_back({operation, now_ns});
    indices.push_back(operation.index);
    return StartResult::kStarted;
  }
  void flush() override { flushed_at_ns.push_back(now_ns); }
  bool ready() override { return is_ready; }
  void end() override {
    completions_ = nullptr;
    ++ends;
  }

  void succeed_next(int64_t done_ns) {
    const uint32_t slot = pending.front().operation.slot;
    pending.pop_front();
    completions_->succeeded(slot, done_ns);
    if (at_success) at_success(*completions_, done_ns);
  }
  void fail_next(int64_t done_ns, const Failure& failure) {
    const uint32_t slot = pending.front().operation.slot;
    pending.pop_front();
    completions_->failed(slot, failure, done_ns);
  }

  std::function<void(Completions&, int64_t)> at_success;  // after each one; may be empty
  int64_t now_ns = 0;                                     // the simulated time
  bool is_ready = true;
  std::deque<Pending> pending;  // in flight, oldest first
  std::vector<uint64_t> indices;
  std::vector<int64_t> flushed_at_ns;
  uint64_t start_calls = 0;
  int begins = 0;
  int ends = 0;

 private:
  Completions* completions_ = nullptr;
};

// Runs one worker on simulated time against a server that answers each operation after a fixed
// time, and answers nothing while it is frozen.
class Simulation {
 public:
  // The schedule starts here, so that nothing depends on a start at 0.
  static constexpr int64_t kStartNs = 1'000 * kSecond;

  explicit Simulation(const Plan& plan, Stripe stripe = {}, RunTracker* tracker = nullptr)
      : collector_(make_collector(plan)),
        recorder_(collector_->exchange(), 0, plan.late_after_ns + plan.pacing_tick_ns),
        worker_(plan, stripe, kStartNs, source, recorder_, tracker) {
    now_ns_ = kStartNs;
    source.now_ns = now_ns_;
  }

  // Turns the worker at each event until it is done or `until_ns` (after the start) has come.
  void run(int64_t until_ns = 100'000 * kSecond) {
    while (!worker_.done()) {
      source.now_ns = now_ns_;
      answer_what_is_done();
      if (at_turn) at_turn(offset_ns());
      wake_ns_ = worker_.turn(now_ns_) + wake_delay_ns;
      ++turns;
      collect();
      if (worker_.done()) return;
      ASSERT_GT(wake_ns_, now_ns_) << "the worker spins";
      const int64_t next_ns = std::min(wake_ns_, next_answer_ns());
      if (next_ns - kStartNs >= until_ns) {
        now_ns_ = kStartNs + until_ns;
        return;
      }
      now_ns_ = std::max(next_ns, now_ns_);
    }
  }

  // Nanoseconds since the start.
  int64_t offset_ns() const { return now_ns_ - kStartNs; }
  int64_t wake_offset_ns() const { return wake_ns_ - kStartNs; }
  bool done() const { return worker_.done(); }
  Worker& worker() { return worker_; }

  // After the end. Checks what is true of every run.
  measure::Summary summary() {
    EXPECT_TRUE(worker_.done());
    EXPECT_TRUE(collector_->collect(0));
    EXPECT_TRUE(collector_->close());
    EXPECT_EQ(source.begins, 1);
    EXPECT_EQ(source.ends, 1);
    const measure::Summary summary = collector_->summary();
    const WorkerOutcome& outcome = worker_.outcome();
    EXPECT_EQ(outcome.completed, summary.operations + summary.errors);
    EXPECT_EQ(outcome.due, summary.due);
    EXPECT_EQ(outcome.sent, summary.sent);
    EXPECT_EQ(outcome.skipped, summary.skipped);
    EXPECT_EQ(outcome.unsent, summary.unsent);
    EXPECT_EQ(outcome.abandoned, summary.in_flight_at_end);
    EXPECT_EQ(outcome.due, summary.operations + summary.errors + outcome.abandoned +
                               outcome.skipped + outcome.unsent);
    EXPECT_EQ(source.indices.size(), outcome.sent);
    return summary;
  }
  const std::vector<measure::IntervalRow>& rows() const { return rows_; }

  FakeSource source;
  int64_t service_ns = kMilli;
  int64_t wake_delay_ns = 0;    // each wake-up comes this much late
  int64_t frozen_from_ns = -1;  // since the start; the server answers nothing in [from, to)
  int64_t frozen_to_ns = -1;
  std::optional<Failure> failure;        // what each answer is, when set
  std::function<void(int64_t)> at_turn;  // gets the time since the start
  uint64_t turns = 0;

 private:
  std::unique_ptr<measure::Collector> make_collector(const Plan& plan) {
    measure::CollectorConfig config;
    config.asked_rate = plan.rate;
    config.parallelism = plan.parallelism;
    config.on_row = [this](const measure::IntervalRow& row) { rows_.push_back(row); };
    return std::make_unique<measure::Collector>(std::move(config));
  }

  int64_t answer_ns(const FakeSource::Pending& pending) const {
    const int64_t answer = pending.sent_ns + service_ns;
    const bool frozen = answer >= kStartNs + frozen_from_ns && answer < kStartNs + frozen_to_ns;
    return frozen ? kStartNs + frozen_to_ns : answer;
  }
  int64_t next_answer_ns() const {
    return source.pending.empty() ? kNeverNs : answer_ns(source.pending.front());
  }
  void answer_what_is_done() {
    while (!source.pending.empty() && next_answer_ns() <= now_ns_) {
      if (failure)
        source.fail_next(now_ns_, *failure);
      else
        source.succeed_next(now_ns_);
    }
  }
  void collect() {
    if (now_ns_ < collect_at_ns_ && !worker_.done()) return;
    EXPECT_TRUE(collector_->collect(0));
    collect_at_ns_ = now_ns_ + 100 * kMilli;
  }

  std::vector<measure::IntervalRow> rows_;
  std::unique_ptr<measure::Collector> collector_;
  measure::Recorder recorder_;
  Worker worker_;
  int64_t now_ns_ = 0;
  int64_t wake_ns_ = 0;
  int64_t collect_at_ns_ = 0;
};

inline Plan open_loop(double rate, uint32_t parallelism) {
  Plan plan;
  plan.rate = rate;
  plan.parallelism = parallelism;
  return plan;
}

}  // namespace cqlperf::executor
