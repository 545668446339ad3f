#pragma once

#include <cstdint>
#include <optional>

#include "executor/completions.h"
#include "executor/operation.h"
#include "executor/plan.h"
#include "executor/run_tracker.h"
#include "measure/recorder.h"

namespace cqlperf::executor {

// How a worker's run ended.
enum class Ending {
  kAllDone,      // every operation was started and has completed
  kOutOfTime,    // the duration was over
  kStopped,      // Completions::stop()
  kStalled,      // nothing was answered for the stall time-out
  kInterrupted,  // core::interrupted()
};

// One worker's account of its run. With the recorder's counters, at every ending:
// due = succeeded + failed + abandoned + skipped + unsent.
struct WorkerOutcome {
  Ending ending = Ending::kAllDone;
  uint64_t due = 0;
  uint64_t sent = 0;
  uint64_t completed = 0;  // succeeded or failed
  uint64_t abandoned = 0;  // still in flight when the drain time-out was over
  uint64_t skipped = 0;
  uint64_t unsent = 0;
  int64_t backoff_ns = 0;  // time in which something was due, but the server had asked for less

  // Sums; the ending that is further from kAllDone.
  void add(const WorkerOutcome& other);
};

// Decides when the operations of one stripe of the schedule start. It does not wait and reads no
// clock: turn() is given the time and says when it wants the next one, so tests drive it by hand.
// Owner thread: one, that of its source's calls. One run per Worker.
class Worker {
 public:
  // Made in its thread: calls the source's begin() and starts the recorder. `plan` is valid, the
  // rest outlives this. `start_ns` is when the schedule starts, the same for all workers of the
  // run. The tracker (none: null) only with one worker and LatePolicy::kKeep.
  Worker(const Plan& plan, Stripe stripe, int64_t start_ns, OperationSource& source,
         measure::Recorder& recorder, RunTracker* tracker = nullptr);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts what is due, hands over intervals that are over and looks at all deadlines. Returns when
  // to call again at the latest; call it sooner after events, since completions make room. The wait
  // is never longer than kTurnWaitMaxNs.
  int64_t turn(int64_t now_ns);
  // True once the run is over: its last sample is handed over, the source's end() was called.
  bool done() const { return phase_ == Phase::kDone; }

  // After done().
  const WorkerOutcome& outcome() const { return outcome_; }

  // What completions are reported to; the source is given it too.
  Completions& completions() { return completions_; }

  static constexpr int64_t kTurnWaitMaxNs = 100 * core::kNanosPerMilli;
  // How long after kNotReady start() is tried again, unless ready() says so sooner.
  static constexpr int64_t kRetryNs = core::kNanosPerMilli;

 private:
  enum class Phase { kRunning, kDraining, kDone };
  // Why an operation that is due was not started.
  enum class Obstacle { kNone, kWindowFull, kNotReady, kBackoff };

  // While running.
  void run_on(int64_t now_ns);
  void run_last_pass(int64_t now_ns);
  void watch_progress(int64_t now_ns);
  bool is_stalled(int64_t now_ns) const;
  void account_waiting(int64_t now_ns);
  void start_due(int64_t now_ns);
  Obstacle obstacle_to_any(int64_t now_ns);
  Obstacle start_what_fits(int64_t now_ns);
  void skip_late(int64_t now_ns);
  void move_to(uint64_t number);
  // How many operations the stripe has, as far as is known.
  uint64_t total() const { return stripe_total_ + completions_.added(); }
  // How many of them can come due at all.
  uint64_t due_limit() const { return interrupted_due_.value_or(total()); }
  bool all_started() const { return next_number_ == total(); }
  bool all_done(int64_t now_ns) const;

  // At the end.
  void stop_starting(int64_t now_ns, Ending ending);
  void drain(int64_t now_ns);
  void finish(int64_t now_ns);
  uint64_t final_due() const;

  // Intervals.
  uint64_t due_by(int64_t now_ns) const;
  void record_due(uint64_t due);
  void delay_hand_over(int64_t now_ns);
  void hand_over(int64_t now_ns);
  uint64_t interval_at(int64_t now_ns) const;

  int64_t next_wake_ns(int64_t now_ns) const;
  int64_t next_start_ns() const;
  int64_t on_tick(int64_t due_ns) const;

  const Plan plan_;
  const Schedule schedule_;
  const Stripe stripe_;
  const int64_t start_ns_;
  const int64_t late_limit_ns_;
  OperationSource& source_;
  measure::Recorder& recorder_;
  RunTracker* tracker_;
  Completions completions_;

  // Where the stripe's next operation stands.
  const uint64_t stripe_total_;  // of the plan
  uint64_t next_number_ = 0;
  uint64_t next_index_ = 0;
  int64_t next_due_ns_ = 0;
  int64_t gate_ns_ = 0;  // the tick at which it may be sent

  Phase phase_ = Phase::kRunning;
  int64_t deadline_ns_;  // no operation starts after it
  int64_t hold_ns_;      // the run is not over before it
  int64_t drain_deadline_ns_ = 0;
  uint64_t interval_ = 0;    // the one in progress
  int64_t interval_end_ns_;  // when it is handed over
  int64_t wake_ns_ = 0;      // what turn() returned last

  Obstacle obstacle_ = Obstacle::kNone;
  int64_t obstacle_since_ns_ = 0;
  int64_t retry_at_ns_ = 0;
  int64_t last_progress_ns_;
  uint64_t answered_before_ = 0;
  std::optional<uint64_t> interrupted_due_;  // what had come due when the run was interrupted
  uint64_t due_recorded_ = 0;
  WorkerOutcome outcome_;
};

}  // namespace cqlperf::executor
