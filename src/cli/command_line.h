#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/forms_config.h"
#include "bench/run_config.h"
#include "bench/store_config.h"
#include "cli/embedded.h"
#include "cli/serve_options.h"
#include "core/result.h"

namespace cqlperf::cli {

// What the arguments of `cqlperf` ask for: one of the commands, or to print `text` (help or
// version).
struct CommandLine {
  std::optional<bench::RunConfig> run = {};
  std::optional<bench::StoreConfig> store = {};
  std::optional<bench::FormsConfig> forms = {};
  EmbeddedOptions embedded = {};  // of run, store and forms
  std::optional<ServeConfig> serve = {};
  std::string text = {};
};

// Parses and validates; opens nothing. Errors are usage errors.
core::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

// The same for the arguments of cassandra_store_stress: the flags of `store`, of which only the
// block is printed, and a keyspace that is made anew by each run.
core::Result<CommandLine> parse_store_stress(const std::vector<std::string>& arguments);

}  // namespace cqlperf::cli
