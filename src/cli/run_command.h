#pragma once

#include "bench/run_config.h"
#include "cli/exit_code.h"

namespace cqlperf::cli {

// Runs `cqlperf run` (or cql_stress) with settings that were validated, and shows the result.
ExitCode run_command(const bench::RunConfig& config);

// Writes the document of a command that ended with an error to where --json asked for it, and the
// error to standard error. `config` may be null, when the command line itself was wrong.
ExitCode report_error(const core::Error& error, const bench::RunConfig* config,
                      const std::string& json_path);

}  // namespace cqlperf::cli
