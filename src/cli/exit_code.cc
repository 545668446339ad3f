#include "cli/exit_code.h"

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

}  // namespace cqlperf::cli
