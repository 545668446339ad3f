#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string_view>

#include "protocol/strings.h"

namespace cqlperf::cql {

// Integers and decimal numbers of any size, as bytes of the protocol: a varint is a big-endian
// two's complement integer of as few bytes as hold it, a decimal is a scale (32 bits) and a varint,
// worth varint * 10^-scale.

// More digits than this are not read: the time that they take grows with the square. This many take
// some 10 ms.
inline constexpr size_t kNumberDigitsMax = 100'000;

// `-12`. Neither does anything but a sign and digits, nor more than kNumberDigitsMax of them.
std::optional<protocol::Bytes> parse_varint(std::string_view text);

// `-12.50e3`: the scale is what is written, so 1.0 and 1.00 are different bytes. Nothing for text
// that is not such a number, too many digits, a scale beyond 32 bits.
std::optional<protocol::Bytes> parse_decimal(std::string_view text);

// The decimal of the shortest text that names the double, written as Java does: 1000.0, 1.0E-7.
// `number` is finite.
protocol::Bytes decimal_of_double(double number);

// By value. `left` and `right` are not empty; those of decimals have 4 bytes or more.
std::strong_ordering compare_varints(protocol::ByteView left, protocol::ByteView right);
std::strong_ordering compare_decimals(protocol::ByteView left, protocol::ByteView right);

}  // namespace cqlperf::cql
