#pragma once

#include <span>

#include "cql/error.h"
#include "cql/statement.h"
#include "server/write_plan.h"

namespace cqlperf::server {

// What a BATCH may hold, as Cassandra has it (0x2200): counters by themselves and never logged,
// time from the whole batch or from its statements, and conditions without times. `has_timestamp`:
// BATCH USING TIMESTAMP. To be called when a batch is prepared; Writer::execute_batch() calls it
// too, without a timestamp.
cql::Status check_batch(cql::Batch::Kind kind, std::span<const WritePlan* const> plans,
                        bool has_timestamp);

}  // namespace cqlperf::server
