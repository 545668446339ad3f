#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "measure/forms_result.h"

namespace cqlperf::report {

// A round of ten seconds at `rate`, as a server with 50 requests in flight would do it.
inline measure::CellRound sample_round(uint32_t number, double rate) {
  measure::CellRound round;
  round.round = number;
  measure::Summary& summary = round.summary;
  summary.measured_seconds = 10;
  summary.achieved_rate = rate;
  summary.operations = static_cast<uint64_t>(rate * 10);
  summary.response.mean_ns = 50e9 / rate;
  summary.response.p99_ns = static_cast<int64_t>(400e9 / rate);
  summary.client_cpu_us_per_operation = 1.5;
  round.bytes_sent_per_operation = 180;
  round.bytes_received_per_operation = 21;
  round.verification = measure::CellVerification{
      .expected = summary.operations, .found = summary.operations, .checked = summary.operations};
  for (int second = 0; second < 10; ++second)
    round.points.push_back({.start_s = static_cast<double>(second),
                            .length_s = 1,
                            .rate = rate * (1 + 0.05 * std::sin(second + rate))});
  return round;
}

// Rounds at these rates, and response times about 50 / rate with a long tail.
inline measure::FormCell sample_cell(measure::Form form, const std::vector<double>& rates) {
  measure::FormCell cell{.form = form};
  for (const double rate : rates)
    cell.rounds.push_back(sample_round(static_cast<uint32_t>(cell.rounds.size()), rate));
  if (rates.empty()) return cell;
  for (int i = 0; i < 30'000; ++i) {
    const double quantile = (i + 0.5) / 30'000;
    const double latency_s = 30 / rates.front() * (0.6 - std::log(1 - quantile) * 0.4);
    cell.response.record(static_cast<int64_t>(latency_s * 1e9 * (i % 997 == 0 ? 8 : 1)));
  }
  return cell;
}

// Three rounds of all forms, two of them not available.
inline measure::FormsResult sample_result() {
  using measure::Form;
  measure::FormsResult result;
  result.rounds = 3;
  measure::FormScenarioResult& scenario = result.scenarios.emplace_back();
  scenario.title = "Inserts, 1,000,000 rows x 5 columns";
  scenario.cells = {
      sample_cell(Form::kRpc, {20'000, 20'100, 19'900}),
      sample_cell(Form::kRpcCql, {15'500, 15'400, 15'600}),
      measure::FormCell{.form = Form::kRpcPreparedStrings,
                        .not_available = "no strings | in <this> scenario"},
      sample_cell(Form::kRpcPrepared, {20'050, 20'200, 19'980}),
      sample_cell(Form::kCql, {17'000, 17'080, 17'020}),
      sample_cell(Form::kCqlBound, {18'000, 18'200, 17'900}),
      measure::FormCell{.form = Form::kPreparedStrings, .not_available = "no JSON on this server"},
      sample_cell(Form::kPrepared, {25'000, 25'300, 24'900})};
  return result;
}

}  // namespace cqlperf::report
