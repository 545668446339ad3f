#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/forms_config.h"
#include "cli/embedded.h"
#include "core/result.h"

namespace cqlperf::cli {

// Adds the flags of `cqlperf forms` to `command`; parsing then fills `config` and `embedded`, which
// must live as long as `command`.
void add_forms_options(CLI::App& command, bench::FormsConfig& config, EmbeddedOptions& embedded);

// Checks what no flag can check alone, when `command` was parsed. Nothing is opened.
core::Status validate_forms(const CLI::App& command, bench::FormsConfig& config,
                            EmbeddedOptions& embedded);

// Every setting, as a result file holds it, without the password.
nlohmann::ordered_json forms_config_json(const bench::FormsConfig& config);

}  // namespace cqlperf::cli
