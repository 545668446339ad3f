#include "report/summary_text.h"

#include <fmt/format.h>

#include "core/text.h"
#include "core/units.h"
#include "report/figures.h"

namespace cqlperf::report {
namespace {

using core::format_duration_ns;
using measure::LatencyStats;
using measure::Summary;

std::string labelled(std::string_view label, const std::string& text) {
  return fmt::format("  {:<17}{}\n", label, text);
}

std::string operations_lines(const Summary& summary) {
  std::string text = labelled(
      "operations", fmt::format("{} in {:.2f} s, {} errors{}", count_text(summary.operations),
                                summary.measured_seconds, count_text(summary.errors),
                                summary.interrupted ? "; interrupted" : ""));
  std::string rate = fmt::format("{} achieved", core::format_rate(summary.achieved_rate));
  if (summary.asked_rate > 0) {
    rate += fmt::format(", {} asked", core::format_rate(summary.asked_rate));
    rate += fmt::format(" ({:.2f} %)", 100 * summary.achieved_rate / summary.asked_rate);
  }
  text += labelled("rate", rate);
  if (!summary.shortfall.sentence.empty()) text += labelled("", summary.shortfall.sentence);
  return text;
}

std::string latency_row(std::string_view label, const LatencyStats& stats) {
  std::string row = fmt::format("  {:<17}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}", label,
                                latency_text(stats.mean_ns), latency_text(stats.p50_ns),
                                latency_text(stats.p90_ns), latency_text(stats.p99_ns),
                                latency_text(stats.p99_9_ns), latency_text(stats.max_ns));
  for (const auto& extra : stats.extra) row += fmt::format("{:>12}", latency_text(extra.value_ns));
  return row + "\n";
}

std::string latency_table(const Summary& summary) {
  std::string text = fmt::format("  {:<17}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}", "", "mean", "p50",
                                 "p90", "p99", "p99.9", "max");
  for (const auto& extra : summary.response.extra)
    text += fmt::format("{:>12}", fmt::format("p{:g}", extra.percentile));
  text += "\n";
  text += latency_row("response time", summary.response);
  text += latency_row("service time", summary.service);
  if (summary.kinds.size() > 1)
    for (const auto& kind : summary.kinds) {
      text += latency_row(kind.name + " response", kind.response);
      text += latency_row(kind.name + " service", kind.service);
    }
  if (summary.failed_response.count > 0)
    text += latency_row("failed, response", summary.failed_response);
  if (summary.response.over_range > 0)
    text += labelled("", fmt::format("{} response times were over 1 h and count as 1 h",
                                     count_text(summary.response.over_range)));
  return text;
}

std::string cost_lines(const Summary& summary) {
  const double cores = summary.measured_seconds > 0 ? static_cast<double>(summary.process_cpu_ns) /
                                                          1e9 / summary.measured_seconds
                                                    : 0;
  const auto& per_operation = summary.client_cpu_us_per_operation;
  std::string text = labelled(
      "client CPU", fmt::format("{} us per operation, {:.2f} cores, busiest worker {:.0f} %, "
                                "longest loop lag {}",
                                per_operation ? fmt::format("{:.2f}", *per_operation) : "-", cores,
                                summary.busiest_worker_cpu * 100,
                                format_duration_ns(static_cast<double>(summary.lag_max_ns))));
  text += labelled("schedule",
                   fmt::format("{} due, {} sent, {} late, {} skipped, {} unsent, {} unanswered",
                               count_text(summary.due), count_text(summary.sent),
                               count_text(summary.late), count_text(summary.skipped),
                               count_text(summary.unsent), count_text(summary.in_flight_at_end)));
  if (summary.distinct_keys) {
    const auto& distinct = *summary.distinct_keys;
    text += labelled("distinct keys",
                     distinct.exact
                         ? fmt::format("{} written", count_text(distinct.count))
                         : fmt::format("about {} written (estimate, +-{:.2f} %)",
                                       count_text(distinct.count), 100 * distinct.relative_error));
  }
  return text;
}

}  // namespace

std::string error_lines(const std::vector<measure::ErrorCount>& errors) {
  std::string text;
  for (const auto& error : errors)
    text += fmt::format("  {:>10} {}: {}\n", count_text(error.count), error.kind,
                        core::printable(error.first_message));
  if (!text.empty()) text = "\n  errors by kind, with the first message of each\n" + text;
  return text;
}

std::string summary_text(const Summary& summary) {
  return operations_lines(summary) + "\n" + latency_table(summary) + "\n" + cost_lines(summary) +
         error_lines(summary.errors_by_kind);
}

}  // namespace cqlperf::report
