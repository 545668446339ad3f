#include "storage/ordered_number.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/check.h"

namespace cqlperf::storage {
namespace {

using protocol::Bytes;
using protocol::ByteView;

// A varint of n bytes begins with 0x80 + n, or with 0xFE and four bytes n when n is larger than
// this; a negative one has all bits of what ~value has inverted.
constexpr size_t kShortVarintMax = 0x7D;
constexpr uint8_t kLongVarint = 0xFE;
constexpr size_t kVarintBytesMax = 1 << 17;

// A decimal: 1 negative, 2 zero, 3 positive; then (inverted when negative) the exponent e and the
// digits d1 d2 ... of 0.d1d2... * 10^e, d1 not 0, in pairs of 1 to 100, ended by 0.
constexpr uint8_t kNegative = 1;
constexpr uint8_t kZero = 2;
constexpr uint8_t kPositive = 3;
// Digits that an integer may have before it is shown with an exponent, as 1E+40.
constexpr int64_t kPlainDigitsMax = 40;
// A key holds numbers of 64 KiB at the most, which have fewer digits than this.
constexpr size_t kDigitsMax = 160'000;

bool is_negative(ByteView value) { return (value[0] & 0x80) != 0; }

// The bytes of |value|, or of ~value when it is negative, without leading zeros.
Bytes magnitude_of(ByteView value) {
  const uint8_t mask = is_negative(value) ? 0xFF : 0;
  Bytes bytes(value.begin(), value.end());
  for (uint8_t& byte : bytes) byte ^= mask;
  bytes.erase(bytes.begin(), std::find_if(bytes.begin(), bytes.end(), [](uint8_t b) { return b; }));
  return bytes;
}

void invert(core::Buffer& out, size_t from) {
  for (size_t i = from; i < out.size(); ++i) out.data()[i] ^= 0xFF;
}

// `bytes` hold the magnitude; makes room for the sign and inverts a negative number's.
void finish_varint(Bytes& bytes, bool negative) {
  if (bytes.empty() || (bytes[0] & 0x80) != 0) bytes.insert(bytes.begin(), 0);
  if (!negative) return;
  for (uint8_t& byte : bytes) byte ^= 0xFF;
}

// Decimal digits, and numbers of base 10^9, lowest first.
using Limbs = std::vector<uint32_t>;
constexpr uint32_t kLimbBase = 1'000'000'000;
constexpr int kLimbDigits = 9;

void multiply_add(Limbs& limbs, uint64_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (uint32_t& limb : limbs) {
    carry += limb * factor;
    limb = static_cast<uint32_t>(carry % kLimbBase);
    carry /= kLimbBase;
  }
  for (; carry > 0; carry /= kLimbBase) limbs.push_back(static_cast<uint32_t>(carry % kLimbBase));
}

// The decimal digits (0 to 9, highest first, none for 0) of a number in bytes.
Bytes digits_of(ByteView magnitude) {
  Limbs limbs;
  const size_t odd = magnitude.size() % sizeof(uint32_t);
  for (const uint8_t byte : magnitude.first(odd)) multiply_add(limbs, 256, byte);
  for (size_t at = odd; at < magnitude.size(); at += sizeof(uint32_t)) {
    uint32_t word = 0;
    for (const uint8_t byte : magnitude.subspan(at, sizeof word)) word = word << 8 | byte;
    multiply_add(limbs, uint64_t{1} << 32, word);
  }
  Bytes digits;
  for (uint32_t limb : limbs) {
    for (int i = 0; i < kLimbDigits; ++i, limb /= 10) {
      digits.push_back(static_cast<uint8_t>(limb % 10));
    }
  }
  while (!digits.empty() && digits.back() == 0) digits.pop_back();
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// The bytes, highest first, of a number in decimal digits.
Bytes bytes_of(ByteView digits) {
  std::vector<uint32_t> words;  // base 2^32, lowest first
  for (size_t at = 0; at < digits.size();) {
    const auto limb = digits.subspan(at, std::min<size_t>(kLimbDigits, digits.size() - at));
    uint64_t carry = 0;
    uint64_t factor = 1;
    for (const uint8_t digit : limb) {
      carry = carry * 10 + digit;
      factor *= 10;
    }
    for (uint32_t& word : words) {
      carry += word * factor;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry > 0) words.push_back(static_cast<uint32_t>(carry));
    at += limb.size();
  }
  Bytes bytes;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<uint8_t>(*word >> shift));
    }
  }
  bytes.erase(bytes.begin(), std::find_if(bytes.begin(), bytes.end(), [](uint8_t b) { return b; }));
  return bytes;
}

void add_one(Bytes& magnitude) {
  for (auto byte = magnitude.rbegin(); byte != magnitude.rend(); ++byte) {
    if (++*byte != 0) return;
  }
  magnitude.insert(magnitude.begin(), 1);
}

void subtract_one(Bytes& magnitude) {
  for (auto byte = magnitude.rbegin(); byte != magnitude.rend(); ++byte) {
    if ((*byte)-- != 0) return;
  }
}

// A decimal's magnitude: digits without zeros at either end, and where the point is.
struct Digits {
  Bytes digits;
  int64_t exponent = 0;
};

