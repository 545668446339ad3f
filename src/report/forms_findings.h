#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/forms_result.h"

namespace cqlperf::report {

// What the verification of a scenario's cells says, with `rounds` asked for.
struct FormFindings {
  bool right = false;
  std::string verdict;
  std::vector<std::string> lines;  // one for each thing that is not right, without a line break
};
FormFindings form_findings(const measure::FormScenarioResult& scenario, uint32_t rounds);

}  // namespace cqlperf::report
