#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/distinct.h"
#include "measure/errors.h"
#include "measure/histogram.h"
#include "measure/sample.h"
#include "measure/shortfall.h"

namespace cqlperf::measure {

struct PercentileValue {
  double percentile = 0;  // 0 to 100
  std::optional<int64_t> value_ns;
};

// The statistics of one histogram. All but the counts are absent when nothing was recorded.
// Percentiles are never above the maximum, which is exact.
struct LatencyStats {
  uint64_t count = 0;
  uint64_t over_range = 0;  // values above 1 h, which count as 1 h
  std::optional<double> mean_ns;
  std::optional<int64_t> min_ns;
  std::optional<int64_t> p50_ns;
  std::optional<int64_t> p90_ns;
  std::optional<int64_t> p99_ns;
  std::optional<int64_t> p99_9_ns;
  std::optional<int64_t> max_ns;
  std::vector<PercentileValue> extra;  // those that the user asked for, in that order
};

LatencyStats latency_stats(const Histogram& histogram, std::span<const double> extra_percentiles);

// `p50`, `p99_9`, `p99_991`: a name that differs for any two different percentiles.
std::string percentile_name(double percentile);

// One kind of operation (insert, read), when a workload has several.
struct KindSummary {
  std::string name;
  LatencyStats response;
  LatencyStats service;
};

// What a run did in its measured time. Plain values, made once by Collector::summary().
struct Summary {
  double measured_seconds = 0;
  double asked_rate = 0;     // 0: none
  double achieved_rate = 0;  // successful operations per second
  uint64_t operations = 0;   // successful
  uint64_t errors = 0;
  std::vector<ErrorCount> errors_by_kind;
  uint64_t due = 0;
  uint64_t sent = 0;
  uint64_t late = 0;
  uint64_t skipped = 0;
  uint64_t unsent = 0;            // due, but neither sent nor skipped when the time was over
  uint64_t in_flight_at_end = 0;  // sent, but without an answer when the time was over
  int64_t lag_max_ns = 0;
  int64_t process_cpu_ns = 0;
  double busiest_worker_cpu = 0;  // share of one core over the whole time
  std::optional<double> client_cpu_us_per_operation;
  LatencyStats response;
  LatencyStats service;
  LatencyStats failed_response;
  std::vector<KindSummary> kinds;
  std::optional<DistinctCount> distinct_keys;
  Shortfall shortfall;
  bool interrupted = false;
  bool gave_up = false;  // the server had answered nothing for the stall time-out
};

}  // namespace cqlperf::measure
