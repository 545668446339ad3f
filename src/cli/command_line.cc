#include "cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <CLI/CLI.hpp>

#include "cli/flag.h"
#include "cli/forms_options.h"
#include "cli/run_options.h"
#include "cli/server_options.h"
#include "cli/store_options.h"
#include "cli/usage_error.h"
#include "cli/version.h"

namespace cqlperf::cli {
namespace {

constexpr const char* kProgramFooter = R"(Examples:
  cqlperf run                              inserts into a server on localhost, for 10 s
  cqlperf run --rate-limit 5k --json r.json
  cqlperf run --embedded                   the same, with a server of its own
  cqlperf store --embedded                 writes, reads all, truncates: 1 GiB of 64 KiB values
  cqlperf forms --embedded                 what each way of sending a statement costs
  cqlperf serve                            a server to try things with
  cqlperf run --help                       all flags of a command

Called as cql_stress or cassandra_store_stress, the program takes that tool's flags and prints its
lines: cql_stress -h, cassandra_store_stress --help.)";

core::Result<CommandLine> validated_run(bench::RunConfig config, const EmbeddedOptions& embedded,
                                        bool has_server) {
  take_password_from_environment(config);
  if (auto valid = validate_run(config); !valid) return std::unexpected(valid.error());
  if (auto valid = validate_embedded(embedded, has_server); !valid)
    return std::unexpected(valid.error());
  if (config.workload != "insert")
    if (auto valid = refuse_null_storage(embedded, config.workload, "use insert"); !valid)
      return std::unexpected(valid.error());
  return CommandLine{.run = std::move(config), .embedded = embedded};
}

core::Result<CommandLine> validated_serve(ServeConfig config) {
  auto valid = take_auth_from_environment(config, std::getenv("CQLPERF_AUTH"));
  if (valid) valid = validate_serve(config);
  if (!valid) return std::unexpected(valid.error());
  return CommandLine{.serve = std::move(config)};
}

core::Result<CommandLine> validated_store(const CLI::App& command, bench::StoreConfig config,
                                          const EmbeddedOptions& embedded) {
  take_password_from_environment(config);
  if (auto valid = validate_store(command, config, embedded); !valid)
    return std::unexpected(valid.error());
  return CommandLine{.store = std::move(config), .embedded = embedded};
}

core::Result<CommandLine> validated_forms(const CLI::App& command, bench::FormsConfig config,
                                          EmbeddedOptions embedded) {
  take_password_from_environment(config);
  if (auto valid = validate_forms(command, config, embedded); !valid)
    return std::unexpected(valid.error());
  return CommandLine{.forms = std::move(config), .embedded = embedded};
}

// The help or the version when those were asked for, nothing when there are flags to look at, else
// what is wrong with them; the flags are those of the command among `commands` that was named.
core::Result<std::optional<std::string>> parse(CLI::App& app,
                                               const std::vector<const CLI::App*>& commands,
                                               const std::vector<std::string>& arguments) {
  // CLI11 takes the arguments last to first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    app.exit(help_or_version, text, text);
    return text.str();
  } catch (const CLI::ParseError& error) {
    const auto named =
        std::ranges::find_if(commands, [](const auto* each) { return each->parsed(); });
    const CLI::App& command = named == commands.end() ? *commands.front() : **named;
    return core::fail(core::ErrorCode::kUsage, explain_parse_error(command, error, arguments));
  }
  return std::nullopt;
}

}  // namespace

core::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  CLI::App app(
      "cqlperf: load generator and benchmark for CQL databases (Apache Cassandra, ScyllaDB)",
      "cqlperf");
  app.set_version_flag("--version", std::string("cqlperf ") + kVersion);
  app.require_subcommand(1);
  app.footer(kProgramFooter);
  bench::RunConfig run_config;
  EmbeddedOptions embedded;
  CLI::App* run = app.add_subcommand("run", "Load a server with a workload, and measure it");
  add_run_options(*run, run_config);
  add_embedded_options(*run, embedded);
  bench::StoreConfig store_config;
  CLI::App* store = app.add_subcommand(
      "store", "Write values one after the other, read them all in bulk, delete or truncate them");
  add_store_options(*store, store_config, embedded);
  store->footer(kStoreFooter);
  bench::FormsConfig forms_config;
  CLI::App* forms = app.add_subcommand(
      "forms",
      "Compare the forms in which a statement is sent: text, bound, prepared, over Thrift");
  add_forms_options(*forms, forms_config, embedded);
  ServeConfig serve_config;
  CLI::App* serve =
      app.add_subcommand("serve", "Be a CQL server: for trying, testing, calibrating");
  add_serve_options(*serve, serve_config);

  auto text = parse(app, {run, store, forms, serve}, arguments);
  if (!text) return std::unexpected(text.error());
  if (*text) return CommandLine{.text = std::move(**text)};
  if (serve->parsed()) return validated_serve(std::move(serve_config));
  if (forms->parsed()) return validated_forms(*forms, std::move(forms_config), embedded);
  if (store->parsed()) return validated_store(*store, std::move(store_config), embedded);
  return validated_run(std::move(run_config), embedded, is_given(*run, "--server"));
}

core::Result<CommandLine> parse_store_stress(const std::vector<std::string>& arguments) {
  CLI::App app("Write values one after the other, read them all in bulk, truncate them",
               "cassandra_store_stress");
  bench::StoreConfig config;
  EmbeddedOptions embedded;
  add_store_options(app, config, embedded);
  app.footer(kStoreStressFooter);
  auto text = parse(app, {&app}, arguments);
  if (!text) return std::unexpected(text.error());
  if (*text) return CommandLine{.text = std::move(**text)};
  // As that program does: its table is made anew. One that cqlperf did not make is still refused.
  const auto& phases = config.phases;
  config.fresh |= !phases.empty() && phases.front() == measure::StorePhase::kWrite;
  config.seed_block_only = true;
  return validated_store(app, std::move(config), embedded);
}

}  // namespace cqlperf::cli
