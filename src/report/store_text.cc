#include "report/store_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "report/figures.h"
#include "report/summary_text.h"

namespace cqlperf::report {
namespace {

using measure::RowFault;
using measure::StorePhase;
using measure::StorePhaseResult;
using measure::StoreSuiteResult;
using measure::Summary;

constexpr std::string_view kRow =
    "  {:<8}{:>8}{:>8}{:>7}{:>8}{:>8}{:>8}{:>8}{:>7}{:>8}{:>7}{:>6}{:>7}\n";

constexpr const char* kUnits =
    "  MB/s is 10^6 bytes of values per second. In the block GB is 2^30 bytes and MBps 10^6 bytes\n"
    "  per second, as the figures of the program have it whose lines these are.\n"
    "  Response times are those of requests, which are pages in a read. CPU is this program's "
    "own.\n";
constexpr const char* kTruncateUnits =
    "  A truncate moves no data: its MB/s is what was in the table by the time that it took.\n";

// Four significant digits of what is not small: `0.00036`, `0.384`, `61.09`, `2600`.
std::string figure(double value) {
  if (value > 0 && value < 0.0995) return fmt::format("{:.5f}", value);
  const int decimals = value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string figure_per(double amount, double per) { return per > 0 ? figure(amount / per) : "-"; }

// What the table says of the requests of a phase; dashes when it has none, or read no pages.
struct RequestCells {
  std::string p50 = "-", p99 = "-", p99_9 = "-", max = "-", errors = "-", cores = "-",
              cpu_per_key = "-";
};

RequestCells request_cells(const StorePhaseResult& phase) {
  if (!phase.requests) return {};
  const Summary& requests = *phase.requests;
  const double cpu_us = static_cast<double>(requests.process_cpu_ns) / 1e3;
  return {.p50 = latency_text(requests.response.p50_ns),
          .p99 = latency_text(requests.response.p99_ns),
          .p99_9 = latency_text(requests.response.p99_9_ns),
          .max = latency_text(requests.response.max_ns),
          .errors = fmt::format("{}", requests.errors),
          .cores = phase.seconds > 0 ? fmt::format("{:.2f}", cpu_us / 1e6 / phase.seconds) : "-",
          .cpu_per_key = figure_per(cpu_us, static_cast<double>(phase.keys))};
}

std::string table_row(const StorePhaseResult& phase) {
  const RequestCells cells = request_cells(phase);
  const bool is_read = phase.phase == StorePhase::kRead;
  const bool has_keys = phase.phase != StorePhase::kTruncate;
  const bool moved = phase.payload_bytes > 0 && (has_keys || phase.complete);
  const auto keys = static_cast<double>(phase.keys);
  const double megabytes = static_cast<double>(phase.payload_bytes) / 1e6;
  return fmt::format(
      fmt::runtime(kRow), measure::store_phase_name(phase.phase), figure(phase.seconds),
      has_keys ? figure_per(keys, phase.seconds) : "-",
      moved ? figure_per(megabytes, phase.seconds) : "-", cells.p50, cells.p99, cells.p99_9,
      cells.max, cells.errors, has_keys ? fmt::format("{}", phase.retried) : "-",
      is_read ? fmt::format("{}", phase.pages) : "-", cells.cores, cells.cpu_per_key);
}

bool is_right(const StorePhaseResult& phase) {
  return phase.complete && phase.verification.ok() && phase.missing_ranges.empty();
}

// What a read that is right has shown; empty for any other phase.
std::string verified_line(const StorePhaseResult& phase) {
  if (phase.phase != StorePhase::kRead || !is_right(phase)) return {};
  const std::string keys = count_text(phase.keys);
  if (!phase.verified)
    return fmt::format("  read: {} keys counted, none missing or extra; values not compared\n",
                       keys);
  return fmt::format("  read: {} keys, every value compared: none missing, short, wrong or extra\n",
                     keys);
}

std::string fault_line(std::string_view name, const RowFault& fault) {
  std::string keys;
  for (const int64_t key : fault.first_keys)
    keys += fmt::format("{}{}", keys.empty() ? ": " : ", ", key);
  if (fault.count > fault.first_keys.size() && !keys.empty()) keys += ", ...";
  return fmt::format("  {:>10} {}{}\n", count_text(fault.count), name, keys);
}

std::string fault_lines(const StorePhaseResult& phase) {
  const measure::Verification& found = phase.verification;
  if (found.ok()) return {};
  return "  rows that are not as they were written, with the first keys of each\n" +
         fault_line("missing", found.missing) + fault_line("short", found.short_row) +
         fault_line("wrong", found.wrong) + fault_line("extra", found.extra);
}

std::string range_lines(const StorePhaseResult& phase) {
  if (phase.missing_ranges.empty()) return {};
  std::string text = fmt::format("  token ranges that were not read to their end, {} of {}\n",
                                 count_text(phase.missing_ranges.size()), count_text(phase.ranges));
  for (const measure::TokenRange& range : phase.missing_ranges)
    text +=
        fmt::format("    ({}, {}]: {}\n", range.after, range.up_to, core::printable(range.reason));
  return text;
}

const StorePhaseResult* truncate_of(const StoreSuiteResult& suite) {
  const auto found = std::ranges::find_if(suite.phases, [](const StorePhaseResult& phase) {
    return phase.phase == StorePhase::kTruncate && phase.complete;
  });
  return found == suite.phases.end() ? nullptr : &*found;
}

struct SizeRow {
  uint64_t bytes;  // that were in the table
  uint64_t keys;
  double seconds;
};

std::string size_line(const SizeRow& row, const SizeRow& smallest) {
  const std::string size = core::format_byte_size(static_cast<int64_t>(row.bytes));
  const std::string bandwidth = figure_per(static_cast<double>(row.bytes) / 1e6, row.seconds);
  const bool has_ratio = smallest.seconds > 0;
  return fmt::format("  {:>12}{:>16}{:>12.4f}{:>12}{:>20}\n", size, count_text(row.keys),
                     row.seconds, bandwidth,
                     has_ratio ? fmt::format("{:.2f}", row.seconds / smallest.seconds) : "-");
}

}  // namespace

std::string store_table(const std::vector<StorePhaseResult>& phases) {
  std::string text = fmt::format(fmt::runtime(kRow), "", "seconds", "keys/s", "MB/s", "p50", "p99",
                                 "p99.9", "max", "errors", "retried", "pages", "cores", "us/key");
  for (const StorePhaseResult& phase : phases) text += table_row(phase);
  text += "\n";
  for (const StorePhaseResult& phase : phases) text += verified_line(phase);
  text += kUnits;
  const auto is_truncate = [](const auto& phase) { return phase.phase == StorePhase::kTruncate; };
  if (std::ranges::any_of(phases, is_truncate)) text += kTruncateUnits;
  return text;
}

std::string store_findings(const StorePhaseResult& phase) {
  std::string text;
  if (phase.problem || !phase.complete)
    text = fmt::format("  {}\n", core::printable(phase.problem.value_or("it was not completed")));
  text += fault_lines(phase) + range_lines(phase);
  if (phase.requests) {
    const std::string errors = error_lines(phase.requests->errors_by_kind);
    text += text.empty() && !errors.empty() ? errors.substr(1) : errors;
  }
  if (text.empty()) return {};
  const char* verdict = !phase.complete    ? "NOT COMPLETE"
                        : !is_right(phase) ? "NOT RIGHT"
                                           : "complete, with errors on the way";
  return fmt::format("{}: {}\n{}", measure::store_phase_name(phase.phase), verdict, text);
}

std::string store_sizes_table(const std::vector<StoreSuiteResult>& suites) {
  std::vector<SizeRow> rows;
  for (const StoreSuiteResult& suite : suites)
    if (const StorePhaseResult* truncate = truncate_of(suite))
      rows.push_back({truncate->payload_bytes, truncate->keys_expected, truncate->seconds});
  if (rows.size() < 2) return {};
  std::ranges::stable_sort(rows, {}, &SizeRow::bytes);
  const SizeRow& smallest = rows.front();
  const SizeRow& largest = rows.back();
  std::string text = fmt::format("truncate against size\n  {:>12}{:>16}{:>12}{:>12}{:>20}\n",
                                 "in the table", "keys", "seconds", "MBps", "time to smallest's");
  for (const SizeRow& row : rows) text += size_line(row, smallest);
  if (smallest.bytes > 0 && smallest.seconds > 0)
    text += fmt::format("  the largest over the smallest: {} times the data, {} times the time\n",
                        figure(static_cast<double>(largest.bytes) / smallest.bytes),
                        figure(largest.seconds / smallest.seconds));
  return text;
}

}  // namespace cqlperf::report
