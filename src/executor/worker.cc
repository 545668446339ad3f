#include "executor/worker.h"

#include <algorithm>

#include "core/check.h"
#include "core/interrupt.h"

namespace cqlperf::executor {
namespace {

// An interval that ends this soon after the last start is not handed over on its own: what is still
// in flight then belongs to it, and a row of a few microseconds would say nothing.
constexpr int64_t kHandOverDelayMaxNs = 100 * core::kNanosPerMilli;

// When the run may be over at the earliest, from its start: each operation of a schedule takes up a
// period of its own, so that 5 operations at 1/s take 5 s; but never more than 1 s is waited for
// it.
int64_t hold_offset_ns(const Plan& plan, const Schedule& schedule, uint64_t total) {
  if (schedule.closed_loop() || total == 0) return 0;
  if (plan.duration_ns && total < plan.count.value_or(kOperationsMax)) return *plan.duration_ns;
  const int64_t last_ns = schedule.due_offset_ns(total - 1);
  return std::min({schedule.due_offset_ns(total), last_ns + core::kNanosPerSecond,
                   plan.duration_ns.value_or(kNeverNs)});
}

}  // namespace

void WorkerOutcome::add(const WorkerOutcome& other) {
  ending = std::max(ending, other.ending);
  due += other.due;
  sent += other.sent;
  completed += other.completed;
  abandoned += other.abandoned;
  skipped += other.skipped;
  unsent += other.unsent;
  backoff_ns += other.backoff_ns;
}

Worker::Worker(const Plan& plan, Stripe stripe, int64_t start_ns, OperationSource& source,
               measure::Recorder& recorder, RunTracker* tracker)
    : plan_(plan),
      schedule_(plan.rate),
      stripe_(stripe),
      start_ns_(start_ns),
      late_limit_ns_(plan.late_after_ns + plan.pacing_tick_ns),
      source_(source),
      recorder_(recorder),
      tracker_(tracker),
      completions_(window_share(plan.parallelism, stripe), recorder, tracker),
      stripe_total_(stripe.count_below(total_operations(plan))),
      deadline_ns_(start_ns + plan.duration_ns.value_or(kNeverNs)),
      hold_ns_(start_ns + hold_offset_ns(plan, schedule_, total_operations(plan))),
      interval_end_ns_(start_ns + plan.interval_ns),
      last_progress_ns_(start_ns) {
  CQLPERF_CHECK(tracker == nullptr || (stripe.workers == 1 && plan.late == LatePolicy::kKeep),
                "run lines are for one worker that skips nothing");
  move_to(0);
  recorder_.start(start_ns, measure::CpuTimes::read());
  if (tracker_ != nullptr) tracker_->start(start_ns);
  completions_.set_turn([this](int64_t now_ns) { turn(now_ns); });
  source_.begin(completions_);
}

int64_t Worker::turn(int64_t now_ns) {
  CQLPERF_CHECK(phase_ != Phase::kDone, "a turn after the end");
  if (now_ns < start_ns_) return start_ns_;
  if (wake_ns_ != 0 && now_ns > wake_ns_) recorder_.record_lag(now_ns - wake_ns_);
  account_waiting(now_ns);
  if (phase_ == Phase::kRunning)
    run_on(now_ns);
  else
    drain(now_ns);
  if (phase_ == Phase::kDone) return now_ns;
  if (now_ns >= interval_end_ns_) hand_over(now_ns);
  wake_ns_ = next_wake_ns(now_ns);
  return wake_ns_;
}

// ---- Running

void Worker::run_on(int64_t now_ns) {
  watch_progress(now_ns);
  if (core::interrupted()) return stop_starting(now_ns, Ending::kInterrupted);
  if (completions_.stopped()) return stop_starting(now_ns, Ending::kStopped);
  if (now_ns >= deadline_ns_) {
    run_last_pass(now_ns);
    return stop_starting(now_ns, Ending::kOutOfTime);
  }
  if (is_stalled(now_ns)) {
    outcome_.ending = Ending::kStalled;
    return finish(now_ns);
  }
  const bool some_left = !all_started();
  start_due(now_ns);
  if (all_done(now_ns)) return finish(now_ns);
  if (some_left && all_started()) delay_hand_over(now_ns);
  if (tracker_ != nullptr) tracker_->turn(now_ns);
}

// The last operations of a schedule come due just before the deadline, and the wake-up for it is a
// little late: these are sent. Those that had met an obstacle before are not.
void Worker::run_last_pass(int64_t now_ns) {
  if (schedule_.closed_loop() || obstacle_ != Obstacle::kNone) return;
  gate_ns_ = now_ns;
  start_due(now_ns);
}

void Worker::watch_progress(int64_t now_ns) {
  const bool idle = obstacle_ == Obstacle::kNone && completions_.in_flight() == 0;
  if (idle || completions_.answered() != answered_before_) {
    last_progress_ns_ = now_ns;
    answered_before_ = completions_.answered();
  }
}

bool Worker::is_stalled(int64_t now_ns) const {
  return !plan_.duration_ns && now_ns - last_progress_ns_ >= plan_.stall_timeout_ns;
}

void Worker::account_waiting(int64_t now_ns) {
  const int64_t waited_ns = now_ns - obstacle_since_ns_;
  obstacle_since_ns_ = now_ns;
  switch (obstacle_) {
    case Obstacle::kNone:
      break;
    case Obstacle::kWindowFull:
      // In the closed loop a full window is what was asked for.
      if (!schedule_.closed_loop()) recorder_.add_window_full_ns(waited_ns);
      break;
    case Obstacle::kNotReady:
      recorder_.add_not_ready_ns(waited_ns);
      break;
    case Obstacle::kBackoff:
      outcome_.backoff_ns += waited_ns;
      break;
  }
}

void Worker::start_due(int64_t now_ns) {
  // Ticks are for sending on time; what waits for room is sent as soon as there is some.
  if (obstacle_ == Obstacle::kNone && now_ns < gate_ns_) return;
  if (plan_.late == LatePolicy::kDrop) skip_late(now_ns);
  obstacle_ = obstacle_to_any(now_ns);
  if (obstacle_ == Obstacle::kNone) obstacle_ = start_what_fits(now_ns);
  gate_ns_ = on_tick(next_due_ns_);
}

Worker::Obstacle Worker::obstacle_to_any(int64_t now_ns) {
  if (all_started() || next_due_ns_ > now_ns) return Obstacle::kNone;
  if (now_ns < completions_.paused_until_ns()) return Obstacle::kBackoff;
  // Not asked for again and again: ready() costs less than a start() that fails.
  const bool waiting = obstacle_ == Obstacle::kNotReady && now_ns < retry_at_ns_;
  return waiting && !source_.ready() ? Obstacle::kNotReady : Obstacle::kNone;
}

// The hot loop. All of a turn's operations count as sent at its beginning.
Worker::Obstacle Worker::start_what_fits(int64_t now_ns) {
  Obstacle obstacle = Obstacle::kNone;
  const uint64_t first = next_number_;
  while (!all_started() && next_due_ns_ <= now_ns) {
    if (completions_.full()) {
      obstacle = Obstacle::kWindowFull;
      break;
    }
    const int64_t due_ns = schedule_.closed_loop() ? now_ns : next_due_ns_;
    const Operation operation{next_index_, completions_.next_slot(), due_ns};
    if (source_.start(operation) == StartResult::kNotReady) {
      retry_at_ns_ = now_ns + kRetryNs;
      obstacle = Obstacle::kNotReady;
      break;
    }
    completions_.started(operation, now_ns);
    recorder_.record_sent(due_ns, now_ns);
    ++next_number_;
    next_index_ += stripe_.workers;
    next_due_ns_ = start_ns_ + schedule_.due_offset_ns(next_index_);
  }
  if (next_number_ != first) source_.flush();
  return obstacle;
}

void Worker::skip_late(int64_t now_ns) {
  const int64_t late_before_ns = now_ns - late_limit_ns_;
  if (schedule_.closed_loop() || all_started() || next_due_ns_ >= late_before_ns) return;
  const uint64_t late =
      stripe_.count_below(schedule_.operations_before(late_before_ns - start_ns_));
  const uint64_t until = std::min(late, total());
  recorder_.record_skipped(until - next_number_);
  outcome_.skipped += until - next_number_;
  move_to(until);
}

void Worker::move_to(uint64_t number) {
  next_number_ = number;
  next_index_ = stripe_.index(number);
  next_due_ns_ = start_ns_ + schedule_.due_offset_ns(next_index_);
}

bool Worker::all_done(int64_t now_ns) const {
  return all_started() && completions_.in_flight() == 0 && now_ns >= hold_ns_;
}

// ---- The end

void Worker::stop_starting(int64_t now_ns, Ending ending) {
  outcome_.ending = ending;
  phase_ = Phase::kDraining;
  drain_deadline_ns_ = now_ns + plan_.drain_timeout_ns;
  obstacle_ = Obstacle::kNone;
  // What comes due from now on is no longer asked for.
  if (ending == Ending::kInterrupted) interrupted_due_ = std::max(next_number_, due_by(now_ns));
  delay_hand_over(now_ns);
  drain(now_ns);
}

void Worker::drain(int64_t now_ns) {
  if (core::interrupted()) {
    outcome_.ending = Ending::kInterrupted;
    drain_deadline_ns_ = std::min(drain_deadline_ns_, now_ns + kInterruptDrainNs);
  }
  if (completions_.in_flight() == 0 || now_ns >= drain_deadline_ns_) finish(now_ns);
}

void Worker::finish(int64_t now_ns) {
  phase_ = Phase::kDone;
  record_due(final_due());
  outcome_.due = due_recorded_;
  outcome_.sent = next_number_ - outcome_.skipped;
  outcome_.completed = completions_.completed();
  outcome_.abandoned = completions_.in_flight();
  outcome_.unsent = due_recorded_ - next_number_;
  const uint64_t interval =
      now_ns < interval_end_ns_ ? interval_ : std::max(interval_, interval_at(now_ns));
  recorder_.finish(interval, now_ns, completions_.in_flight(), measure::CpuTimes::read());
  if (tracker_ != nullptr) tracker_->finish(now_ns);
  source_.end();
}

uint64_t Worker::final_due() const {
  const bool due_when_started = schedule_.closed_loop() && outcome_.ending != Ending::kStalled;
  return due_when_started ? next_number_ : due_limit();
}

// ---- Intervals

uint64_t Worker::due_by(int64_t now_ns) const {
  if (schedule_.closed_loop()) return next_number_;
  const uint64_t all = schedule_.operations_before(now_ns - start_ns_ + 1);
  return std::min(due_limit(), stripe_.count_below(all));
}

void Worker::record_due(uint64_t due) {
  CQLPERF_CHECK(due >= due_recorded_ && due >= next_number_,
                "operations ran ahead of the schedule");
  recorder_.record_due(due - due_recorded_);
  due_recorded_ = due;
}

void Worker::delay_hand_over(int64_t now_ns) {
  const int64_t delay_ns = std::min(plan_.interval_ns / 10, kHandOverDelayMaxNs);
  interval_end_ns_ = std::max(interval_end_ns_, now_ns + delay_ns);
}

void Worker::hand_over(int64_t now_ns) {
  record_due(due_by(now_ns));
  const uint64_t over = std::max<uint64_t>(interval_ + 1, interval_at(now_ns));
  recorder_.end_interval(over - 1, now_ns, completions_.in_flight(), measure::CpuTimes::read());
  interval_ = over;
  interval_end_ns_ = start_ns_ + static_cast<int64_t>(over + 1) * plan_.interval_ns;
}

uint64_t Worker::interval_at(int64_t now_ns) const {
  return static_cast<uint64_t>((now_ns - start_ns_) / plan_.interval_ns);
}

// ---- The next turn

int64_t Worker::next_wake_ns(int64_t now_ns) const {
  const int64_t wake_ns = std::min(now_ns + kTurnWaitMaxNs, interval_end_ns_);
  if (phase_ == Phase::kDraining) return std::min(wake_ns, drain_deadline_ns_);
  const bool only_holding = all_started() && completions_.in_flight() == 0;
  return std::min({wake_ns, deadline_ns_, next_start_ns(), only_holding ? hold_ns_ : kNeverNs,
                   plan_.duration_ns ? kNeverNs : last_progress_ns_ + plan_.stall_timeout_ns});
}

int64_t Worker::next_start_ns() const {
  switch (obstacle_) {
    case Obstacle::kWindowFull:
      return kNeverNs;
    case Obstacle::kNotReady:
      return retry_at_ns_;
    case Obstacle::kBackoff:
      return completions_.paused_until_ns();
    case Obstacle::kNone:
      break;
  }
  return all_started() ? kNeverNs : gate_ns_;
}

int64_t Worker::on_tick(int64_t due_ns) const {
  if (plan_.pacing_tick_ns == 0) return due_ns;
  const int64_t ticks = (due_ns - start_ns_ + plan_.pacing_tick_ns - 1) / plan_.pacing_tick_ns;
  return start_ns_ + ticks * plan_.pacing_tick_ns;
}

}  // namespace cqlperf::executor
