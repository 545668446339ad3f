#pragma once

#include "bench/forms.h"
#include "bench/run.h"
#include "bench/store.h"
#include "core/result.h"

namespace cqlperf::cli {

// The exit codes of every command; docs and help promise them.
enum class ExitCode : int {
  kDone = 0,
  kFellShort = 1,  // done, but with errors, wrong data, a count left undone, below --min-rate
  kUsage = 2,
  kSetup = 3,  // could not connect or set up
  kInterrupted = 130,
};

ExitCode exit_code(const core::Error& error);
ExitCode exit_code(const bench::RunConfig& config, const bench::RunResult& result);
ExitCode exit_code(const bench::FormsOutcome& outcome);
ExitCode exit_code(const bench::StoreConfig& config, const bench::StoreResult& result);

}  // namespace cqlperf::cli
