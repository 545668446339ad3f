#pragma once

#include <cstdint>

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
  kStalled,      // nothing completed for the stall time-out
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
  // `plan` is valid, and the rest outlives this. `start_ns` is when the schedule starts, the same
  // for all workers of the run. The tracker (none: null) only with one worker and
  // LatePolicy::kKeep.
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
  static constexpr int64_t kRetryNs = core::kNanosPerMilli;
};

}  // namespace cqlperf::executor
