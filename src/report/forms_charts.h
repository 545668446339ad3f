#pragma once

#include <string>

#include "report/forms_heading.h"

namespace cqlperf::report {

// What a chart is drawn into, both in one go.
struct ChartPaths {
  std::string svg;
  std::string png;  // 1400 pixels wide
};

// The gnuplot script that draws a chart of a scenario; it holds its data, and can be run again. One
// curve for each form that was measured: the rate over the time of the round that is in the middle
// by rate, or the response times of all rounds by percentile. Empty when there is nothing to draw.
std::string chart_script(const measure::FormScenarioResult& scenario, ChartKind kind,
                         const FormsHeading& heading, const ChartPaths& paths);

}  // namespace cqlperf::report
