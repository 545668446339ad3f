#include "cql/decimal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/byte_reader.h"

namespace cqlperf::cql {
namespace {

using protocol::Bytes;
using protocol::ByteView;

constexpr size_t kChunkDigits = 19;  // 10^19 fits 64 bits
constexpr double kLog10Of2 = 0.30102999566398120;

// A number that is not negative: 64 bits per limb, the lowest first, the highest not zero.
using Magnitude = std::vector<uint64_t>;

uint64_t power_of_ten(size_t exponent) {
  uint64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

// number = number * factor + addend.
void multiply_add(Magnitude& number, uint64_t factor, uint64_t addend) {
  unsigned __int128 carry = addend;
  for (uint64_t& limb : number) {
    carry += static_cast<unsigned __int128>(limb) * factor;
    limb = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  if (carry != 0) number.push_back(static_cast<uint64_t>(carry));
}

void multiply_by_power_of_ten(Magnitude& number, uint64_t exponent) {
  for (; exponent >= kChunkDigits; exponent -= kChunkDigits) {
    multiply_add(number, power_of_ten(kChunkDigits), 0);
  }
  multiply_add(number, power_of_ten(exponent), 0);
}

bool are_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Magnitude magnitude_of_digits(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  Magnitude number;
  number.reserve(digits.size() / kChunkDigits + 1);
  while (!digits.empty()) {
    // A short chunk first, so that all others are whole.
    const size_t size = (digits.size() - 1) % kChunkDigits + 1;
    uint64_t chunk = 0;
    std::from_chars(digits.data(), digits.data() + size, chunk);
    multiply_add(number, power_of_ten(size), chunk);
    digits.remove_prefix(size);
  }
  return number;
}

void negate(Bytes& bytes) {
  bool carry = true;
  for (size_t i = bytes.size(); i-- > 0;) {
    bytes[i] = static_cast<uint8_t>(~bytes[i] + (carry ? 1 : 0));
    carry = carry && bytes[i] == 0;
  }
}

// Without the bytes at the start that only repeat the sign.
ByteView shortest(ByteView varint) {
  while (varint.size() > 1 && varint[0] == (varint[1] & 0x80 ? 0xff : 0x00)) {
    varint = varint.subspan(1);
  }
  return varint;
}

Bytes varint_of(const Magnitude& number, bool is_negative) {
  Bytes bytes = {0};
  for (size_t i = number.size(); i-- > 0;) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<uint8_t>(number[i] >> shift));
    }
  }
  if (is_negative) negate(bytes);
  return protocol::to_bytes(shortest(bytes));
}

Magnitude magnitude_of_varint(ByteView varint) {
  Bytes bytes(varint.begin(), varint.end());
  if (bytes[0] & 0x80) negate(bytes);
  Magnitude number((bytes.size() + 7) / 8);
  for (size_t i = 0; i < bytes.size(); ++i) {
    number[i / 8] |= uint64_t{bytes[bytes.size() - 1 - i]} << (i % 8 * 8);
  }
  while (!number.empty() && number.back() == 0) number.pop_back();
  return number;
}

std::strong_ordering compare_magnitudes(const Magnitude& left, const Magnitude& right) {
  if (left.size() != right.size()) return left.size() <=> right.size();
  return std::lexicographical_compare_three_way(left.rbegin(), left.rend(), right.rbegin(),
                                                right.rend());
}

bool take_sign(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  return is_negative;
}

// An exponent `e…` at the end of `text`, which is taken off. False when it is none.
bool take_exponent(std::string_view& text, int64_t& exponent) {
  const size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return true;
  std::string_view digits = text.substr(e + 1);
  const bool is_negative = take_sign(digits);
  if (!are_digits(digits)) return false;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (is_negative) exponent = -exponent;
  text = text.substr(0, e);
  return parsed.ec == std::errc();
}

Bytes decimal_of(int32_t scale, const Bytes& varint) {
  Bytes bytes(sizeof scale + varint.size());
  const uint32_t wire = __builtin_bswap32(static_cast<uint32_t>(scale));
  std::memcpy(bytes.data(), &wire, sizeof wire);
  std::ranges::copy(varint, bytes.begin() + sizeof wire);
  return bytes;
}

// A decimal taken apart.
struct Decimal {
  int64_t scale = 0;
  int sign = 0;
  Magnitude magnitude;

