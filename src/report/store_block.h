#pragma once

#include <string>

#include "measure/store_result.h"

namespace cqlperf::report {

// The lines that cassandra_store_stress prints, byte for byte: numbers as a C++ stream prints
// doubles, GB = 2^30 bytes and MBps = 10^6 bytes per second, as that tool's own figures have it.
// They show what was done: keys that were acknowledged or read, and not those that were asked for.

// The rule, and `PERF TEST [16384 keys, 65536 block size]`.
std::string store_block_head(const measure::StoreSuiteResult& suite);

// The phase's name and its figures; to be printed when the phase is over. A table that could not be
// truncated has no payload and no bandwidth: both are 0.
std::string store_block_phase(const measure::StorePhaseResult& phase);

}  // namespace cqlperf::report
