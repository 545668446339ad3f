#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "bench/listener.h"
#include "bench/server_config.h"
#include "cli/embedded.h"
#include "cli/exit_code.h"
#include "core/result.h"
#include "report/json_document.h"

namespace cqlperf::cli {

// Whose figures a document holds: `summary` and `intervals` of a run, `suites` of the store,
// `scenarios` of the forms.
enum class Measured { kRun, kStore, kForms };

// What every command that measures something reports in the same way: errors on standard error, and
// one JSON document on every way out, where that was asked for.
class CommandReport {
 public:
  explicit CommandReport(Measured measured) : measured_(measured) {}

  // The settings, as the document shows them.
  void set_config(nlohmann::ordered_json config) { config_ = std::move(config); }

  // Opens the document; nothing when `json_path` is empty. kIo when it cannot be written.
  core::Status open_json(const std::string& json_path);
  bool has_json() const { return json_.has_value(); }
  // The members that every document starts with; `status` is done, interrupted or failed.
  nlohmann::ordered_json head(const char* status, ExitCode code) const;
  // Writes `document`, the second form with `intervals` as its last member. May be done again.
  core::Status write(const nlohmann::ordered_json& document);
  core::Status write(const nlohmann::ordered_json& document,
                     const measure::IntervalSpool& intervals);

  // Says on standard error, and in the document, that nothing was measured and why.
  ExitCode fail(const core::Error& error);
  // The code of a command that has ended: one that is done falls short when its document could not
  // be written, which is then said.
  ExitCode finish(ExitCode code, const core::Status& written) const;

 private:
  Measured measured_;
  nlohmann::ordered_json config_ = nullptr;
  std::optional<report::JsonFile> json_;
};

// Says what is wrong with a command line on standard error, and as a document where it asked for
// JSON: `json_path` is `-`, or a file that is not there yet. An older result is left alone.
ExitCode report_usage_error(const core::Error& error, const std::string& json_path,
                            Measured measured);

// For people, on standard error.
void print_error(const core::Error& error);
void print_note(const std::string& text);

// Members of a document. Of an embedded server that is not wanted: null.
nlohmann::ordered_json embedded_json(const EmbeddedOptions& embedded);
nlohmann::ordered_json server_json(const bench::ServerInfo& server,
                                   const EmbeddedOptions& embedded);
nlohmann::ordered_json late_error_json(const std::optional<core::Error>& error);

// Starts the server that `embedded` asks for, if it does, says so, and points `config` to it.
core::Result<std::optional<EmbeddedServer>> start_embedded(const EmbeddedOptions& embedded,
                                                           bench::ServerConfig& config);

}  // namespace cqlperf::cli
