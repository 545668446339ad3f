#include "cli/exit_code.h"

#include <algorithm>

namespace cqlperf::cli {

ExitCode exit_code(const core::Error& error) {
  switch (error.code) {
    case core::ErrorCode::kUsage:
    case core::ErrorCode::kIo:
      return ExitCode::kUsage;
    case core::ErrorCode::kInterrupted:
      return ExitCode::kInterrupted;
    default:
      return ExitCode::kSetup;
  }
}

ExitCode exit_code(const bench::RunConfig& config, const bench::RunResult& result) {
  const measure::Summary& summary = result.summary;
  if (summary.interrupted) return ExitCode::kInterrupted;
  if (result.late_error || summary.errors > 0 || summary.in_flight_at_end > 0)
    return ExitCode::kFellShort;
  // With a number of operations to do, work that was not sent is work left undone.
  if (!config.duration_ns && summary.unsent > 0) return ExitCode::kFellShort;
  if (config.min_rate && summary.achieved_rate < *config.min_rate) return ExitCode::kFellShort;
  return ExitCode::kDone;
}

ExitCode exit_code(const bench::StoreConfig& config, const bench::StoreResult& result) {
  const auto& suites = result.suites;
  if (std::ranges::any_of(suites, &measure::StoreSuiteResult::interrupted))
    return ExitCode::kInterrupted;
  const auto is_right = [&](const measure::StoreSuiteResult& suite) {
    return suite.ok() && suite.phases.size() == config.phases.size();
  };
  const bool has_all = suites.size() == config.db_sizes.size();
  return has_all && !result.late_error && std::ranges::all_of(suites, is_right)
             ? ExitCode::kDone
             : ExitCode::kFellShort;
}

ExitCode exit_code(const bench::FormsOutcome& outcome) {
  if (outcome.result.interrupted) return ExitCode::kInterrupted;
  return outcome.result.ok() && !outcome.late_error ? ExitCode::kDone : ExitCode::kFellShort;
}

}  // namespace cqlperf::cli
