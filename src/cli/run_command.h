#pragma once

#include <string>

#include "bench/run_config.h"
#include "cli/embedded.h"
#include "cli/exit_code.h"

namespace cqlperf::cli {

// Runs `cqlperf run` (or cql_stress) with settings that were validated, and shows the result. With
// `embedded.enabled` against a server that it starts.
ExitCode run_command(bench::RunConfig config, const EmbeddedOptions& embedded);

// Says what is wrong with a command line on standard error, and as a document where it asked for
// JSON: `json_path` is `-`, or a file that is not there yet. An older result is left alone.
ExitCode report_usage_error(const core::Error& error, const std::string& json_path);

}  // namespace cqlperf::cli
