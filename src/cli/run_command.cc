#include "cli/run_command.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <time.h>

#include "cli/console.h"
#include "cli/run_options.h"
#include "cli/version.h"
#include "core/clock.h"
#include "core/text.h"
#include "report/json_document.h"
#include "report/summary_text.h"

namespace cqlperf::cli {
namespace {

using core::Status;
using nlohmann::ordered_json;

std::string utc_time(int64_t wall_ns) {
  const time_t seconds = wall_ns / core::kNanosPerSecond;
  tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// One run: what was asked for, and the server that was started for it.
struct Run {
  bench::RunConfig config;
  EmbeddedOptions embedded;
};

ordered_json embedded_json(const EmbeddedOptions& embedded) {
  if (!embedded.enabled) return nullptr;
  return {{"storage", embedded.storage_name()},
          {"keeps_nothing", embedded.null_storage},
          {"threads", embedded.threads}};
}

ordered_json config_json(const Run& run) {
  ordered_json config = run_config_json(run.config);
  config["embedded"] = embedded_json(run.embedded);
  return config;
}

// The members that every document starts with.
ordered_json document_head(const char* status, ExitCode code, const Run* run) {
  ordered_json document;
  document["schema_version"] = report::kSchemaVersion;
  document["program"] = "cqlperf";
  document["version"] = kVersion;
  document["status"] = status;
  document["exit_code"] = static_cast<int>(code);
  document["written_at"] = utc_time(core::wall_clock_ns());
  document["config"] = run ? config_json(*run) : ordered_json(nullptr);
  return document;
}

ordered_json error_json(const core::Error& error) { return {{"message", error.message}}; }

ordered_json result_document(const Run& run, const bench::RunResult& result) {
  const bool interrupted = result.summary.interrupted;
  ordered_json document =
      document_head(interrupted ? "interrupted" : "done", exit_code(run.config, result), &run);
  document["server"] = {{"cluster", result.server.cluster},
                        {"release", result.server.release},
                        {"protocol", result.server.protocol},
                        {"compression", protocol::compression_name(result.server.compression)},
                        {"nodes", result.server.nodes},
                        {"embedded", embedded_json(run.embedded)}};
  document["error"] = result.late_error ? error_json(*result.late_error) : ordered_json(nullptr);
  document["summary"] = report::summary_json(result.summary);
  return document;
}

Status write_result_document(report::JsonFile& file, const Run& run,
                             const bench::RunResult& result) {
  return file.write(result_document(run, result), &result.collector->intervals());
}

Status write_error_document(report::JsonFile& file, const core::Error& error, ExitCode code,
                            const Run* run) {
  const bool interrupted = code == ExitCode::kInterrupted;
  ordered_json document = document_head(interrupted ? "interrupted" : "failed", code, run);
  document["server"] = nullptr;
  document["error"] = error_json(error);
  document["summary"] = nullptr;
  return file.write(document, nullptr);
}

void print_error(const core::Error& error) {
  constexpr size_t kLongestBytes = 16 * 1024;  // it may tell of many nodes
  std::fputs(("cqlperf: " + core::printable(error.message, kLongestBytes) + "\n").c_str(), stderr);
}

void print_note(const std::string& text) {
  std::fputs(("cqlperf: " + text + "\n").c_str(), stderr);
}

ExitCode report_error(const core::Error& error, const Run* run,
                      std::optional<report::JsonFile>& json) {
  const ExitCode code = exit_code(error);
  print_error(error);
  if (json)
    if (auto written = write_error_document(*json, error, code, run); !written)
      print_error(written.error());
  return code;
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
ExitCode measure(const Run& run, std::optional<report::JsonFile>& json) {
  const bench::RunConfig& config = run.config;
  // The report comes before the clean-up, which may take long or fail; a file then holds it too.
  Status written;
  const auto on_result = [&](const bench::RunResult& result) {
    if (!config.run_lines || has_more_to_say(result.summary)) print_summary(run, result);
    if (json && config.json_path != "-") written = write_result_document(*json, run, result);
  };
  Console console(config.run_lines, on_result);
  auto result = bench::run(config, console);
  if (!result) return report_error(result.error(), &run, json);

  if (result->late_error) print_error(*result->late_error);
  // Standard output takes one document, so that one waits for what the clean-up says.
  if (json && (config.json_path == "-" || result->late_error))
    written = write_result_document(*json, run, *result);
  const ExitCode code = exit_code(config, *result);
  if (written) return code;
  print_error(written.error());
  return code == ExitCode::kDone ? ExitCode::kFellShort : code;
}

}  // namespace

ExitCode report_usage_error(const core::Error& error, const std::string& json_path) {
  std::optional<report::JsonFile> json;
  std::error_code ignored;
  const bool is_new_file = !json_path.empty() && !json_path.starts_with("-") &&
                           !std::filesystem::exists(json_path, ignored);
  if (json_path == "-" || is_new_file)
    if (auto opened = report::JsonFile::open(json_path)) json.emplace(std::move(*opened));
  return report_error(error, nullptr, json);
}

ExitCode run_command(bench::RunConfig config, const EmbeddedOptions& embedded) {
  Run run{std::move(config), embedded};
  std::optional<report::JsonFile> json;
  if (!run.config.json_path.empty()) {
    auto opened = report::JsonFile::open(run.config.json_path);
    if (!opened) return report_error(opened.error(), &run, json);
    json.emplace(std::move(*opened));
  }
  std::optional<EmbeddedServer> server;
  if (embedded.enabled) {
    auto started = EmbeddedServer::start(embedded);
    if (!started) return report_error(started.error(), &run, json);
    server.emplace(std::move(*started));
    run.config.servers = {server->address()};
    print_note(fmt::format("{} on {}", describe(embedded), server->address()));
  }
  return measure(run, json);
}

}  // namespace cqlperf::cli
