#pragma once

#include <cstdint>

#include "protocol/uuid.h"

namespace cqlperf::cql {

// A version 1 UUID of about `now_us` (microseconds since 1970) that no other call in any thread or
// process gives. Those of one thread grow, as long as its clock does not go back by more than a
// second.
protocol::Uuid new_time_uuid(int64_t now_us);

// A version 4 UUID: random.
protocol::Uuid new_random_uuid();

}  // namespace cqlperf::cql
