#pragma once

#include <functional>
#include <span>

#include "core/result.h"
#include "executor/operation.h"
#include "executor/plan.h"
#include "executor/run_tracker.h"
#include "executor/worker.h"
#include "measure/collector.h"
#include "net/event_loop.h"

namespace cqlperf::executor {

// What a worker thread works with: the loop that it waits in, and the source of its operations,
// whose connections are watched by that loop. Both are the caller's, outlive the run, and may be
// used again after it; while it goes on they belong to the worker's thread.
struct WorkerParts {
  net::EventLoop* loop = nullptr;
  OperationSource* source = nullptr;
};

struct RunOptions {
  // Makes a line of each one-second run; only with one worker and LatePolicy::kKeep.
  bool track_runs = false;
  // Gets those lines in the calling thread, within 100 ms of their making.
  std::function<void(const RunLine&)> on_run_line;
};

// Runs the plan, one thread for each of the parts (worker_count(plan) of them), and collects in the
// calling thread until all are done: rows come by the collector's on_row. The collector is new,
// made for as many workers, and closed when this returns; its summary() then has the measurements,
// also after an interrupt. Every ending has its deadline (Plan); a worker thread that no longer
// turns at all, which is a fault of our own, ends the process. kUsage for a plan that is not valid,
// kIo when a thread cannot be started: nothing was run then. An error of the collector's files does
// not end the run; it is returned in `Outcome::files`.
struct Outcome {
  WorkerOutcome total;
  core::Status files;
};
core::Result<Outcome> run(const Plan& plan, std::span<const WorkerParts> parts,
                          measure::Collector& collector, const RunOptions& options = {});

}  // namespace cqlperf::executor
