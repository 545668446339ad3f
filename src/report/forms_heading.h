#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/forms_result.h"

namespace cqlperf::report {

// What stands above the tables of a comparison. The caller keeps secrets out of it.
struct FormsHeading {
  std::vector<std::pair<std::string, std::string>> facts;  // `server`: `Cassandra 3.11.19, ...`
  std::string command;                                     // as it was called
};

enum class ChartKind { kRate, kLatency };
inline constexpr ChartKind kChartKinds[] = {ChartKind::kRate, ChartKind::kLatency};

// `inserts-rate`: the name of a chart's files, without `.svg` or `.png`.
inline std::string chart_name(measure::FormScenario scenario, ChartKind kind) {
  return std::string(measure::form_scenario_name(scenario)) +
         (kind == ChartKind::kRate ? "-rate" : "-latency");
}

}  // namespace cqlperf::report
