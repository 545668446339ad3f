#include "cli/run_command.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "cli/command_report.h"
#include "cli/console.h"
#include "cli/run_options.h"
#include "core/units.h"
#include "report/summary_text.h"

namespace cqlperf::cli {
namespace {

using core::Status;
using nlohmann::ordered_json;

// One run: what was asked for, and the server that was started for it.
struct Run {
  bench::RunConfig config;
  EmbeddedOptions embedded;
};

ordered_json config_json(const Run& run) {
  ordered_json config = run_config_json(run.config);
  config["embedded"] = embedded_json(run.embedded);
  return config;
}

Status write_result_document(CommandReport& report, const Run& run,
                             const bench::RunResult& result) {
  const bool interrupted = result.summary.interrupted;
  ordered_json document =
      report.head(interrupted ? "interrupted" : "done", exit_code(run.config, result));
  document["server"] = server_json(result.server, run.embedded);
  document["error"] = late_error_json(result.late_error);
  document["summary"] = report::summary_json(result.summary);
  return report.write(document, result.collector->intervals());
}

void print_summary(const Run& run, const bench::RunResult& result) {
  const bench::RunConfig& config = run.config;
  // Standard output belongs to the JSON document, or to cql_stress's lines, when there are such.
  std::FILE* out = config.json_path == "-" || config.run_lines ? stderr : stdout;
  std::string text = report::summary_text(result.summary);
  const std::string where = run.embedded.enabled ? " (" + describe(run.embedded) + ")" : "";
  if (!config.run_lines) text = "\n" + config.workload + where + "\n" + text;
  std::fputs(text.c_str(), out);
  std::fflush(out);
}

// The seed prints nothing but its lines; what they cannot show is worth saying all the same.
bool has_more_to_say(const measure::Summary& summary) {
  return summary.errors > 0 || summary.interrupted || summary.unsent > 0 ||
         summary.shortfall.cause != measure::ShortfallCause::kNone;
}

// The run itself, when all that it writes to is open.
ExitCode measure(const Run& run, CommandReport& report) {
  const bench::RunConfig& config = run.config;
  // The report comes before the clean-up, which may take long or fail; a file then holds it too.
  Status written;
  const auto on_result = [&](const bench::RunResult& result) {
    if (!config.run_lines || has_more_to_say(result.summary)) print_summary(run, result);
    if (config.json_path != "-") written = write_result_document(report, run, result);
  };
  Console console(config.run_lines, on_result);
  auto result = bench::run(config, console);
  if (!result) return report.fail(result.error());

  if (result->late_error) print_error(*result->late_error);
  // Standard output takes one document, so that one waits for what the clean-up says.
  if (config.json_path == "-" || result->late_error)
    written = write_result_document(report, run, *result);
  if (config.min_rate && result->summary.achieved_rate < *config.min_rate)
    print_note(fmt::format("less than --min-rate: {} achieved, {} asked at least",
                           core::format_rate(result->summary.achieved_rate),
                           core::format_rate(*config.min_rate)));
  return report.finish(exit_code(config, *result), written);
}

}  // namespace

ExitCode run_command(bench::RunConfig config, const EmbeddedOptions& embedded) {
  Run run{std::move(config), embedded};
  CommandReport report(Measured::kRun);
  report.set_config(config_json(run));
  if (auto opened = report.open_json(run.config.json_path); !opened)
    return report.fail(opened.error());
  auto server = start_embedded(embedded, run.config);
  if (!server) return report.fail(server.error());
  report.set_config(config_json(run));  // with the server's address
  return measure(run, report);
}

}  // namespace cqlperf::cli
