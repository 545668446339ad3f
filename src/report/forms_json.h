#pragma once

#include <nlohmann/json.hpp>

#include "measure/forms_result.h"

namespace cqlperf::report {

// All figures of a comparison, as an object: `rounds`, `ok`, `interrupted`, and `scenarios`, each
// with its `cells` and the noise that their differences are judged by. Rates are per second, times
// in microseconds, differences in percent. What a cell does not have is null.
nlohmann::ordered_json forms_json(const measure::FormsResult& result);

}  // namespace cqlperf::report
