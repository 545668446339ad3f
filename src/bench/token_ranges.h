#pragma once

#include <cstdint>
#include <vector>

namespace cqlperf::bench {

// A part of the ring of Murmur3 tokens: (after, up_to].
struct TokenSpan {
  int64_t after = 0;
  int64_t up_to = 0;
};

// The whole ring in `count` parts (at least 1) of the same size, in order. The least token, -2^63,
// is in none of them: no key has it but the empty one.
std::vector<TokenSpan> split_ring(uint64_t count);

}  // namespace cqlperf::bench
