#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/forms_config.h"
#include "bench/listener.h"
#include "core/result.h"
#include "measure/forms_result.h"
#include "measure/interval.h"

namespace cqlperf::bench {

// Where the matrix of scenarios, rounds and forms is.
struct FormsProgress {
  measure::FormScenario scenario = measure::FormScenario::kInserts;
  measure::Form form = measure::Form::kRpc;
  // What is being done: `warm-up`, `measuring`, `filling`, `verifying`.
  std::string step;
  uint32_t round = 0;  // from 0
  uint64_t cell = 0;   // cells that are done, of all scenarios and rounds
  uint64_t cells = 0;
};

// Is told how a comparison goes on. Every call comes from the thread that called run_forms().
class FormsListener : public Listener {
 public:
  // How many cells are to be measured, and about how long that takes.
  virtual void on_plan(uint64_t cells, double seconds) = 0;
  virtual void on_progress(const FormsProgress& progress) = 0;
  // An interval of the measured time is over.
  virtual void on_row(const FormsProgress& progress, const measure::IntervalRow& row) = 0;
  virtual void on_round(const FormsProgress& progress, const measure::CellRound& round) = 0;
  // All rounds of a scenario are done, or it was ended in between.
  virtual void on_scenario(const measure::FormScenarioResult& result) = 0;
};

struct FormsOutcome {
  ServerInfo server;
  bool compact_storage = false;  // the tables are WITH COMPACT STORAGE, for the forms over Thrift
  std::string thrift;            // `127.0.0.1:9160, version 20.1.0`; empty: not used
  measure::FormsResult result;
  // Something failed beside the measuring, or ended it: what was measured is right.
  std::optional<core::Error> late_error;
};

// Checks what no flag can check alone. Opens nothing.
core::Status check_forms(const FormsConfig& config);

// The whole of `cqlperf forms`: finds out which forms the server has, and runs each scenario round
// by round, all forms in each round, in an order that changes; each cell that writes in a table of
// its own. Everything that was made is dropped. Errors are those that left nothing measured. Ends
// early, with what was measured, when core::interrupted(), or when the server is gone.
core::Result<FormsOutcome> run_forms(const FormsConfig& config, FormsListener& listener);

}  // namespace cqlperf::bench
