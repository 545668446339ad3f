#pragma once

#include <cstdint>

#include "protocol/strings.h"

namespace cqlperf::storage {

// The token of a partition key by Cassandra's Murmur3Partitioner: the first half of MurmurHash3
// x64-128 with seed 0, whose tail bytes are sign-extended; INT64_MIN becomes INT64_MAX, and the
// empty key has INT64_MIN. `partition_key` is in routing form: the value itself for one column,
// else [short length][bytes][0] for each.
int64_t token_of(protocol::ByteView partition_key);

}  // namespace cqlperf::storage
