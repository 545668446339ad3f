#include "cli/console.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "report/run_line.h"
#include "report/run_table.h"

namespace cqlperf::cli {
Console::Console(bool run_lines, std::function<void(const bench::RunResult&)> on_result)
    : run_lines_(run_lines), on_result_(std::move(on_result)) {}

void Console::on_note(const std::string& line) {
  status_.print("cqlperf: " + core::printable(line) + "\n");
}

void Console::on_server(const bench::ServerInfo& server) {
  if (!run_lines_) status_.print("cqlperf: " + server_line(server) + "\n");
}

void Console::on_phase(const bench::PhaseInfo& phase) {
  phase_ = phase;
  done_ = 0;
  if (!run_lines_) status_.print(fmt::format("{}\n{}", phase.name, report::run_table_head()));
}

void Console::on_row(const measure::IntervalRow& row) {
  done_ += row.done + row.errors;
  if (run_lines_) return;
  status_.print(report::run_table_row(row));
  show_status(row);
}

void Console::on_run_line(const executor::RunLine& line) {
  const std::string text = report::run_line(line.wall_ns, std::llround(line.throughput),
                                            std::llround(line.avg_latency_ns.value_or(0)));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void Console::on_result(const bench::RunResult& result) {
  status_.clear();
  on_result_(result);
}

void Console::show_status(const measure::IntervalRow& row) {
  const report::Progress progress{.done = done_,
                                  .total = phase_.operations,
                                  .elapsed_s = row.start_s + row.length_s,
                                  .total_s = phase_.seconds,
                                  .rate = row.rate};
  status_.show(report::progress_line(progress, status_.width()));
}

}  // namespace cqlperf::cli
