#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bench/listener.h"
#include "bench/run_config.h"
#include "core/result.h"
#include "executor/run_tracker.h"
#include "measure/collector.h"
#include "measure/interval.h"
#include "measure/result.h"

namespace cqlperf::bench {

// What a phase will do, as far as it is known before: 0 is unknown.
struct PhaseInfo {
  std::string name;  // "populate", "warm-up" or the workload's name
  uint64_t operations = 0;
  double seconds = 0;
};

struct RunResult {
  ServerInfo server;
  measure::Summary summary;
  std::unique_ptr<measure::Collector> collector;  // holds the intervals
  // Something failed after the measuring: the summary is right all the same.
  std::optional<core::Error> late_error;
};

// Is told how a run goes on. Every call comes from the thread that called run().
class RunListener : public Listener {
 public:
  virtual void on_phase(const PhaseInfo& phase) = 0;
  // An interval of the phase is over. Only the rows of the measured phase are in the result.
  virtual void on_row(const measure::IntervalRow& row) = 0;
  // A one-second run is over; only with RunConfig::run_lines.
  virtual void on_run_line(const executor::RunLine& line) = 0;
  // All is measured. Comes before the clean-up, which may take long.
  virtual void on_result(const RunResult& result) = 0;
};

// Checks what the workload makes of the settings: its name, keys, mix, names. Opens nothing.
core::Status check_workload(const RunConfig& config);

// The whole of `cqlperf run`: connects, makes or checks keyspace and table, fills it when rows must
// exist, warms up, measures, and drops what it made unless told to keep it. Errors are those that
// left nothing measured; what this run had made by then is dropped again. Ends early, with what was
// measured, when core::interrupted().
core::Result<RunResult> run(const RunConfig& config, RunListener& listener);

}  // namespace cqlperf::bench
