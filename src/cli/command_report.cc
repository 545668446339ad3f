#include "cli/command_report.h"

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <time.h>

#include "cli/version.h"
#include "core/clock.h"
#include "core/text.h"

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

ordered_json error_json(const core::Error& error) { return {{"message", error.message}}; }

}  // namespace

Status CommandReport::open_json(const std::string& json_path) {
  if (json_path.empty()) return {};
  auto opened = report::JsonFile::open(json_path);
  if (!opened) return std::unexpected(opened.error());
  json_.emplace(std::move(*opened));
  return {};
}

ordered_json CommandReport::head(const char* status, ExitCode code) const {
  ordered_json document;
  document["schema_version"] = report::kSchemaVersion;
  document["program"] = "cqlperf";
  document["version"] = kVersion;
  document["status"] = status;
  document["exit_code"] = static_cast<int>(code);
  document["written_at"] = utc_time(core::wall_clock_ns());
  document["config"] = config_;
  return document;
}

Status CommandReport::write(const ordered_json& document) {
  return json_ ? json_->write(document) : Status{};
}

Status CommandReport::write(const ordered_json& document, const measure::IntervalSpool& intervals) {
  return json_ ? json_->write(document, &intervals) : Status{};
}

ExitCode CommandReport::fail(const core::Error& error) {
  const ExitCode code = exit_code(error);
  print_error(error);
  ordered_json document = head(code == ExitCode::kInterrupted ? "interrupted" : "failed", code);
  document["server"] = nullptr;
  document["error"] = error_json(error);
  if (measured_ == Measured::kStore) document["suites"] = nullptr;
  if (measured_ == Measured::kForms) document["scenarios"] = nullptr;
  if (measured_ == Measured::kRun) {
    document["summary"] = nullptr;
    document["intervals"] = ordered_json::array();
  }
  if (auto written = write(document); !written) print_error(written.error());
  return code;
}

ExitCode CommandReport::finish(ExitCode code, const Status& written) const {
  if (written) return code;
  print_error(written.error());
  return code == ExitCode::kDone ? ExitCode::kFellShort : code;
}

ExitCode report_usage_error(const core::Error& error, const std::string& json_path,
                            Measured measured) {
  CommandReport report(measured);
  std::error_code ignored;
  const bool is_new_file = !json_path.empty() && !json_path.starts_with("-") &&
                           !std::filesystem::exists(json_path, ignored);
  // A path that cannot be written to is not what is wrong first.
  if (json_path == "-" || is_new_file) (void)report.open_json(json_path);
  return report.fail(error);
}

void print_error(const core::Error& error) {
  constexpr size_t kLongestBytes = 16 * 1024;  // it may tell of many nodes
  std::fputs(("cqlperf: " + core::printable(error.message, kLongestBytes) + "\n").c_str(), stderr);
}

void print_note(const std::string& text) {
  std::fputs(("cqlperf: " + text + "\n").c_str(), stderr);
}

ordered_json embedded_json(const EmbeddedOptions& embedded) {
  if (!embedded.enabled) return nullptr;
  return {{"storage", embedded.storage_name()},
          {"keeps_nothing", embedded.null_storage},
          {"threads", embedded.threads}};
}

ordered_json server_json(const bench::ServerInfo& server, const EmbeddedOptions& embedded) {
  return {{"cluster", server.cluster},
          {"release", server.release},
          {"protocol", server.protocol},
          {"compression", protocol::compression_name(server.compression)},
          {"nodes", server.nodes},
          {"embedded", embedded_json(embedded)}};
}

ordered_json late_error_json(const std::optional<core::Error>& error) {
  return error ? error_json(*error) : ordered_json(nullptr);
}

core::Result<std::optional<EmbeddedServer>> start_embedded(const EmbeddedOptions& embedded,
                                                           bench::ServerConfig& config) {
  std::optional<EmbeddedServer> server;
  if (!embedded.enabled) return server;
  auto started = EmbeddedServer::start(embedded);
  if (!started) return std::unexpected(started.error());
  server.emplace(std::move(*started));
  config.servers = {server->address()};
  print_note(fmt::format("{} on {}", describe(embedded), server->address()));
  return server;
}

}  // namespace cqlperf::cli
