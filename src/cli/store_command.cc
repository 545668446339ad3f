#include "cli/store_command.h"

#include <utility>

#include "bench/store.h"
#include "cli/command_report.h"
#include "cli/store_console.h"
#include "cli/store_options.h"
#include "report/store_json.h"

namespace cqlperf::cli {
namespace {

using nlohmann::ordered_json;

ordered_json config_json(const bench::StoreConfig& config, const EmbeddedOptions& embedded) {
  ordered_json json = store_config_json(config);
  json["embedded"] = embedded_json(embedded);
  return json;
}

ordered_json result_document(const CommandReport& report, ExitCode code,
                             const bench::StoreResult& result, const EmbeddedOptions& embedded) {
  ordered_json document =
      report.head(code == ExitCode::kInterrupted ? "interrupted" : "done", code);
  document["server"] = server_json(result.server, embedded);
  document["error"] = late_error_json(result.late_error);
  document["suites"] = ordered_json::array();
  for (const measure::StoreSuiteResult& suite : result.suites)
    document["suites"].push_back(report::store_suite_json(suite));
  return document;
}

}  // namespace

ExitCode store_command(bench::StoreConfig config, const EmbeddedOptions& embedded) {
  CommandReport report(Measured::kStore);
  report.set_config(config_json(config, embedded));
  if (auto opened = report.open_json(config.json_path); !opened) return report.fail(opened.error());
  auto server = start_embedded(embedded, config);
  if (!server) return report.fail(server.error());
  if (*server) config.data_directory = (*server)->data_root();
  report.set_config(config_json(config, embedded));  // with the server's address

  StoreConsole console(config, embedded);
  const auto result = bench::run_store(config, console);
  if (!result) return report.fail(result.error());
  console.finish(*result);
  if (result->late_error) print_error(*result->late_error);
  const ExitCode code = exit_code(config, *result);
  return report.finish(code, report.write(result_document(report, code, *result, embedded)));
}

}  // namespace cqlperf::cli
