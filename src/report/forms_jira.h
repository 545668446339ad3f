#pragma once

#include <string>
#include <vector>

#include "report/forms_heading.h"

namespace cqlperf::report {

// The tables in the markup of JIRA, with the columns and words of those in CASSANDRA-3634, to stand
// beside them. A scenario's chart is shown when its PNG is in `files`.
std::string forms_jira(const measure::FormsResult& result, const std::vector<std::string>& files);

}  // namespace cqlperf::report
