#pragma once

#include "bench/run_config.h"
#include "cli/embedded.h"
#include "cli/exit_code.h"

namespace cqlperf::cli {

// Runs `cqlperf run` (or cql_stress) with settings that were validated, and shows the result. With
// `embedded.enabled` against a server that it starts.
ExitCode run_command(bench::RunConfig config, const EmbeddedOptions& embedded);

}  // namespace cqlperf::cli
