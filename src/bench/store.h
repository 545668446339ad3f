#pragma once

#include <cstdint>
#include <vector>

#include "bench/listener.h"
#include "bench/store_config.h"
#include "core/result.h"
#include "measure/interval.h"
#include "measure/store_result.h"

namespace cqlperf::bench {

// How far a phase is. Rows and value bytes, not requests.
struct StoreProgress {
  measure::StorePhase phase = measure::StorePhase::kWrite;
  uint64_t keys = 0;
  uint64_t keys_total = 0;
  uint64_t bytes = 0;
  double seconds = 0;
  double bytes_per_second = 0;  // in the interval that is over
};

// Is told how a suite goes on. Every call comes from the thread that called run_store().
class StoreListener : public Listener {
 public:
  // The suite for one size starts. `result` has its sizes, and no phase yet.
  virtual void on_suite(const measure::StoreSuiteResult& result) = 0;
  // A phase starts; of truncate there is no progress.
  virtual void on_phase(const StoreProgress& progress) = 0;
  // An interval of the phase is over.
  virtual void on_progress(const StoreProgress& progress, const measure::IntervalRow& row) = 0;
  virtual void on_phase_result(const measure::StorePhaseResult& result) = 0;
};

struct StoreResult {
  ServerInfo server;
  std::vector<measure::StoreSuiteResult> suites;  // one for each size, in order
  // Something failed beside the measuring, such as the clean-up: what was measured is right.
  std::optional<core::Error> late_error;
};

// Checks what no flag can check alone: sizes against each other, phases, names. Opens nothing.
core::Status check_store(const StoreConfig& config);

// The whole of `cqlperf store`: for each size, makes the table in a keyspace of its own, goes
// through the phases, and drops what it made unless told to keep it. Errors are those that left
// nothing measured. Ends early, with what was measured, when core::interrupted(), or when a phase
// could not be completed and the next would build on it.
core::Result<StoreResult> run_store(const StoreConfig& config, StoreListener& listener);

}  // namespace cqlperf::bench
