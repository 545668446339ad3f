#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/forms.h"
#include "cli/status_line.h"

namespace cqlperf::cli {

// Shows how a comparison goes on: notes, a line for each cell, and on a terminal a status line
// under them, on standard error; each scenario's table on standard output as soon as it is done.
class FormsConsole final : public bench::FormsListener {
 public:
  explicit FormsConsole(const bench::FormsConfig& config);

  void on_note(const std::string& line) override;
  void on_server(const bench::ServerInfo& server) override;
  void on_plan(uint64_t cells, double seconds) override;
  void on_progress(const bench::FormsProgress& progress) override;
  void on_row(const bench::FormsProgress& progress, const measure::IntervalRow& row) override;
  void on_round(const bench::FormsProgress& progress, const measure::CellRound& round) override;
  void on_scenario(const measure::FormScenarioResult& result) override;

  // Prints in the place of results: standard output, or standard error when the JSON document has
  // that.
  void print_result(const std::string& text);

 private:
  std::string remaining(const bench::FormsProgress& progress) const;

  const bench::FormsConfig& config_;
  std::FILE* out_;
  StatusLine status_;
  double planned_seconds_ = 0;
  int64_t start_ns_;
};

}  // namespace cqlperf::cli
