#pragma once

#include "bench/store_config.h"
#include "cli/embedded.h"
#include "cli/exit_code.h"

namespace cqlperf::cli {

// Runs `cqlperf store` (or cassandra_store_stress) with settings that were validated, and shows the
// result. With `embedded.enabled` against a server that it starts.
ExitCode store_command(bench::StoreConfig config, const EmbeddedOptions& embedded);

}  // namespace cqlperf::cli
