#include "report/run_table.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/units.h"
#include "report/figures.h"

namespace cqlperf::report {
namespace {

// The part that is done, by count or by time, whichever is further; empty when neither is known.
std::optional<double> share_done(const Progress& progress) {
  std::optional<double> share;
  if (progress.total > 0)
    share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  if (progress.total_s > 0)
    share = std::max(share.value_or(0.0), progress.elapsed_s / progress.total_s);
  if (share) share = std::min(*share, 1.0);
  return share;
}

}  // namespace

std::string run_table_head() {
  return fmt::format(
      "{:>8} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>5}\n", "time",
      "done", "rate/s", "target", "mean", "p50", "p99", "p99.9", "max", "errors", "flying", "late",
      "CPU");
}

std::string run_table_row(const measure::IntervalRow& row) {
  const auto& response = row.response;
  constexpr double kShortIntervalSeconds = 0.095;
  const int decimals = row.length_s < kShortIntervalSeconds ? 2 : 1;
  const double cpu_share =
      row.length_s > 0 ? static_cast<double>(row.process_cpu_ns) / 1e9 / row.length_s : 0;
  return fmt::format(
      "{:>7.{}f}s {:>10} {:>9.0f} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} "
      "{:>4.0f}%\n",
      row.start_s + row.length_s, decimals, row.done, row.rate,
      row.target_rate > 0 ? fmt::format("{:.6g}", row.target_rate) : "-",
      latency_text(response.mean_ns), latency_text(response.p50_ns), latency_text(response.p99_ns),
      latency_text(response.p99_9_ns), latency_text(response.max_ns), row.errors, row.in_flight,
      row.late, cpu_share * 100);
}

std::string progress_line(const Progress& progress, size_t width) {
  const auto share = share_done(progress);
  std::string line =
      fmt::format("{} done", core::format_count(static_cast<int64_t>(progress.done)));
  if (share) line += fmt::format(", {:.0f}%", *share * 100);
  line += fmt::format(", {}", core::format_rate(progress.rate));
  if (share && *share > 0)
    line += fmt::format(", {} left", clock_text(progress.elapsed_s * (1 - *share) / *share));
  return line.substr(0, width);
}

}  // namespace cqlperf::report
