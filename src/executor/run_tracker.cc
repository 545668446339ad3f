#include "executor/run_tracker.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace cqlperf::executor {

void RunTracker::start(int64_t start_ns) {
  start_ns_ = start_ns;
  last_sent_before_ns_ = start_ns;
  second_start_ns_ = start_ns;
  second_end_ns_ = start_ns + core::kNanosPerSecond;
  runs_.clear();
  opened_ = 0;
  open_run();
}

void RunTracker::open_run() {
  Run run;
  run.run = opened_++;
  run.end = kOperationsMax;
  if (!schedule_.closed_loop()) {
    run.begin =
        runs_.empty()
            ? schedule_.operations_before(static_cast<int64_t>(run.run) * core::kNanosPerSecond)
            : runs_.back().end;
    run.end = schedule_.operations_before(static_cast<int64_t>(opened_) * core::kNanosPerSecond);
  }
  runs_.push_back(run);
}

void RunTracker::sent(uint64_t index, int64_t due_ns, int64_t sent_ns) {
  while (runs_.empty() || index >= runs_.back().end) open_run();
  Run& run = runs_.back();
  run.last_due_ns = due_ns;
  run.last_sent_ns = sent_ns;
}

RunTracker::Run& RunTracker::run_of(uint64_t index) {
  if (schedule_.closed_loop()) return runs_.front();
  const auto ends_after = [](uint64_t wanted, const Run& run) { return wanted < run.end; };
  const auto at = std::upper_bound(runs_.begin(), runs_.end(), index, ends_after);
  CQLPERF_CHECK(at != runs_.end() && index >= at->begin, "an operation of no open run");
  return *at;
}

void RunTracker::completed(uint64_t index, bool success, int64_t response_ns) {
  Run& run = run_of(index);
  if (success) {
    ++run.succeeded;
    run.response_sum_ns += static_cast<double>(response_ns);
  } else {
    ++run.failed;
  }
  if (!schedule_.closed_loop() && run.complete()) end_runs();
}

void RunTracker::end_runs() {
  while (!runs_.empty() && runs_.front().complete()) end_first_run();
}

void RunTracker::end_first_run() {
  const Run& run = runs_.front();
  make_line(run, sending_ns(run));
  last_sent_before_ns_ = std::max(last_sent_before_ns_, run.last_sent_ns);
  runs_.pop_front();
}

int64_t RunTracker::sending_ns(const Run& run) const {
  if (run.last_sent_ns - run.last_due_ns <= kHeldNs) return core::kNanosPerSecond;
  const int64_t scheduled_ns = start_ns_ + static_cast<int64_t>(run.run) * core::kNanosPerSecond;
  const int64_t start_ns = std::max(scheduled_ns, last_sent_before_ns_);
  return std::max(core::kNanosPerSecond, run.last_sent_ns - start_ns);
}

void RunTracker::end_second(int64_t now_ns) {
  make_line(runs_.front(), now_ns - second_start_ns_);
  runs_.clear();
  open_run();
  second_start_ns_ = now_ns;
  while (second_end_ns_ <= now_ns) second_end_ns_ += core::kNanosPerSecond;
}

void RunTracker::finish(int64_t now_ns) {
  if (schedule_.closed_loop()) {
    const Run& run = runs_.front();
    if (run.succeeded + run.failed > 0)
      make_line(run, std::max<int64_t>(1, now_ns - second_start_ns_));
    return;
  }
  while (!runs_.empty()) {
    if (runs_.front().succeeded + runs_.front().failed == 0)
      runs_.pop_front();
    else
      end_first_run();
  }
}

void RunTracker::make_line(const Run& run, int64_t length_ns) {
  RunLine line;
  line.run = run.run;
  line.wall_ns = core::wall_clock_ns();
  line.throughput = static_cast<double>(run.succeeded) *
                    static_cast<double>(core::kNanosPerSecond) / static_cast<double>(length_ns);
  line.succeeded = run.succeeded;
  line.failed = run.failed;
  if (run.succeeded > 0)
    line.avg_latency_ns = run.response_sum_ns / static_cast<double>(run.succeeded);
  const std::lock_guard lock(lines_mutex_);
  lines_.push_back(line);
}

std::vector<RunLine> RunTracker::take_lines() {
  const std::lock_guard lock(lines_mutex_);
  return std::exchange(lines_, {});
}

}  // namespace cqlperf::executor
