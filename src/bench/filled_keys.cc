#include "bench/filled_keys.h"

#include <charconv>

#include <fmt/format.h>

namespace cqlperf::bench {

std::string filled_contents(int64_t keys, uint64_t seed) {
  return fmt::format("keys from 0 to below {}, values of seed {}", keys, seed);
}

int64_t filled_keys(std::string_view contents, uint64_t seed) {
  constexpr std::string_view kBefore = "to below ";
  const size_t at = contents.find(kBefore);
  if (at == std::string_view::npos) return 0;
  int64_t keys = 0;
  const char* first = contents.data() + at + kBefore.size();
  std::from_chars(first, contents.data() + contents.size(), keys);
  return contents == filled_contents(keys, seed) ? keys : 0;
}

}  // namespace cqlperf::bench
