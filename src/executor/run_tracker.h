#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "executor/schedule.h"

namespace cqlperf::executor {

// One of the consecutive one-second runs, as one line of output.
struct RunLine {
  uint64_t run = 0;       // from 0
  int64_t wall_ns = 0;    // when it was complete, since 1970-01-01T00:00:00Z
  double throughput = 0;  // successful operations per second
  uint64_t succeeded = 0;
  uint64_t failed = 0;
  std::optional<double> avg_latency_ns;  // mean response time; none without a success
};

// Follows the runs of one worker, and makes a line of each.
//
// At a rate, run k is the operations that are due in second k, and its line is made when the last
// of them has completed and the lines of the runs before it are made. Its throughput is
// succeeded / max(1 s, d), where d goes from the run's start (when the last operation of the run
// before was sent, or was to be sent if that is later) to the send of its last operation. A run
// whose last operation was sent within kHeldNs of its due time has kept the schedule, and its d is
// 1 s. So a rate that is held shows as exactly that rate, and one that is not shows as what was
// sent.
//
// In the closed loop, run k is what completed in second k, over the real length of that second.
//
// Owner thread: the worker's, but take_lines() is for any thread. Memory is bounded by the window.
class RunTracker {
 public:
  static constexpr int64_t kHeldNs = 50 * core::kNanosPerMilli;

  explicit RunTracker(double rate) : schedule_(rate) {}

  // The worker's side. start() comes first, finish() last: what is incomplete gets its line then,
  // if anything of it has completed.
  void start(int64_t start_ns);
  void sent(uint64_t index, int64_t due_ns, int64_t sent_ns);
  void succeeded(uint64_t index, int64_t response_ns) { completed(index, true, response_ns); }
  void failed(uint64_t index) { completed(index, false, 0); }
  // Once per turn while the run goes on: ends the seconds of the closed loop.
  void turn(int64_t now_ns) {
    if (schedule_.closed_loop() && now_ns >= second_end_ns_) [[unlikely]]
      end_second(now_ns);
  }
  void finish(int64_t now_ns);

  // The lines that were made since the last call, in order.
  std::vector<RunLine> take_lines();

 private:
  struct Run {
    uint64_t run = 0;
    uint64_t begin = 0;  // its operations are [begin, end)
    uint64_t end = 0;
    uint64_t succeeded = 0;
    uint64_t failed = 0;
    double response_sum_ns = 0;
    int64_t last_due_ns = 0;
    int64_t last_sent_ns = 0;

    bool complete() const { return succeeded + failed == end - begin; }
  };

  void open_run();
  Run& run_of(uint64_t index);
  void completed(uint64_t index, bool success, int64_t response_ns);
  void end_runs();
  void end_first_run();
  void end_second(int64_t now_ns);
  int64_t sending_ns(const Run& run) const;
  void make_line(const Run& run, int64_t length_ns);

  Schedule schedule_;
  int64_t start_ns_ = 0;
  std::deque<Run> runs_;  // not complete yet, oldest first; one, of unknown end, in the closed loop
  uint64_t opened_ = 0;
  int64_t last_sent_before_ns_ = 0;  // of the run before the first in runs_
  int64_t second_start_ns_ = 0;
  int64_t second_end_ns_ = 0;

  std::mutex lines_mutex_;
  std::vector<RunLine> lines_;
};

}  // namespace cqlperf::executor
