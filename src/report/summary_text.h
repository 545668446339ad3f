#pragma once

#include <string>

#include "measure/result.h"

namespace cqlperf::report {

// The summary of a run for people: operations and rate, latencies, cost, what went wrong. Sections
// without content are left out.
std::string summary_text(const measure::Summary& summary);

}  // namespace cqlperf::report
