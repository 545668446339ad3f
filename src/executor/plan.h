#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.h"
#include "core/result.h"
#include "executor/schedule.h"

namespace cqlperf::executor {

// What happens to operations that were not sent when they were due: all are sent as soon as there
// is room, or those that are late already are skipped, and counted.
enum class LatePolicy { kKeep, kDrop };

// What one run does. Plain numbers, checked by validate().
struct Plan {
  // Operations per second over all workers, [10^-6, 10^9]. 0 is the closed loop: the next operation
  // starts as soon as one of `parallelism` completes, and its due time is the time of its start.
  double rate = 0;
  // The window: how many operations may be in flight, over all workers. [1, 2^20].
  uint32_t parallelism = 1;
  // Worker threads, [1, 1024]; see worker_count().
  uint32_t threads = 1;

  // The end: after `count` operations, or `duration_ns` after the start, or whichever comes first.
  // At least one of them. At the end of the duration nothing more is started; operations that were
  // due before it but could not be sent are counted as unsent.
  std::optional<uint64_t> count;
  std::optional<int64_t> duration_ns;

  LatePolicy late = LatePolicy::kKeep;
  // An operation that is sent later than this after it was due is late. `pacing_tick_ns` is added,
  // since the pacing is no lateness.
  int64_t late_after_ns = core::kNanosPerMilli;
  // The length of the intervals that are reported on their own.
  int64_t interval_ns = core::kNanosPerSecond;
  // Operations are sent at multiples of this after the start, each at the first one at or after its
  // due time, so that a worker wakes at most once per tick to send. 0: each exactly when due.
  // A wake-up costs as much CPU as some hundred operations, and more on a virtual machine; the
  // response time includes the wait for the tick.
  int64_t pacing_tick_ns = 0;
  // Never sleep: exact pacing for the price of a whole core per worker.
  bool busy_poll = false;
  // How long operations in flight may take to complete after the end. Those that do not are
  // abandoned, and counted so. After an interrupt it is kInterruptDrainNs at most.
  int64_t drain_timeout_ns = 10 * core::kNanosPerSecond;
  // A run without a duration gives up when nothing was answered for this long although work was
  // due; the operations that were not started are then counted as unsent.
  int64_t stall_timeout_ns = 30 * core::kNanosPerSecond;
};

inline constexpr uint32_t kParallelismMax = 1u << 20;
inline constexpr uint32_t kThreadsMax = 1024;
inline constexpr int64_t kInterruptDrainNs = core::kNanosPerSecond;

// kUsage with the field that is out of its range.
core::Status validate(const Plan& plan);

// How many workers a run has: `threads`, but never more than `parallelism`, since a worker without
// a share of the window could not send its share of the load.
uint32_t worker_count(const Plan& plan);

// How many operations the whole run has: the smaller one of `count` and those that are due within
// `duration_ns`. kOperationsMax when the run ends by the clock only (closed loop without a count).
uint64_t total_operations(const Plan& plan);

// The same plan for a warm-up of `duration_ns`: no count.
Plan warm_up_plan(const Plan& plan, int64_t duration_ns);

}  // namespace cqlperf::executor
