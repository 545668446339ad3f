#include "cli/forms_console.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/clock.h"
#include "core/text.h"
#include "report/figures.h"
#include "report/forms_text.h"

namespace cqlperf::cli {
namespace {

std::string cell_name(const bench::FormsProgress& progress) {
  return fmt::format("{} {}", measure::form_scenario_name(progress.scenario),
                     measure::form_name(progress.form));
}

}  // namespace

FormsConsole::FormsConsole(const bench::FormsConfig& config)
    : config_(config),
      out_(config.json_path == "-" ? stderr : stdout),
      start_ns_(core::steady_clock().now_ns()) {}

void FormsConsole::on_note(const std::string& line) {
  status_.print("cqlperf: " + core::printable(line) + "\n");
}

void FormsConsole::on_server(const bench::ServerInfo& server) {
  status_.print("cqlperf: " + server_line(server) + "\n");
}

void FormsConsole::on_plan(uint64_t cells, double seconds) {
  planned_seconds_ = seconds;
  const std::string time = config_.duration_ns && !config_.count
                               ? fmt::format(", about {}", report::clock_text(seconds))
                               : "";
  status_.print(fmt::format("cqlperf: {} cells to be measured, {} round{}{}\n", cells,
                            config_.rounds, config_.rounds == 1 ? "" : "s", time));
}

void FormsConsole::on_progress(const bench::FormsProgress& progress) {
  status_.show(
      fmt::format("{}/{} {}: {}", progress.cell, progress.cells, cell_name(progress), progress.step)
          .substr(0, status_.width()));
}

std::string FormsConsole::remaining(const bench::FormsProgress& progress) const {
  const double passed =
      static_cast<double>(core::steady_clock().now_ns() - start_ns_) / core::kNanosPerSecond;
  const double left = progress.cell == 0 ? planned_seconds_ - passed
                                         : passed / static_cast<double>(progress.cell) *
                                               static_cast<double>(progress.cells - progress.cell);
  return report::clock_text(std::max(0.0, left));
}

void FormsConsole::on_row(const bench::FormsProgress& progress, const measure::IntervalRow& row) {
  if (!status_.is_terminal()) return;
  status_.show(fmt::format("{}/{} {}: {}/s, {} left", progress.cell, progress.cells,
                           cell_name(progress), report::count_text(static_cast<uint64_t>(row.rate)),
                           remaining(progress))
                   .substr(0, status_.width()));
}

void FormsConsole::on_round(const bench::FormsProgress& progress, const measure::CellRound& round) {
  const measure::Summary& summary = round.summary;
  const std::string errors =
      summary.errors > 0 ? fmt::format(", {} errors", report::count_text(summary.errors)) : "";
  const std::string problem = round.problem ? ", " + core::printable(*round.problem) : "";
  const std::string partial = round.interrupted ? ", interrupted" : "";
  status_.print(
      fmt::format("{:>3}/{}  round {}  {:<9}{:<21}{:>10}/s  p99 {}{}{}{}\n", progress.cell,
                  progress.cells, round.round + 1, measure::form_scenario_name(progress.scenario),
                  measure::form_name(progress.form),
                  report::count_text(static_cast<uint64_t>(summary.achieved_rate + 0.5)),
                  report::latency_text(summary.response.p99_ns), errors, problem, partial));
}

// In the markup of JIRA all of it comes at the end.
void FormsConsole::on_scenario(const measure::FormScenarioResult& result) {
  if (!config_.jira) print_result(report::forms_text(result, config_.rounds) + "\n");
}

void FormsConsole::print_result(const std::string& text) {
  status_.clear();
  std::fputs(text.c_str(), out_);
  std::fflush(out_);
}

}  // namespace cqlperf::cli