void append_digits(core::Buffer& out, const Digits& number) {
  out.append_i64(number.exponent ^ std::numeric_limits<int64_t>::min());
  for (size_t i = 0; i < number.digits.size(); i += 2) {
    const uint8_t second = i + 1 < number.digits.size() ? number.digits[i + 1] : 0;
    out.append_u8(static_cast<uint8_t>(number.digits[i] * 10 + second + 1));
  }
  out.append_u8(0);
}

Digits read_digits(KeyReader& in) {
  Digits number;
  uint64_t exponent = 0;
  for (int i = 0; i < 8; ++i) exponent = exponent << 8 | in.read_u8();
  number.exponent = static_cast<int64_t>(exponent) ^ std::numeric_limits<int64_t>::min();
  while (const uint8_t pair = in.read_u8()) {
    if (pair > 100 || number.digits.size() > kDigitsMax) in.set_failed();
    if (!in.ok()) return number;
    number.digits.push_back(static_cast<uint8_t>((pair - 1) / 10));
    number.digits.push_back(static_cast<uint8_t>((pair - 1) % 10));
  }
  while (!number.digits.empty() && number.digits.back() == 0) number.digits.pop_back();
  return number;
}

// The digits that bring the scale to 0, or at least into 32 bits. The reader fails when no value of
// ours had so many.
int64_t choose_scale(Digits& number, KeyReader& in) {
  constexpr int64_t kScaleMin = std::numeric_limits<int32_t>::min();
  constexpr int64_t kExponentMax = int64_t{1} << 32;
  if (number.exponent > kExponentMax || number.exponent < -kExponentMax) {
    in.set_failed();
    return 0;
  }
  const int64_t scale = static_cast<int64_t>(number.digits.size()) - number.exponent;
  const int64_t wanted =
      number.exponent <= kPlainDigitsMax ? std::max<int64_t>(scale, 0) : std::max(scale, kScaleMin);
  if (wanted - scale > static_cast<int64_t>(kDigitsMax) ||
      wanted > std::numeric_limits<int32_t>::max()) {
    in.set_failed();
    return 0;
  }
  number.digits.insert(number.digits.end(), static_cast<size_t>(wanted - scale), 0);
  return wanted;
}

void write_decimal(int64_t scale, bool negative, Bytes magnitude, Bytes& value) {
  if (negative) subtract_one(magnitude);
  magnitude.erase(magnitude.begin(),
                  std::find_if(magnitude.begin(), magnitude.end(), [](uint8_t b) { return b; }));
  finish_varint(magnitude, negative);
  for (int shift = 24; shift >= 0; shift -= 8)
    value.push_back(static_cast<uint8_t>(scale >> shift));
  value.insert(value.end(), magnitude.begin(), magnitude.end());
}

}  // namespace

void append_ordered_varint(core::Buffer& out, ByteView value) {
  CQLPERF_CHECK(!value.empty(), "a varint has bytes");
  const size_t start = out.size();
  const Bytes magnitude = magnitude_of(value);
  if (magnitude.size() <= kShortVarintMax) {
    out.append_u8(static_cast<uint8_t>(0x80 + magnitude.size()));
  } else {
    out.append_u8(kLongVarint);
    out.append_i32(static_cast<int32_t>(magnitude.size()));
  }
  out.append(magnitude);
  if (is_negative(value)) invert(out, start);
}

void read_ordered_varint(uint8_t first, KeyReader& in, Bytes& value) {
  value.clear();
  const bool negative = first < 0x80;
  const uint8_t mask = negative ? 0xFF : 0;
  const uint8_t header = first ^ mask;
  size_t size = header - 0x80;
  if (header == kLongVarint) {
    size = 0;
    for (int i = 0; i < 4; ++i) size = size << 8 | (in.read_u8() ^ mask);
  }
  if (header > kLongVarint || size > kVarintBytesMax) in.set_failed();
  for (size_t i = 0; i < size && in.ok(); ++i) value.push_back(in.read_u8() ^ mask);
  finish_varint(value, negative);
}

void append_ordered_decimal(core::Buffer& out, ByteView value) {
  CQLPERF_CHECK(value.size() > 4, "a decimal has a scale and a value");
  core::ByteReader in(value);
  const int64_t scale = in.read_i32();
  const ByteView unscaled = in.read_rest();
  Bytes magnitude = magnitude_of(unscaled);
  if (is_negative(unscaled)) add_one(magnitude);
  Digits number{.digits = digits_of(magnitude)};
  if (number.digits.empty()) return out.append_u8(kZero);
  number.exponent = static_cast<int64_t>(number.digits.size()) - scale;
  while (number.digits.back() == 0) number.digits.pop_back();
  out.append_u8(is_negative(unscaled) ? kNegative : kPositive);
  const size_t start = out.size();
  append_digits(out, number);
  if (is_negative(unscaled)) invert(out, start);
}

void read_ordered_decimal(uint8_t first, KeyReader& in, Bytes& value) {
  value.clear();
  if (first == kZero) return value.assign(5, 0);
  if (first != kNegative && first != kPositive) return in.set_failed();
  in.set_inverted(in.is_inverted() != (first == kNegative));
  Digits number = read_digits(in);
  in.set_inverted(in.is_inverted() != (first == kNegative));
  if (number.digits.empty() || number.digits[0] == 0) in.set_failed();
  const int64_t scale = in.ok() ? choose_scale(number, in) : 0;
  if (!in.ok()) return;
  write_decimal(scale, first == kNegative, bytes_of(number.digits), value);
}

}  // namespace cqlperf::storage
