#pragma once

#include <optional>
#include <string_view>

#include "cql/error.h"
#include "protocol/strings.h"
#include "protocol/types.h"

namespace cqlperf::cql {

// The bytes of a scalar type's value written as text, without quotes: what is inside a string
// literal, a number, or a string of a JSON document. `''` is the empty value where the type has
// one. 0x2200 with Cassandra's words for text that is none; `column` is named where they do not say
// more.
Result<protocol::Bytes> text_to_bytes(std::string_view text, const protocol::ColumnType& type,
                                      std::string_view column);

// The bytes of hexadecimal digits; nothing when they are none or odd in number.
std::optional<protocol::Bytes> parse_hex(std::string_view digits);

// A number as Java's parseDouble() takes it (no hexadecimal, no type suffix): beyond the range it
// is infinite or zero.
std::optional<double> parse_double(std::string_view text);
// The same for float, rounded once.
std::optional<float> parse_float(std::string_view text);

// Big-endian bytes.
protocol::Bytes double_bytes(double number);
protocol::Bytes float_bytes(float number);

}  // namespace cqlperf::cql
