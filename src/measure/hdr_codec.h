#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "measure/histogram.h"

namespace cqlperf::measure {

// HdrHistogram's V2 compressed encoding in base64, as written in the interval logs of the reference
// implementation (org.hdrhistogram:HdrHistogram): bucket counts up to the highest in use as ZigZag
// LEB128 numbers (a negative one is a run of empty buckets) behind a 40-byte header, compressed
// with zlib. Exact minimum, maximum, mean and over-range count are not part of it.
std::string encode_v2(const Histogram& histogram);

// The inverse. Only histograms of our own shape (1 ns to 1 h, 3 digits) are accepted, which is what
// encode_v2 writes. Any other bytes give a kUsage error that says what was found.
core::Result<Histogram> decode_v2(std::string_view base64);

// ZigZag LEB128-64b9B: seven bits per byte, low ones first; the ninth byte, if any, has eight.
void append_zigzag(std::vector<uint8_t>& bytes, int64_t value);
// Reads one number from the front of `bytes` and removes it; none when they end too soon.
std::optional<int64_t> take_zigzag(std::span<const uint8_t>& bytes);

// RFC 4648 section 4, with padding.
std::string encode_base64(std::span<const uint8_t> bytes);
// None when the text is not of that form.
std::optional<std::vector<uint8_t>> decode_base64(std::string_view text);

}  // namespace cqlperf::measure
