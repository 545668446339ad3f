#include "cli/console.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"
#include "report/run_line.h"
#include "report/run_table.h"

namespace cqlperf::cli {
namespace {

size_t terminal_width() {
  winsize size = {};
  constexpr size_t kUsualWidth = 80;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return size.ws_col;
}

}  // namespace

Console::Console(bool run_lines, std::function<void(const bench::RunResult&)> on_result)
    : run_lines_(run_lines),
      on_result_(std::move(on_result)),
      terminal_(isatty(STDERR_FILENO) == 1) {}

void Console::print(const std::string& text) {
  clear_status();
  std::fputs(text.c_str(), stderr);
}

void Console::on_note(const std::string& line) {
  print("cqlperf: " + core::printable(line) + "\n");
}

void Console::on_server(const bench::ServerInfo& server) {
  if (run_lines_) return;
  std::string nodes;
  for (const std::string& node : server.nodes) nodes += (nodes.empty() ? "" : ", ") + node;
  const bool is_compressed = server.compression != protocol::Compression::kNone;
  const std::string compression =
      is_compressed ? fmt::format(" with {}", protocol::compression_name(server.compression)) : "";
  print("cqlperf: " +
        core::printable(fmt::format("cluster {}, release {}, protocol v{}{}: load goes to {}",
                                    server.cluster, server.release, server.protocol, compression,
                                    nodes)) +
        "\n");
}

void Console::on_phase(const bench::PhaseInfo& phase) {
  phase_ = phase;
  done_ = 0;
  if (!run_lines_) print(fmt::format("{}\n{}", phase.name, report::run_table_head()));
}

void Console::on_row(const measure::IntervalRow& row) {
  done_ += row.done + row.errors;
  if (run_lines_) return;
  print(report::run_table_row(row));
  show_status(row);
}

void Console::on_run_line(const executor::RunLine& line) {
  const std::string text = report::run_line(line.wall_ns, std::llround(line.throughput),
                                            std::llround(line.avg_latency_ns.value_or(0)));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void Console::on_result(const bench::RunResult& result) {
  clear_status();
  on_result_(result);
}

void Console::show_status(const measure::IntervalRow& row) {
  if (!terminal_) return;
  const report::Progress progress{.done = done_,
                                  .total = phase_.operations,
                                  .elapsed_s = row.start_s + row.length_s,
                                  .total_s = phase_.seconds,
                                  .rate = row.rate};
  std::fputs(report::progress_line(progress, terminal_width() - 1).c_str(), stderr);
  status_shown_ = true;
}

void Console::clear_status() {
  // Back to the start of the line, and erase it (ECMA-48 EL).
  if (status_shown_) std::fputs("\r\x1b[K", stderr);
  status_shown_ = false;
}

}  // namespace cqlperf::cli
