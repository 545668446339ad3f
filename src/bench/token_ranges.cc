#include "bench/token_ranges.h"

#include <limits>

namespace cqlperf::bench {

std::vector<TokenSpan> split_ring(uint64_t count) {
  constexpr unsigned __int128 kRing = std::numeric_limits<uint64_t>::max();
  const auto boundary = [&](uint64_t number) {
    const auto offset = static_cast<uint64_t>(kRing * number / count);
    return static_cast<int64_t>(offset + (uint64_t{1} << 63));
  };
  std::vector<TokenSpan> spans;
  for (uint64_t i = 0; i < count; ++i) spans.push_back({boundary(i), boundary(i + 1)});
  return spans;
}

}  // namespace cqlperf::bench
