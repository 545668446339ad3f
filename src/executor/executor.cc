#include "executor/executor.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/check.h"
#include "core/clock.h"
#include "measure/recorder.h"

namespace cqlperf::executor {
namespace {

constexpr int64_t kCollectWaitNs = 100 * core::kNanosPerMilli;
// A worker turns at least each 100 ms. One that has not turned in this many waits of the collecting
// thread is stuck. Counted in waits, not in time, so that a process that was stopped and goes on is
// not taken for one.
constexpr int kStuckWaits = 600;
// The schedule starts this long after all threads are ready, so that none of them is late for it.
constexpr int64_t kStartDelayNs = core::kNanosPerMilli;

// Holds the worker threads back until all of them exist, then gives them their common start.
class StartGate {
 public:
  // Blocks until open() or cancel(); empty when cancelled.
  std::optional<int64_t> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
    return start_ns_;
  }
  void open() { set(core::steady_clock().now_ns() + kStartDelayNs); }
  void cancel() { set(std::nullopt); }

 private:
  void set(std::optional<int64_t> start_ns) {
    const std::lock_guard lock(mutex_);
    start_ns_ = start_ns;
    open_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  std::optional<int64_t> start_ns_;
};

// What a worker thread and the collecting thread share. On a cache line of its own, since the
// worker writes to it in each turn.
struct alignas(64) Seat {
  WorkerParts parts;
  Stripe stripe;
  std::atomic<uint64_t> turns{0};
  uint64_t turns_seen = 0;  // by the collecting thread
  int waits_without_turn = 0;
  WorkerOutcome outcome;  // read after the join
};

class Crew {
 public:
  Crew(const Plan& plan, std::span<const WorkerParts> parts, measure::Collector& collector,
       RunTracker* tracker)
      : plan_(plan), collector_(collector), tracker_(tracker), seats_(parts.size()) {
    for (size_t i = 0; i < parts.size(); ++i) {
      seats_[i].parts = parts[i];
      seats_[i].stripe = {static_cast<uint32_t>(i), static_cast<uint32_t>(parts.size())};
    }
  }
  // No thread outlives this.
  ~Crew() { join(); }

  core::Status start();
  void join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  // After each wait of the collecting thread.
  void check_alive();
  WorkerOutcome total() const {
    WorkerOutcome total;
    for (const Seat& seat : seats_) total.add(seat.outcome);
    return total;
  }

 private:
  void work(Seat& seat);

  const Plan& plan_;
  measure::Collector& collector_;
  RunTracker* tracker_;
  std::vector<Seat> seats_;
  StartGate gate_;
  std::vector<std::thread> threads_;
};

core::Status Crew::start() {
  try {
    for (Seat& seat : seats_) threads_.emplace_back([this, &seat] { work(seat); });
  } catch (const std::system_error& error) {
    gate_.cancel();
    return core::fail(core::ErrorCode::kIo,
                      fmt::format("could start only {} of {} worker threads ({}): ask for fewer "
                                  "threads or raise the limit of processes",
                                  threads_.size(), seats_.size(), error.code().message()));
  }
  gate_.open();
  return {};
}

void Crew::work(Seat& seat) {
  const std::optional<int64_t> start_ns = gate_.wait();
  if (!start_ns) return;
  net::set_precise_timers();
  net::EventLoop& loop = *seat.parts.loop;
  const int64_t late_limit_ns = plan_.late_after_ns + plan_.pacing_tick_ns;
  measure::Recorder recorder(collector_.exchange(), seat.stripe.worker, late_limit_ns);
  Worker worker(plan_, seat.stripe, *start_ns, *seat.parts.source, recorder, tracker_);
  // A turn may also be taken within poll(), and be the last one.
  while (!worker.done()) {
    const int64_t wake_ns = worker.turn(loop.refresh_now());
    seat.turns.fetch_add(1, std::memory_order_relaxed);
    if (!worker.done()) loop.poll(plan_.busy_poll ? net::kPollNow : wake_ns);
  }
  seat.outcome = worker.outcome();
}

void Crew::check_alive() {
  for (Seat& seat : seats_) {
    const uint64_t turns = seat.turns.load(std::memory_order_relaxed);
    seat.waits_without_turn = turns == seat.turns_seen ? seat.waits_without_turn + 1 : 0;
    seat.turns_seen = turns;
    CQLPERF_CHECK(seat.waits_without_turn < kStuckWaits, "a worker thread is stuck");
  }
}

// The first error of a run's files; collecting goes on after it.
void keep_first(core::Status& kept, core::Status status) {
  if (kept && !status) kept = std::move(status);
}

void pass_on_lines(RunTracker* tracker, const RunOptions& options) {
  if (tracker == nullptr || !options.on_run_line) return;
  for (const RunLine& line : tracker->take_lines()) options.on_run_line(line);
}

core::Status check_parts(const Plan& plan, std::span<const WorkerParts> parts,
                         const RunOptions& options) {
  CQLPERF_CHECK(parts.size() == worker_count(plan), "one of the parts for each worker");
  if (options.track_runs && (parts.size() != 1 || plan.late != LatePolicy::kKeep))
    return core::fail(core::ErrorCode::kUsage,
                      "lines per run need one thread, and late operations kept: leave out "
                      "--threads and --late");
  return {};
}

}  // namespace

core::Result<Outcome> run(const Plan& plan, std::span<const WorkerParts> parts,
                          measure::Collector& collector, const RunOptions& options) {
  if (auto status = validate(plan); !status) return std::unexpected(status.error());
  if (auto status = check_parts(plan, parts, options); !status)
    return std::unexpected(status.error());
  std::optional<RunTracker> runs;
  if (options.track_runs) runs.emplace(plan.rate);
  RunTracker* tracker = runs ? &*runs : nullptr;

  Outcome outcome;
  Crew crew(plan, parts, collector, tracker);
  if (auto status = crew.start(); !status) return std::unexpected(status.error());
  while (!collector.finished()) {
    keep_first(outcome.files, collector.collect(kCollectWaitNs));
    pass_on_lines(tracker, options);
    crew.check_alive();
  }
  crew.join();
  pass_on_lines(tracker, options);
  keep_first(outcome.files, collector.close());
  outcome.total = crew.total();
  return outcome;
}

}  // namespace cqlperf::executor
