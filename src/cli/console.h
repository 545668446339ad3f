#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/run.h"
#include "cli/status_line.h"

namespace cqlperf::cli {

// Shows how a run goes on, on standard error: notes, the progress table, and on a terminal a status
// line under it. In the form of cql_stress it prints that tool's lines on standard output, and only
// the notes on standard error.
class Console final : public bench::RunListener {
 public:
  // `on_result` is given the result when all is measured.
  Console(bool run_lines, std::function<void(const bench::RunResult&)> on_result);

  void on_note(const std::string& line) override;
  void on_server(const bench::ServerInfo& server) override;
  void on_phase(const bench::PhaseInfo& phase) override;
  void on_row(const measure::IntervalRow& row) override;
  void on_run_line(const executor::RunLine& line) override;
  void on_result(const bench::RunResult& result) override;

 private:
  void show_status(const measure::IntervalRow& row);

  bool run_lines_;
  std::function<void(const bench::RunResult&)> on_result_;
  StatusLine status_;
  bench::PhaseInfo phase_;
  uint64_t done_ = 0;
};

}  // namespace cqlperf::cli
