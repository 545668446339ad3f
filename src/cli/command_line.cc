#include "cli/command_line.h"

#include <cstdlib>
#include <sstream>

#include <CLI/CLI.hpp>

#include "cli/run_options.h"
#include "cli/usage_error.h"
#include "cli/version.h"

namespace cqlperf::cli {
namespace {

constexpr const char* kProgramFooter = R"(Examples:
  cqlperf run                              inserts into a server on localhost, for 10 s
  cqlperf run --rate-limit 5k --json r.json
  cqlperf run --help                       all flags of a command

Called as cql_stress, the program takes that tool's flags: cql_stress -h.)";

void take_password_from_environment(bench::RunConfig& config) {
  const char* password = std::getenv("CQLPERF_PASSWORD");
  if (config.password.empty() && password != nullptr && !config.user.empty())
    config.password = password;
}

core::Result<CommandLine> validated(bench::RunConfig config) {
  take_password_from_environment(config);
  if (auto valid = validate_run(config); !valid) return std::unexpected(valid.error());
  return CommandLine{.run = std::move(config), .text = {}};
}

}  // namespace

core::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  CLI::App app(
      "cqlperf: load generator and benchmark for CQL databases (Apache Cassandra, ScyllaDB)",
      "cqlperf");
  app.set_version_flag("--version", std::string("cqlperf ") + kVersion);
  app.require_subcommand(1);
  app.footer(kProgramFooter);
  bench::RunConfig config;
  CLI::App* run = app.add_subcommand("run", "Load a server with a workload, and measure it");
  add_run_options(*run, config);

  // CLI11 takes the arguments last to first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    app.exit(help_or_version, text, text);
    return CommandLine{.run = std::nullopt, .text = text.str()};
  } catch (const CLI::ParseError& error) {
    return core::fail(core::ErrorCode::kUsage, explain_parse_error(*run, error, arguments));
  }
  return validated(std::move(config));
}

}  // namespace cqlperf::cli
