#pragma once

#include "cli/exit_code.h"
#include "cli/serve_options.h"

namespace cqlperf::cli {

// Runs `cqlperf serve` until a signal comes, with settings that were validated.
ExitCode serve_command(const ServeConfig& config);

}  // namespace cqlperf::cli
