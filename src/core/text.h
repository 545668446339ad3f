#pragma once

#include <string>
#include <string_view>

namespace cqlperf::core {

// Text of another program, as a terminal may show it: control characters but line breaks become
// `\x1b`, and what is longer than `bytes_max` is cut, with `...` at the end.
std::string printable(std::string_view text, size_t bytes_max = 1024);

}  // namespace cqlperf::core
