#pragma once

#include <string>
#include <vector>

#include "report/forms_heading.h"

namespace cqlperf::report {

// The comparison as Markdown: the heading, and for each scenario its table, what the terminal shows
// under it, and those of its charts whose PNG is in `files`.
std::string forms_markdown(const measure::FormsResult& result, const FormsHeading& heading,
                           const std::vector<std::string>& files);

}  // namespace cqlperf::report
