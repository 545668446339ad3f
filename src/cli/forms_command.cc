#include "cli/forms_command.h"

#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "bench/forms.h"
#include "cli/command_report.h"
#include "cli/forms_console.h"
#include "cli/forms_options.h"
#include "cli/version.h"
#include "core/units.h"
#include "report/forms_files.h"
#include "report/forms_jira.h"
#include "report/forms_json.h"

namespace cqlperf::cli {
namespace {

using nlohmann::ordered_json;

ordered_json config_json(const bench::FormsConfig& config, const EmbeddedOptions& embedded) {
  ordered_json json = forms_config_json(config);
  json["embedded"] = embedded_json(embedded);
  return json;
}

// The command line as a shell takes it, without the password.
std::string command_text(const std::vector<std::string>& arguments) {
  std::string text = "cqlperf";
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string word = arguments[i];
    if (word.starts_with("--password=")) word = "--password=***";
    if (i > 0 && arguments[i - 1] == "--password") word = "***";
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$`*?(){}[]<>|&;#!~") == std::string::npos;
    text += plain || word.ends_with("***") ? " " + word : " '" + word + "'";
  }
  return text;
}

report::FormsHeading heading(const bench::FormsConfig& config, const EmbeddedOptions& embedded,
                             const std::vector<std::string>& arguments,
                             const bench::FormsOutcome& outcome) {
  const auto duration = [](int64_t ns) {
    return core::format_duration_ns(static_cast<double>(ns));
  };
  report::FormsHeading heading;
  heading.command = command_text(arguments);
  auto& facts = heading.facts;
  facts.emplace_back("server",
                     embedded.enabled
                         ? fmt::format("cqlperf {}, {}", kVersion, describe(embedded))
                         : fmt::format("release {}, cluster {}, {} node{}", outcome.server.release,
                                       outcome.server.cluster, outcome.server.nodes.size(),
                                       outcome.server.nodes.size() == 1 ? "" : "s"));
  facts.emplace_back("native protocol", fmt::format("v{}, {} connection{} per node and thread",
                                                    outcome.server.protocol, config.connections,
                                                    config.connections == 1 ? "" : "s"));
  facts.emplace_back("thrift",
                     outcome.thrift.empty()
                         ? "not used"
                         : fmt::format("{}; {} connections, one request in flight on each",
                                       outcome.thrift, config.parallelism));
  facts.emplace_back(
      "load", fmt::format("{} in flight, {} thread{}{}", config.parallelism, config.threads,
                          config.threads == 1 ? "" : "s",
                          config.rate_limit > 0
                              ? fmt::format(", {:g} operations/s at the most", config.rate_limit)
                              : ", as fast as it goes"));
  std::string cell;
  if (config.duration_ns) cell = duration(*config.duration_ns);
  if (config.count)
    cell += fmt::format("{}{} operations", cell.empty() ? "" : " or ",
                        core::format_count(static_cast<int64_t>(*config.count)));
  const std::string warm_up =
      config.warm_up_ns > 0 ? fmt::format(", after a warm-up of {}", duration(config.warm_up_ns))
                            : ", without a warm-up";
  facts.emplace_back("each cell", fmt::format("{} x {}{}", config.rounds, cell, warm_up));
  facts.emplace_back(
      "tables", fmt::format("{}consistency {}", outcome.compact_storage ? "COMPACT STORAGE, " : "",
                            protocol::consistency_name(config.consistency)));
  return heading;
}

ordered_json result_document(const CommandReport& report, ExitCode code,
                             const bench::FormsOutcome& outcome, const EmbeddedOptions& embedded) {
  ordered_json document =
      report.head(code == ExitCode::kInterrupted ? "interrupted" : "done", code);
  document["server"] = server_json(outcome.server, embedded);
  document["server"]["thrift"] =
      outcome.thrift.empty() ? ordered_json(nullptr) : ordered_json(outcome.thrift);
  document["server"]["compact_storage"] = outcome.compact_storage;
  document["error"] = late_error_json(outcome.late_error);
  document.update(report::forms_json(outcome.result));
  return document;
}

// Known before the measuring, which may be long.
core::Status check_directory(const std::string& directory) {
  if (directory.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const std::string probe = (std::filesystem::path(directory) / "forms.json.tmp").string();
  const int fd = error ? -1 : ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const std::string why = error ? error.message() : std::strerror(errno);
  if (fd >= 0) {
    ::close(fd);
    ::unlink(probe.c_str());
    return {};
  }
  return core::fail(core::ErrorCode::kIo,
                    fmt::format("--out {}: {}: name a directory of your own", directory, why));
}

// Writes the files of --out; what could not be written makes a run fall short.
core::Status write_files(const std::string& directory, const measure::FormsResult& result,
                         const report::FormsHeading& heading, const ordered_json& document,
                         std::vector<std::string>& files) {
  if (directory.empty()) return {};
  auto written = report::write_forms_files(directory, result, heading, document);
  if (!written) return std::unexpected(written.error());
  files = std::move(written->files);
  if (!written->charts_note.empty()) print_note(written->charts_note);
  print_note(fmt::format("{} files in {}: look at {}", files.size(), directory,
                         (std::filesystem::path(directory) / "index.html").string()));
  return {};
}

}  // namespace

ExitCode forms_command(bench::FormsConfig config, const EmbeddedOptions& embedded,
                       const std::vector<std::string>& arguments) {
  CommandReport report(Measured::kForms);
  report.set_config(config_json(config, embedded));
  if (auto opened = report.open_json(config.json_path); !opened) return report.fail(opened.error());
  if (auto usable = check_directory(config.out_directory); !usable)
    return report.fail(usable.error());
  auto server = start_embedded(embedded, config);
  if (!server) return report.fail(server.error());
  if (*server) config.thrift_port = (*server)->thrift_port();
  report.set_config(config_json(config, embedded));  // with the server's address

  FormsConsole console(config);
  const auto outcome = bench::run_forms(config, console);
  if (!outcome) return report.fail(outcome.error());
  if (outcome->late_error) print_error(*outcome->late_error);
  if (outcome->result.interrupted) print_note("interrupted: the figures are of what was done");
  ExitCode code = exit_code(*outcome);
  const ordered_json document = result_document(report, code, *outcome, embedded);
  // Before the charts, which take their time; on standard output it can be written once only.
  const bool to_file = config.json_path != "-";
  core::Status written = to_file ? report.write(document) : core::Status();
  std::vector<std::string> files;
  const auto drawn = write_files(config.out_directory, outcome->result,
                                 heading(config, embedded, arguments, *outcome), document, files);
  if (config.jira) console.print_result(report::forms_jira(outcome->result, files));
  if (!drawn) {
    print_error(drawn.error());
    if (code == ExitCode::kDone) code = ExitCode::kFellShort;
  }
  if (!drawn || !to_file)
    if (auto again = report.write(result_document(report, code, *outcome, embedded)); !again)
      written = again;
  return report.finish(code, written);
}

}  // namespace cqlperf::cli
