#pragma once

#include <string>
#include <string_view>

namespace cqlperf::core {

// Text of another program, as a terminal may show it: control characters but line breaks become
// `\x1b`, and what is longer than `bytes_max` is cut, with `...` at the end.
std::string printable(std::string_view text, size_t bytes_max = 1024);

// How many bytes of `text`, from its start, are UTF-8 (shortest forms, no surrogates); its size
// when all are.
size_t utf8_prefix(std::string_view text);

}  // namespace cqlperf::core
