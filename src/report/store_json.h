#pragma once

#include <nlohmann/json.hpp>

#include "measure/store_result.h"

namespace cqlperf::report {

// All figures of a phase: bytes and seconds, `verification` and `missing_ranges` of a read,
// `requests` as summary_json() has them. What a phase does not have is null; tokens are texts,
// since many readers hold numbers of 64 bits only inexactly.
nlohmann::ordered_json store_phase_json(const measure::StorePhaseResult& phase);

// The suite for one database size, with its `phases` in order.
nlohmann::ordered_json store_suite_json(const measure::StoreSuiteResult& suite);

}  // namespace cqlperf::report
