#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cqlperf::bench {

// What a run notes in the comment of a table that it has filled (Keyspace::set_contents): it holds
// the keys from 0 to below `keys`, with the values of `seed`.
std::string filled_contents(int64_t keys, uint64_t seed);

// The number of keys that such a note speaks of, when it speaks of this seed's; else 0.
int64_t filled_keys(std::string_view contents, uint64_t seed);

}  // namespace cqlperf::bench
