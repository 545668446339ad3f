#pragma once

#include <string>
#include <vector>

#include "measure/store_result.h"

namespace cqlperf::report {

// A row per phase: rates, response times of its requests, errors, pages, own CPU, in 100 columns; a
// dash stands where a phase has no such figure. Under it stand the units, and what a read found
// when all was right.
std::string store_table(const std::vector<measure::StorePhaseResult>& phases);

// What is wrong with a phase: why it is not complete, rows that are not as they were written with
// their first keys, token ranges that were not read, errors by kind with their first messages.
// Empty when there is nothing to tell.
std::string store_findings(const measure::StorePhaseResult& phase);

// Truncate against size: a row for each suite whose table was truncated, and the largest over the
// smallest. Empty when there are fewer than two.
std::string store_sizes_table(const std::vector<measure::StoreSuiteResult>& suites);

}  // namespace cqlperf::report
