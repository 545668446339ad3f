#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/store.h"
#include "cli/embedded.h"
#include "cli/status_line.h"

namespace cqlperf::cli {

// Shows how a store suite goes on. The block, phase by phase, and the table under it go to standard
// output, or to standard error when the JSON document has standard output; progress and notes to
// standard error. Called as cassandra_store_stress the block alone is on standard output, and what
// is wrong on standard error.
class StoreConsole final : public bench::StoreListener {
 public:
  StoreConsole(const bench::StoreConfig& config, const EmbeddedOptions& embedded);

  void on_note(const std::string& line) override;
  void on_server(const bench::ServerInfo& server) override;
  void on_suite(const measure::StoreSuiteResult& result) override;
  void on_phase(const bench::StoreProgress& progress) override;
  void on_progress(const bench::StoreProgress& progress, const measure::IntervalRow& row) override;
  void on_phase_result(const measure::StorePhaseResult& result) override;

  // All is over: shows what is left to show.
  void finish(const bench::StoreResult& result);

 private:
  // Prints in the place of results, or, for what is beside the block, where that belongs.
  void print_result(const std::string& text);
  void print_beside(const std::string& text);
  // The table, and what is wrong; nothing when that was shown.
  void end_suite();

  const bench::StoreConfig& config_;
  const EmbeddedOptions& embedded_;
  std::FILE* out_;
  StatusLine status_;
  uint64_t value_bytes_ = 0;
  std::vector<measure::StorePhaseResult> phases_;  // of the suite, until they are shown
};

}  // namespace cqlperf::cli