  static Decimal of(ByteView bytes) {
    Decimal decimal;
    decimal.scale = static_cast<int32_t>(core::ByteReader(bytes).read_i32());
    if (bytes.size() == 4) return decimal;
    const ByteView varint = bytes.subspan(4);
    decimal.magnitude = magnitude_of_varint(varint);
    if (!decimal.magnitude.empty()) decimal.sign = varint[0] & 0x80 ? -1 : 1;
    return decimal;
  }

  // log10 of the absolute value, off by 0.4 at most. Not for zero.
  double logarithm() const {
    const double bits =
        64.0 * static_cast<double>(magnitude.size()) - std::countl_zero(magnitude.back());
    return bits * kLog10Of2 - static_cast<double>(scale);
  }
};

// Of two decimals that are not zero, by their absolute values.
std::strong_ordering compare_absolutes(Decimal left, Decimal right) {
  const double difference = left.logarithm() - right.logarithm();
  if (difference > 1) return std::strong_ordering::greater;
  if (difference < -1) return std::strong_ordering::less;
  // They are about as large, so the scales differ no more than the digits do.
  if (left.scale < right.scale) {
    multiply_by_power_of_ten(left.magnitude, static_cast<uint64_t>(right.scale - left.scale));
  } else {
    multiply_by_power_of_ten(right.magnitude, static_cast<uint64_t>(left.scale - right.scale));
  }
  return compare_magnitudes(left.magnitude, right.magnitude);
}

}  // namespace

std::optional<Bytes> parse_varint(std::string_view text) {
  const bool is_negative = take_sign(text);
  if (text.size() > kNumberDigitsMax || !are_digits(text)) return std::nullopt;
  return varint_of(magnitude_of_digits(text), is_negative);
}

std::optional<Bytes> parse_decimal(std::string_view text) {
  const bool is_negative = take_sign(text);
  int64_t exponent = 0;
  if (text.size() > kNumberDigitsMax || !take_exponent(text, exponent)) return std::nullopt;
  std::string digits(text);
  int64_t scale = 0;
  if (const size_t point = text.find('.'); point != std::string_view::npos) {
    digits.erase(point, 1);
    scale = static_cast<int64_t>(digits.size() - point);
  }
  if (!are_digits(digits) || __builtin_sub_overflow(scale, exponent, &scale)) return std::nullopt;
  if (scale != static_cast<int32_t>(scale)) return std::nullopt;
  return decimal_of(static_cast<int32_t>(scale),
                    varint_of(magnitude_of_digits(digits), is_negative));
}

Bytes decimal_of_double(double number) {
  if (number == 0) return decimal_of(1, {0});
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific);
  std::string_view digits(text, end.ptr);
  int64_t exponent = 0;
  take_exponent(digits, exponent);
  const bool is_negative = take_sign(digits);
  std::string all(digits);
  all.erase(std::remove(all.begin(), all.end(), '.'), all.end());
  // Java writes the point within the digits between 10^-3 and 10^7, behind the first one elsewhere,
  // and always a digit after it.
  const auto after_first = static_cast<int64_t>(all.size()) - 1;
  const bool is_plain = exponent >= -3 && exponent < 7;
  const int64_t scale = is_plain ? std::max<int64_t>(1, after_first - exponent)
                                 : std::max<int64_t>(1, after_first) - exponent;
  all.append(static_cast<size_t>(scale - (after_first - exponent)), '0');
  return decimal_of(static_cast<int32_t>(scale), varint_of(magnitude_of_digits(all), is_negative));
}

std::strong_ordering compare_varints(ByteView left, ByteView right) {
  left = shortest(left);
  right = shortest(right);
  const bool left_negative = left[0] & 0x80;
  const bool right_negative = right[0] & 0x80;
  if (left_negative != right_negative) {
    return left_negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (left.size() != right.size()) {
    return left_negative ? right.size() <=> left.size() : left.size() <=> right.size();
  }
  return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(),
                                                right.end());
}

std::strong_ordering compare_decimals(ByteView left, ByteView right) {
  Decimal a = Decimal::of(left);
  Decimal b = Decimal::of(right);
  if (a.sign != b.sign) return a.sign <=> b.sign;
  if (a.sign == 0) return std::strong_ordering::equal;
  return a.sign > 0 ? compare_absolutes(std::move(a), std::move(b))
                    : compare_absolutes(std::move(b), std::move(a));
}

}  // namespace cqlperf::cql
