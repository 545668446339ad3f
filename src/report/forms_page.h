#pragma once

#include <string>
#include <vector>

#include "report/forms_heading.h"

namespace cqlperf::report {

// A chart as gnuplot wrote it.
struct PageChart {
  measure::FormScenario scenario = measure::FormScenario::kInserts;
  ChartKind kind = ChartKind::kRate;
  std::string svg;
};

// The comparison as one HTML page that needs nothing but itself: no script, no font and no picture
// from elsewhere. It links to `forms.json` and `forms.md` beside it. `charts_note` says why there
// are no charts, or not all; empty when nothing is missing.
std::string forms_page(const measure::FormsResult& result, const FormsHeading& heading,
                       const std::vector<PageChart>& charts, const std::string& charts_note);

}  // namespace cqlperf::report
