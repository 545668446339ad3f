#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/run_config.h"
#include "core/result.h"

namespace cqlperf::cli {

// Adds the flags and the help of `cqlperf run` to `command`; parsing then fills `config`, which
// must live as long as `command`.
void add_run_options(CLI::App& command, bench::RunConfig& config);

// Checks what no flag can check alone, and applies defaults that depend on others. Nothing is
// opened.
core::Status validate_run(bench::RunConfig& config);

// Every setting, as a result file holds it, without the password.
nlohmann::ordered_json run_config_json(const bench::RunConfig& config);

}  // namespace cqlperf::cli
