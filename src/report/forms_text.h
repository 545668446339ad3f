#pragma once

#include <cstdint>
#include <string>

#include "measure/forms_result.h"

namespace cqlperf::report {

// A scenario for a terminal: its title, its table, and under it the noise, the order of the forms,
// and what verification found. The table has 100 columns at most; messages of servers may be
// longer. `rounds` is the number that was asked for.
std::string forms_text(const measure::FormScenarioResult& scenario, uint32_t rounds);

}  // namespace cqlperf::report
