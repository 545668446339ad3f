#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/clock.h"
#include "executor/operation.h"
#include "executor/run_tracker.h"
#include "measure/recorder.h"

namespace cqlperf::executor {

// The operations of one worker that are in flight, and where their ends are reported: the half of
// the worker that an OperationSource sees. Slots are reused first in, first out. Reporting costs a
// few nanoseconds besides the recording: no allocation, lock, clock or division.
// Owner thread: the worker's.
class Completions {
 public:
  // `window` slots, at least 1. The recorder and the tracker (none: null) outlive this.
  Completions(uint32_t window, measure::Recorder& recorder, RunTracker* tracker);

  // The operation in `slot` was answered at `done_ns`. `kind` is its index among the kinds of
  // operation that the collector was told.
  void succeeded(uint32_t slot, int64_t done_ns, size_t kind = 0) {
    const Started operation = take_back(slot);
    recorder_.record_success(kind, operation.due_ns, operation.sent_ns, done_ns);
    backoff_ns_ = 0;
    if (tracker_ != nullptr) [[unlikely]]
      tracker_->succeeded(operation.index, done_ns - operation.due_ns);
  }
  // The operation in `slot` failed at `done_ns`.
  void failed(uint32_t slot, const Failure& failure, int64_t done_ns);

  // One more operation than the plan has: of what was answered only in part, or is to be tried
  // again. It starts after all that are known so far, at the next place of the schedule. Only in
  // succeeded()'s or failed()'s place: from the loop, right after one of them.
  void add_operation() { ++added_; }
  // Nothing more is started by this worker: going on would be of no use. From the loop only.
  void stop() { stopped_ = true; }
  // Starts what can be started, now, instead of after the present calls from the loop: for a source
  // that goes on with work of its own after an answer. From the loop only. It may end the run.
  void take_turn(int64_t now_ns) { turn_(now_ns); }

  // For the worker.
  void set_turn(std::function<void(int64_t)> turn) { turn_ = std::move(turn); }
  uint64_t added() const { return added_; }
  bool stopped() const { return stopped_; }
  bool full() const { return free_count_ == 0; }
  // The slot that the next operation gets; not when full().
  uint32_t next_slot() const { return free_[free_begin_ & free_mask_]; }
  // The operation, whose slot is next_slot(), was sent at `sent_ns`.
  void started(const Operation& operation, int64_t sent_ns) {
    started_[operation.slot] = {operation.due_ns, sent_ns, operation.index};
    ++free_begin_;
    --free_count_;
    if (tracker_ != nullptr) [[unlikely]]
      tracker_->sent(operation.index, operation.due_ns, sent_ns);
  }
  uint32_t in_flight() const { return static_cast<uint32_t>(started_.size()) - free_count_; }
  // How many operations have succeeded or failed so far, and how many of them by an answer.
  uint64_t completed() const { return completed_; }
  uint64_t answered() const { return completed_ - unanswered_; }
  // After an overloaded answer nothing is started before this.
  int64_t paused_until_ns() const { return paused_until_ns_; }

 private:
  struct Started {
    int64_t due_ns = 0;
    int64_t sent_ns = kFree;
    uint64_t index = 0;
  };
  static constexpr int64_t kFree = -1;

  Started take_back(uint32_t slot) {
    CQLPERF_CHECK(slot < started_.size() && started_[slot].sent_ns != kFree,
                  "an operation ended that was not in flight");
    const Started operation = started_[slot];
    started_[slot].sent_ns = kFree;
    free_[(free_begin_ + free_count_) & free_mask_] = slot;
    ++free_count_;
    ++completed_;
    return operation;
  }

  measure::Recorder& recorder_;
  RunTracker* tracker_;
  std::vector<Started> started_;  // by slot
  std::vector<uint32_t> free_;    // a ring whose size is a power of two
  uint32_t free_mask_;
  uint32_t free_begin_ = 0;
  uint32_t free_count_;
  uint64_t completed_ = 0;
  uint64_t unanswered_ = 0;
  uint64_t added_ = 0;
  bool stopped_ = false;
  std::function<void(int64_t)> turn_;
  int64_t backoff_ns_ = 0;
  int64_t paused_until_ns_ = 0;
};

}  // namespace cqlperf::executor
