#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace cqlperf::core {

// Parsers for what users type; printers for what they read. A plain number is seconds, bytes or a
// count. Every error says what was wrong and gives an example of what would be right. Negative
// values, NaN, infinity and anything beyond the stated range are errors.

// `10s`, `1.5m`, `200ms`, `50us`, `100ns`, `2h`, `1d`, `10`: nanoseconds in [0, 365 days].
Result<int64_t> parse_duration_ns(std::string_view text);

// `64KiB`, `1GiB`, `100MB` (10^6), `4k` (1024), `512`: bytes in [0, 2^60].
Result<int64_t> parse_byte_size(std::string_view text);

// `100k`, `2.5M`, `1G`, `3000000000`: a whole number in [0, 10^15].
Result<int64_t> parse_count(std::string_view text);

// `5k`, `0.5`, `1M`: operations per second, 0 or in [0.000001, 10^9].
Result<double> parse_rate(std::string_view text);

// Three significant digits and a unit: `37.2 us`, `1.20 ms`, `2.01 s`, `0 ns`.
std::string format_duration_ns(double nanos);
// `512 B`, `64 KiB`, `1.5 GiB`.
std::string format_byte_size(int64_t bytes);
// Digits in groups of three: `25,000`.
std::string format_count(int64_t count);
// `5000/s`, `0.50/s`.
std::string format_rate(double per_second);

}  // namespace cqlperf::core
