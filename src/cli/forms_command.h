#pragma once

#include <string>
#include <vector>

#include "bench/forms_config.h"
#include "cli/embedded.h"
#include "cli/exit_code.h"

namespace cqlperf::cli {

// `cqlperf forms`, validated. `arguments` are those that it was called with, for the report.
ExitCode forms_command(bench::FormsConfig config, const EmbeddedOptions& embedded,
                       const std::vector<std::string>& arguments);

}  // namespace cqlperf::cli
