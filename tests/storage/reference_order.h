#pragma once

#include <cmath>
#include <compare>
#include <cstring>
#include <limits>
#include <vector>

#include "core/random.h"
#include "protocol/types.h"

namespace cqlperf::storage {

// How Cassandra's types compare, written from their descriptions and in another way than the key
// codec: on numbers instead of bytes.
class ReferenceOrder {
 public:
  using Bytes = protocol::Bytes;
  using TypeId = protocol::TypeId;

  // Below 0, 0 or above 0. Empty values come first.
  static int compare(TypeId type, const Bytes& a, const Bytes& b) {
    if (a.empty() || b.empty()) return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
    switch (type) {
      case TypeId::kTinyint:
      case TypeId::kSmallint:
      case TypeId::kInt:
      case TypeId::kBigint:
      case TypeId::kTime:
      case TypeId::kTimestamp:
        return sign_of(signed_number(a), signed_number(b));
      case TypeId::kFloat:
      case TypeId::kDouble:
        return compare_floating(floating(a), floating(b));
      case TypeId::kVarint:
        return compare_varint(a, b);
      case TypeId::kDecimal:
        return compare_decimal(a, b);
      case TypeId::kUuid:
        return compare_uuid(a, b);
      case TypeId::kTimeuuid:
        return compare_timeuuid(a, b);
      default:
        return compare_bytes(a, b);
    }
  }

 private:
  template <class T>
  static int sign_of(T a, T b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  static int compare_bytes(const Bytes& a, const Bytes& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return sign_of(a.size(), b.size());
  }
  static uint64_t number(const Bytes& bytes, size_t first, size_t count) {
    uint64_t value = 0;
    for (size_t i = first; i < first + count; ++i) value = value << 8 | bytes[i];
    return value;
  }
  static int64_t signed_number(const Bytes& bytes) {
    const size_t unused = 64 - 8 * bytes.size();
    return static_cast<int64_t>(number(bytes, 0, bytes.size()) << unused) >> unused;
  }
  static double floating(const Bytes& bytes) {
    if (bytes.size() == 8) return std::bit_cast<double>(number(bytes, 0, 8));
    return std::bit_cast<float>(static_cast<uint32_t>(number(bytes, 0, 4)));
  }
  // Double.compare() of Java.
  static int compare_floating(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) - std::isnan(b);
    if (a != b) return a < b ? -1 : 1;
    return std::signbit(b) - std::signbit(a);
  }
  // By value: longer operands are extended by their sign.
  static int compare_varint(const Bytes& a, const Bytes& b) {
    const size_t size = std::max(a.size(), b.size());
    const auto widen = [size](const Bytes& value) {
      Bytes wide(size - value.size(), value[0] & 0x80 ? 0xFF : 0);
      wide.insert(wide.end(), value.begin(), value.end());
      wide[0] ^= 0x80;
      return wide;
    };
    return compare_bytes(widen(a), widen(b));
  }
  // Small decimals only: unscaled values below 2^63 and scales from -8 to 8.
  static int compare_decimal(const Bytes& a, const Bytes& b) {
    return sign_of(scaled(a), scaled(b));
  }
  static __int128 scaled(const Bytes& value) {
    __int128 result = (value[4] & 0x80) != 0 ? -1 : 0;
    for (size_t i = 4; i < value.size(); ++i) result = result * 256 + value[i];
    const auto scale = static_cast<int32_t>(number(value, 0, 4));
    for (int i = scale; i < 8; ++i) result *= 10;
    return result;
  }
  static uint64_t time_of(const Bytes& uuid) {
    return (number(uuid, 6, 2) & 0xFFF) << 48 | number(uuid, 4, 2) << 32 | number(uuid, 0, 4);
  }
  static int compare_uuid(const Bytes& a, const Bytes& b) {
    const int by_version = sign_of(a[6] >> 4, b[6] >> 4);
    if (by_version != 0) return by_version;
    const int by_time = a[6] >> 4 == 1 ? sign_of(time_of(a), time_of(b)) : 0;
    return by_time != 0 ? by_time : compare_bytes(a, b);
  }
  static int compare_timeuuid(const Bytes& a, const Bytes& b) {
    const int by_time = sign_of(time_of(a), time_of(b));
    if (by_time != 0) return by_time;
    for (size_t i = 8; i < 16; ++i) {
      if (a[i] != b[i]) return sign_of(static_cast<int8_t>(a[i]), static_cast<int8_t>(b[i]));
    }
    return 0;
  }
};

// Values of a type that are often equal, neighbours, or special.
class RandomValues {
 public:
  using Bytes = protocol::Bytes;
  using TypeId = protocol::TypeId;

