#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/run_config.h"
#include "cli/embedded.h"
#include "cli/serve_options.h"
#include "core/result.h"

namespace cqlperf::cli {

// What the arguments of `cqlperf` ask for: one of the commands, or to print `text` (help or
// version).
struct CommandLine {
  std::optional<bench::RunConfig> run = {};
  EmbeddedOptions embedded = {};  // of run
  std::optional<ServeConfig> serve = {};
  std::string text = {};
};

// Parses and validates; opens nothing. Errors are usage errors.
core::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace cqlperf::cli
