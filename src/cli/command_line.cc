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
  cqlperf run --embedded                   the same, with a server of its own
  cqlperf serve                            a server to try things with
  cqlperf run --help                       all flags of a command

Called as cql_stress, the program takes that tool's flags: cql_stress -h.)";

void take_password_from_environment(bench::RunConfig& config) {
  const char* password = std::getenv("CQLPERF_PASSWORD");
  if (config.password.empty() && password != nullptr && !config.user.empty())
    config.password = password;
}

core::Result<CommandLine> validated_run(bench::RunConfig config, const EmbeddedOptions& embedded,
                                        bool has_server) {
  take_password_from_environment(config);
  if (auto valid = validate_run(config); !valid) return std::unexpected(valid.error());
  if (auto valid = validate_embedded(embedded, config, has_server); !valid)
    return std::unexpected(valid.error());
  return CommandLine{.run = std::move(config), .embedded = embedded};
}

core::Result<CommandLine> validated_serve(ServeConfig config) {
  auto valid = take_auth_from_environment(config, std::getenv("CQLPERF_AUTH"));
  if (valid) valid = validate_serve(config);
  if (!valid) return std::unexpected(valid.error());
  return CommandLine{.serve = std::move(config)};
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
  EmbeddedOptions embedded;
  add_embedded_options(*run, embedded);
  ServeConfig serve_config;
  CLI::App* serve =
      app.add_subcommand("serve", "Be a CQL server: for trying, testing, calibrating");
  add_serve_options(*serve, serve_config);

  // CLI11 takes the arguments last to first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    app.exit(help_or_version, text, text);
    return CommandLine{.text = text.str()};
  } catch (const CLI::ParseError& error) {
    return core::fail(core::ErrorCode::kUsage,
                      explain_parse_error(serve->parsed() ? *serve : *run, error, arguments));
  }
  if (serve->parsed()) return validated_serve(std::move(serve_config));
  return validated_run(std::move(config), embedded, run->get_option("--server")->count() > 0);
}

}  // namespace cqlperf::cli
