#include "cli/store_console.h"

#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "report/store_block.h"
#include "report/store_progress.h"
#include "report/store_text.h"

namespace cqlperf::cli {
namespace {

report::StoreBar bar_of(const bench::StoreProgress& progress, uint64_t value_bytes, double rate) {
  return {.phase = progress.phase,
          .keys = progress.keys,
          .keys_total = progress.keys_total,
          .value_bytes = value_bytes,
          .seconds = progress.seconds,
          .bytes_per_second = progress.bytes_per_second,
          .requests_per_second = rate};
}

}  // namespace

StoreConsole::StoreConsole(const bench::StoreConfig& config, const EmbeddedOptions& embedded)
    : config_(config), embedded_(embedded), out_(config.json_path == "-" ? stderr : stdout) {}

void StoreConsole::on_note(const std::string& line) {
  status_.print("cqlperf: " + core::printable(line) + "\n");
}

void StoreConsole::on_server(const bench::ServerInfo& server) {
  if (!config_.seed_block_only) status_.print("cqlperf: " + server_line(server) + "\n");
}

void StoreConsole::on_suite(const measure::StoreSuiteResult& result) {
  end_suite();
  value_bytes_ = result.value_bytes;
  print_result(report::store_block_head(result));
}

void StoreConsole::on_phase(const bench::StoreProgress& progress) {
  if (progress.phase == measure::StorePhase::kTruncate)
    status_.show("truncate");
  else
    status_.show(report::store_bar(bar_of(progress, value_bytes_, 0), status_.width()));
}

void StoreConsole::on_progress(const bench::StoreProgress& progress,
                               const measure::IntervalRow& row) {
  const report::StoreBar bar = bar_of(progress, value_bytes_, row.rate);
  if (status_.is_terminal())
    status_.show(report::store_bar(bar, status_.width()));
  else if (!config_.seed_block_only)
    status_.print(report::store_progress_line(bar));
}

void StoreConsole::on_phase_result(const measure::StorePhaseResult& result) {
  print_result(report::store_block_phase(result));
  phases_.push_back(result);
  // The table does not wait for the clean-up, which may take long.
  if (phases_.size() == config_.phases.size()) end_suite();
}

void StoreConsole::end_suite() {
  const auto phases = std::exchange(phases_, {});
  if (phases.empty()) return;
  std::string text;
  const std::string where = embedded_.enabled ? " (" + describe(embedded_) + ")" : "";
  if (!config_.seed_block_only)
    text = fmt::format("\nstore{}\n{}", where, report::store_table(phases));
  for (const auto& phase : phases)
    if (const std::string findings = report::store_findings(phase); !findings.empty())
      text += "\n" + findings;
  if (!config_.seed_block_only) text += "\n";
  if (!text.empty()) print_beside(text);
}

void StoreConsole::finish(const bench::StoreResult& result) {
  end_suite();
  const std::string sizes = report::store_sizes_table(result.suites);
  if (!sizes.empty()) print_beside(sizes);
  const bool interrupted = !result.suites.empty() && result.suites.back().interrupted;
  if (interrupted) status_.print("cqlperf: interrupted: the figures are of what was done\n");
}

void StoreConsole::print_result(const std::string& text) {
  status_.clear();
  std::fputs(text.c_str(), out_);
  std::fflush(out_);
}

void StoreConsole::print_beside(const std::string& text) {
  if (config_.seed_block_only)
    status_.print(text);
  else
    print_result(text);
}

}  // namespace cqlperf::cli
