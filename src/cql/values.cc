#include "cql/values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "core/byte_reader.h"
#include "cql/decimal.h"
#include "cql/utf8.h"
#include "protocol/values.h"

namespace cqlperf::cql {
namespace {

using protocol::ByteView;
using protocol::TypeId;

[[gnu::noinline]] std::unexpected<protocol::ErrorMessage> refuse(std::string_view what,
                                                                 std::string_view column) {
  return invalid(fmt::format("{}, for column {}", what, column));
}

// What Cassandra says about a value of the wrong length, `{}` being the length it has.
std::unexpected<protocol::ErrorMessage> wrong_size(fmt::string_view format, ByteView value,
                                                   std::string_view column) {
  return refuse(fmt::vformat(format, fmt::make_format_args(value.size())), column);
}

Status check_ascii(ByteView value, std::string_view column) {
  if (const auto byte = std::ranges::find_if(value, [](uint8_t b) { return b >= 0x80; });
      byte != value.end()) {
    return refuse(fmt::format("Invalid byte for ascii: {}", static_cast<int8_t>(*byte)), column);
  }
  return {};
}

Status check_timeuuid(ByteView value, std::string_view column) {
  if (value.empty()) return {};
  if (value.size() != 16) return wrong_size("UUID should be 16 or 0 bytes ({})", value, column);
  if (value[6] >> 4 == 1) return {};
  return refuse(fmt::format("Invalid version for TimeUUID type: {:#x}", value[6] >> 4), column);
}

Status check_duration(ByteView value, std::string_view column) {
  if (value.size() < 3) {
    return wrong_size("Expected at least 3 bytes for a duration ({})", value, column);
  }
  if (auto duration = protocol::decode_duration(value); !duration) {
    return refuse(duration.error().message, column);
  }
  return {};
}

// A value of `size` bytes, or, for most types, an empty one.
Status check_size(ByteView value, size_t size, bool may_be_empty, fmt::string_view format,
                  std::string_view column) {
  if (value.size() == size || (may_be_empty && value.empty())) [[likely]]
    return {};
  return wrong_size(format, value, column);
}

template <class Integer>
Integer read_integer(ByteView value) {
  uint64_t bits = 0;
  for (const uint8_t byte : value) bits = bits << 8 | byte;
  return static_cast<Integer>(bits);
}

template <class Integer>
std::strong_ordering compare_integers(ByteView left, ByteView right) {
  return read_integer<Integer>(left) <=> read_integer<Integer>(right);
}

// As Java's Double.compare(): -0.0 before 0.0, NaN (all of them equal) last.
template <class Float, class Bits>
std::strong_ordering compare_floats(ByteView left, ByteView right) {
  const auto rank = [](ByteView value) {
    const auto number = std::bit_cast<Float>(read_integer<Bits>(value));
    if (number != number) return std::numeric_limits<Bits>::max();
    const auto bits = std::bit_cast<Bits>(number);
    // The bits of negative numbers grow with their absolute value.
    return bits < 0 ? static_cast<Bits>(std::numeric_limits<Bits>::min() - bits - 1) : bits;
  };
  return rank(left) <=> rank(right);
}

std::strong_ordering compare_bytes(ByteView left, ByteView right) {
  const int order = std::memcmp(left.data(), right.data(), std::min(left.size(), right.size()));
  return order != 0 ? order <=> 0 : left.size() <=> right.size();
}

uint64_t timeuuid_ticks(ByteView value) {
  protocol::Uuid uuid;
  std::copy_n(value.begin(), 16, uuid.bytes.begin());
  return protocol::uuid_ticks(uuid);
}

// By time, then by the other bytes as signed ones, which is how Cassandra began to order them.
std::strong_ordering compare_timeuuids(ByteView left, ByteView right) {
  if (const auto order = timeuuid_ticks(left) <=> timeuuid_ticks(right); order != 0) return order;
  return std::lexicographical_compare_three_way(
      left.begin() + 8, left.end(), right.begin() + 8, right.end(),
      [](uint8_t l, uint8_t r) { return static_cast<int8_t>(l) <=> static_cast<int8_t>(r); });
}

// By version, those of version 1 by time, then by bytes.
std::strong_ordering compare_uuids(ByteView left, ByteView right) {
  const int version = left[6] >> 4;
  if (const auto order = version <=> (right[6] >> 4); order != 0) return order;
  if (version == 1) {
    if (const auto order = timeuuid_ticks(left) <=> timeuuid_ticks(right); order != 0) return order;
  }
  return compare_bytes(left, right);
}

std::strong_ordering compare_booleans(ByteView left, ByteView right) {
  return (left[0] != 0) <=> (right[0] != 0);
}

// Neither is empty.
std::strong_ordering compare_present(TypeId id, ByteView left, ByteView right) {
  switch (id) {
    case TypeId::kInt:
      return compare_integers<int32_t>(left, right);
    case TypeId::kBigint:
    case TypeId::kCounter:
    case TypeId::kTimestamp:
      return compare_integers<int64_t>(left, right);
    case TypeId::kSmallint:
      return compare_integers<int16_t>(left, right);
    case TypeId::kTinyint:
      return compare_integers<int8_t>(left, right);
    case TypeId::kBoolean:
      return compare_booleans(left, right);
    case TypeId::kFloat:
      return compare_floats<float, int32_t>(left, right);
    case TypeId::kDouble:
      return compare_floats<double, int64_t>(left, right);
    case TypeId::kVarint:
      return compare_varints(left, right);
    case TypeId::kDecimal:
      return compare_decimals(left, right);
    case TypeId::kUuid:
      return compare_uuids(left, right);
    case TypeId::kTimeuuid:
      return compare_timeuuids(left, right);
    default:
      return compare_bytes(left, right);
  }
}

}  // namespace

bool is_scalar(const protocol::ColumnType& type) {
  return type.id != TypeId::kCustom && type.id < TypeId::kList;
}

Status check_value(const protocol::ColumnType& type, ByteView value, std::string_view column) {
  switch (type.id) {
    case TypeId::kInt:
      return check_size(value, 4, true, "Expected 4 or 0 byte int ({})", column);
    case TypeId::kBigint:
    case TypeId::kCounter:
      return check_size(value, 8, true, "Expected 8 or 0 byte long ({})", column);
    case TypeId::kBlob:
    case TypeId::kVarint:
      return {};
    case TypeId::kVarchar:
      return is_cassandra_utf8(value) ? Status() : refuse("String didn't validate.", column);
    case TypeId::kUuid:
      return check_size(value, 16, true, "UUID should be 16 or 0 bytes ({})", column);
    case TypeId::kTimeuuid:
      return check_timeuuid(value, column);
    case TypeId::kTimestamp:
      return check_size(value, 8, true, "Expected 8 or 0 byte long for date ({})", column);
    case TypeId::kBoolean:
      return check_size(value, 1, true, "Expected 1 or 0 byte value ({})", column);
    case TypeId::kDouble:
      return check_size(value, 8, true, "Expected 8 or 0 byte value for a double ({})", column);
    case TypeId::kFloat:
      return check_size(value, 4, true, "Expected 4 or 0 byte value for a float ({})", column);
    case TypeId::kAscii:
      return check_ascii(value, column);
    case TypeId::kSmallint:
      return check_size(value, 2, false, "Expected 2 bytes for a smallint ({})", column);
    case TypeId::kTinyint:
      return check_size(value, 1, false, "Expected 1 byte for a tinyint ({})", column);
    case TypeId::kDate:
      return check_size(value, 4, false, "Expected 4 byte long for date ({})", column);
    case TypeId::kTime:
      return check_size(value, 8, false, "Expected 8 byte long for time ({})", column);
    case TypeId::kInet:
      return check_size(value, value.size() == 16 ? 16 : 4, true,
                        "Expected 4 or 16 byte inetaddress; got {} bytes", column);
    case TypeId::kDecimal:
      return check_size(value, std::max<size_t>(4, value.size()), true,
                        "Expected 0 or at least 4 bytes ({})", column);
    case TypeId::kDuration:
      return check_duration(value, column);
    default:
      return refuse(fmt::format("Values of type {} are not supported", type.cql_name()), column);
  }
}

std::strong_ordering compare_values(const protocol::ColumnType& type, ByteView left,
                                    ByteView right) {
  if (left.empty() || right.empty()) return !left.empty() <=> !right.empty();
  return compare_present(type.id, left, right);
}

}  // namespace cqlperf::cql
