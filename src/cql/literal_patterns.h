#pragma once

#include <cstddef>
#include <string_view>

namespace cqlperf::cql {

// How the lexer tells numbers, blobs, UUIDs and durations apart. Each function gives the bytes that
// the pattern takes from the start of `text`, or 0 when it does not start so. Linear in what it
// takes.

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
// A byte of a UTF-8 character that is not its first.
inline bool is_continuation_byte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}
// Whether a word character follows the first `length` bytes.
inline bool touches_word(std::string_view text, size_t length) {
  return length < text.size() && is_word_character(text[length]);
}

// Letters, digits and underscores.
size_t word_length(std::string_view text);
// Digits, maybe after a minus.
size_t integer_length(std::string_view text);
// An integer with a fraction (`1.`, `1.5`), an exponent (`1e5`, `1.5E-3`), or both.
size_t float_length(std::string_view text);
// 0x and hexadecimal digits, maybe none.
size_t blob_length(std::string_view text);
size_t uuid_length(std::string_view text);
// Integers with units: 1y2mo3w4d5h6m7s8ms9us10ns, in either case; µs is us.
size_t unit_duration_length(std::string_view text);
// ISO 8601, in upper case: P1Y2M3DT4H5M6S, P3W, P0001-02-03T04:05:06. Not a part of a longer word.
size_t iso_duration_length(std::string_view text);

}  // namespace cqlperf::cql