  explicit RandomValues(uint64_t seed) : random_(seed) {}

  Bytes next(TypeId type) {
    if (random_.below(16) == 0) return {};
    switch (type) {
      case TypeId::kBoolean:
        return {static_cast<uint8_t>(random_.below(2))};
      case TypeId::kTinyint:
        return bytes(1);
      case TypeId::kSmallint:
        return bytes(2);
      case TypeId::kInt:
      case TypeId::kDate:
        return bytes(4);
      case TypeId::kFloat:
      case TypeId::kDouble:
        return floating(type == TypeId::kFloat ? 4 : 8);
      case TypeId::kBigint:
      case TypeId::kTime:
      case TypeId::kTimestamp:
        return bytes(8);
      case TypeId::kUuid:
      case TypeId::kTimeuuid:
        return uuid(type == TypeId::kTimeuuid);
      case TypeId::kDecimal:
        return decimal();
      case TypeId::kVarint:
        return bytes(1 + random_.below(random_.below(8) == 0 ? 300 : 10));
      case TypeId::kInet:
        return bytes(random_.below(2) == 0 ? 4 : 16);
      default:
        return bytes(random_.below(random_.below(8) == 0 ? 300 : 6));
    }
  }
  core::Random& random() { return random_; }

 private:
  // Bytes at the ends of their range more often than others.
  uint8_t byte() {
    constexpr uint8_t kSpecial[] = {0x00, 0x00, 0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF};
    return random_.below(4) == 0 ? static_cast<uint8_t>(random_.next())
                                 : kSpecial[random_.below(std::size(kSpecial))];
  }
  Bytes bytes(size_t size) {
    Bytes made(size);
    const bool zeros = random_.below(8) == 0;
    for (uint8_t& each : made) each = zeros ? 0 : byte();
    return made;
  }
  Bytes floating(size_t size) {
    Bytes made = bytes(size);
    constexpr uint8_t kFirst[] = {0x00, 0x80, 0x3F, 0xBF, 0x7F, 0xFF};
    made[0] = kFirst[random_.below(std::size(kFirst))];
    return made;
  }
  Bytes uuid(bool timeuuid) {
    Bytes made = bytes(16);
    constexpr uint8_t kVersions[] = {1, 1, 4, 7, 0};
    const uint8_t version = timeuuid ? 1 : kVersions[random_.below(std::size(kVersions))];
    made[6] = static_cast<uint8_t>(version << 4 | (made[6] & 0x0F));
    return made;
  }
  Bytes decimal() {
    const auto scale = static_cast<int32_t>(random_.below(17)) - 8;
    Bytes made;
    for (int shift = 24; shift >= 0; shift -= 8) {
      made.push_back(static_cast<uint8_t>(scale >> shift));
    }
    const auto small = static_cast<int64_t>(random_.below(2001)) - 1000;
    const int64_t unscaled = random_.below(2) == 0 ? small : static_cast<int64_t>(random_.next());
    for (int shift = 56; shift >= 0; shift -= 8) {
      made.push_back(static_cast<uint8_t>(unscaled >> shift));
    }
    return made;
  }

  core::Random random_;
};

}  // namespace cqlperf::storage
