#include "cql/literal_patterns.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace cqlperf::cql {
namespace {

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// The bytes at the start of `text` for which the predicate holds.
template <class Predicate>
size_t run_length(std::string_view text, Predicate predicate) {
  return static_cast<size_t>(std::ranges::find_if_not(text, predicate) - text.begin());
}

// Where the digits start: after a minus, if there is one.
size_t sign_length(std::string_view text) { return text.starts_with('-') ? 1 : 0; }

// In `pattern` an h stands for a hexadecimal digit, a d for a digit, all else for itself.
size_t match(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char wanted = pattern[i];
    const bool fits = wanted == 'h'   ? is_hex_digit(text[i])
                      : wanted == 'd' ? is_digit(text[i])
                                      : text[i] == wanted;
    if (!fits) return 0;
  }
  return pattern.size();
}

size_t exponent_length(std::string_view text) {
  if (!text.starts_with('e') && !text.starts_with('E')) return 0;
  const size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 1 : 0;
  const size_t digits = run_length(text.substr(1 + sign), is_digit);
  return digits > 0 ? 1 + sign + digits : 0;
}

size_t unit_length(std::string_view text) {
  // Longer ones first.
  static constexpr auto kUnits = std::to_array<std::string_view>(
      {"\u00b5s", "mo", "ms", "us", "ns", "y", "w", "d", "h", "m", "s"});
  constexpr auto same = [](char written, char unit) {
    return written == unit || (is_letter(written) && (written | 0x20) == unit);
  };
  for (const std::string_view unit : kUnits) {
    if (std::ranges::equal(text.substr(0, unit.size()), unit, same)) return unit.size();
  }
  return 0;
}

// Integers, each with one of the designators, which come in this order: `1Y2M` of "YMD".
size_t designated_length(std::string_view text, std::string_view designators) {
  size_t at = 0;
  for (const char designator : designators) {
    const size_t digits = run_length(text.substr(at), is_digit);
    if (digits > 0 && at + digits < text.size() && text[at + digits] == designator)
      at += digits + 1;
  }
  return at;
}

// What follows the P in the form with designators.
size_t iso_parts_length(std::string_view text) {
  if (const size_t weeks = designated_length(text, "W"); weeks > 0) return weeks;
  const size_t period = designated_length(text, "YMD");
  if (!text.substr(period).starts_with('T')) return period;
  const size_t time = designated_length(text.substr(period + 1), "HMS");
  return time > 0 ? period + 1 + time : period;
}

}  // namespace

size_t word_length(std::string_view text) { return run_length(text, is_word_character); }

size_t integer_length(std::string_view text) {
  const size_t sign = sign_length(text);
  const size_t digits = run_length(text.substr(sign), is_digit);
  return digits > 0 ? sign + digits : 0;
}

size_t float_length(std::string_view text) {
  const size_t integer = integer_length(text);
  if (integer == 0) return 0;
  size_t length = integer;
  const std::string_view after = text.substr(integer);
  if (after.starts_with('.') && !after.starts_with(".."))
    length += 1 + run_length(after.substr(1), is_digit);
  length += exponent_length(text.substr(length));
  return length > integer ? length : 0;
}

size_t blob_length(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return 0;
  return 2 + run_length(text.substr(2), is_hex_digit);
}

size_t uuid_length(std::string_view text) {
  return match(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh");
}

size_t unit_duration_length(std::string_view text) {
  size_t length = sign_length(text);
  size_t complete = 0;
  while (true) {
    const size_t digits = run_length(text.substr(length), is_digit);
    const size_t unit = digits > 0 ? unit_length(text.substr(length + digits)) : 0;
    if (unit == 0) return complete;
    length += digits + unit;
    complete = length;
  }
}

size_t iso_duration_length(std::string_view text) {
  const size_t sign = sign_length(text);
  const std::string_view unsigned_text = text.substr(sign);
  if (!unsigned_text.starts_with('P')) return 0;
  size_t length = match(unsigned_text, "Pdddd-dd-ddTdd:dd:dd");
  if (length == 0) {
    const size_t parts = iso_parts_length(unsigned_text.substr(1));
    length = parts > 0 ? parts + 1 : 0;
  }
  if (length == 0 || touches_word(unsigned_text, length)) return 0;
  return sign + length;
}

}  // namespace cqlperf::cql
