#pragma once

#include <string>
#include <vector>

#include "bench/run_config.h"
#include "cli/embedded.h"
#include "core/result.h"

namespace cqlperf::cli {

// The face of martelli/cql_stress: its flags as Go's flag package takes them (one or two dashes,
// `-name value` or `-name=value`, switches alone or with `=true|false`), its defaults.
struct CqlStressCommand {
  bool help = false;
  bench::RunConfig config;
  EmbeddedOptions embedded = {};  // ours: that tool needs a server
};

// Errors are usage errors in the words of that tool.
core::Result<CqlStressCommand> parse_cql_stress(const std::vector<std::string>& arguments);

// What `-h` prints; `program` is the name that it was called by.
std::string cql_stress_usage(const std::string& program);

}  // namespace cqlperf::cli
