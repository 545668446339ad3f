#pragma once

#include <string>
#include <vector>

#include "measure/result.h"

namespace cqlperf::report {

// The summary of a run for people: operations and rate, latencies, cost, what went wrong. Sections
// without content are left out.
std::string summary_text(const measure::Summary& summary);

// Errors by kind, with the first message of each, under a head of its own; empty when there are
// none.
std::string error_lines(const std::vector<measure::ErrorCount>& errors);

}  // namespace cqlperf::report
