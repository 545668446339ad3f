#include "cql/literal_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "cql/decimal.h"
#include "cql/literal_time.h"
#include "cql/text_scanner.h"
#include "cql/values.h"
#include "protocol/uuid.h"
#include "protocol/values.h"

namespace cqlperf::cql {
namespace {

using protocol::Bytes;
using protocol::TypeId;

constexpr std::string_view kHexDigits = "0123456789abcdef";

Bytes big_endian(uint64_t bits, size_t size) {
  Bytes bytes(size);
  for (size_t i = size; i-- > 0; bits >>= 8) bytes[i] = static_cast<uint8_t>(bits);
  return bytes;
}

// Java's name of the type is in the message.
template <class Integer>
Result<Bytes> integer_bytes(std::string_view text, std::string_view java_type) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto number = parse_i64(digits);
  if (!number || *number != static_cast<Integer>(*number) || text.starts_with("+-")) {
    return invalid(fmt::format("Unable to make {} from '{}'", java_type, text));
  }
  return big_endian(static_cast<uint64_t>(*number), sizeof(Integer));
}

Result<Bytes> boolean_bytes(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
  if (lower == "true") return Bytes{1};
  if (lower == "false" || lower.empty()) return Bytes{0};
  return invalid(fmt::format("Unable to make boolean from '{}'", text));
}

// The value if there is one, else the message with the text in it.
Result<Bytes> or_invalid(std::optional<Bytes> bytes, fmt::string_view message,
                         std::string_view text) {
  if (bytes) return std::move(*bytes);
  return invalid(fmt::vformat(message, fmt::make_format_args(text)));
}

Result<Bytes> number_bytes(std::string_view text, TypeId id) {
  if (id == TypeId::kDouble) {
    const auto number = parse_double(text);
    return or_invalid(number ? std::optional(double_bytes(*number)) : std::nullopt,
                      "Unable to make double from '{}'", text);
  }
  if (id == TypeId::kFloat) {
    const auto number = parse_float(text);
    return or_invalid(number ? std::optional(float_bytes(*number)) : std::nullopt,
                      "Unable to make float from '{}'", text);
  }
  if (text.size() > kNumberDigitsMax) {
    return invalid(
        fmt::format("A number of {} digits, {} are read at most", text.size(), kNumberDigitsMax));
  }
  return id == TypeId::kVarint
             ? or_invalid(parse_varint(text), "unable to make int from '{}'", text)
             : or_invalid(parse_decimal(text), "unable to make BigDecimal from '{}'", text);
}

// `1.2.3.4`, and with fewer parts, the last of which fills the rest of the four bytes.
std::optional<Bytes> ipv4_bytes(std::string_view text) {
  TextScanner in(text);
  uint64_t address = 0;
  for (size_t parts = 1; parts <= 4 && text.size() < 16; ++parts) {
    int64_t part = 0;
    if (!in.take_number(1, 15, part)) return std::nullopt;
    if (in.at_end()) {
      const size_t bytes_left = 5 - parts;
      if (part >= int64_t{1} << (8 * bytes_left)) return std::nullopt;
      return big_endian(address << (8 * bytes_left) | static_cast<uint64_t>(part), 4);
    }
    if (part > 255 || !in.take('.')) return std::nullopt;
    address = address << 8 | static_cast<uint64_t>(part);
  }
  return std::nullopt;
}

// Also in brackets, and with a scope (`%eth0`), which a value does not keep. What maps an IPv4
// address is that address.
std::optional<Bytes> ipv6_bytes(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const std::string address(text.substr(0, text.find('%')));
  std::array<uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return std::nullopt;
  static constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool is_mapped = std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
  return Bytes(bytes.begin() + (is_mapped ? 12 : 0), bytes.end());
}

// Names are not looked up.
Result<Bytes> inet_bytes(std::string_view text) {
  auto bytes = text.find(':') == text.npos ? ipv4_bytes(text) : ipv6_bytes(text);
  return or_invalid(std::move(bytes), "Unable to make inet address from '{}'", text);
}

Result<Bytes> uuid_bytes(std::string_view text, TypeId id) {
  const auto uuid = protocol::parse_uuid(text);
  if (!uuid) {
    return invalid(id == TypeId::kUuid ? fmt::format("Unable to make UUID from '{}'", text)
                                       : fmt::format("Unknown timeuuid representation: {}", text));
  }
  if (id == TypeId::kTimeuuid && uuid->version() != 1) {
    return invalid("TimeUUID supports only version 1 UUIDs");
  }
  return Bytes(uuid->bytes.begin(), uuid->bytes.end());
}

// The result's number as bytes of `size`, or its error.
template <class Number>
Result<Bytes> fixed_bytes(Result<Number> number, size_t size) {
  if (!number) return std::unexpected(std::move(number.error()));
  return big_endian(static_cast<uint64_t>(*number), size);
}

Result<Bytes> duration_bytes(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) return std::unexpected(duration.error());
  core::Buffer out;
  protocol::append_duration(out, *duration);
  return protocol::to_bytes(out.bytes().subspan(4));
}

Result<Bytes> plain_bytes(std::string_view text, const protocol::ColumnType& type,
                          std::string_view column) {
  const protocol::ByteView bytes = protocol::as_bytes(text);
  if (auto status = check_value(type, bytes, column); !status) {
    return std::unexpected(std::move(status.error()));
  }
  return protocol::to_bytes(bytes);
}

// Types whose text '' is the empty value.
bool is_empty_for_empty(TypeId id) {
  return id != TypeId::kBoolean && id != TypeId::kDate && id != TypeId::kTime &&
         id != TypeId::kVarint;
}

Result<Bytes> parse_as(std::string_view text, const protocol::ColumnType& type,
                       std::string_view column) {
  switch (type.id) {
    case TypeId::kBigint:
    case TypeId::kCounter:
      return integer_bytes<int64_t>(text, "long");
    case TypeId::kInt:
      return integer_bytes<int32_t>(text, "int");
    case TypeId::kSmallint:
      return integer_bytes<int16_t>(text, "short");
    case TypeId::kTinyint:
      return integer_bytes<int8_t>(text, "byte");
    case TypeId::kBoolean:
      return boolean_bytes(text);
    case TypeId::kDecimal:
    case TypeId::kDouble:
    case TypeId::kFloat:
    case TypeId::kVarint:
      return number_bytes(text, type.id);
    case TypeId::kTimestamp:
      return fixed_bytes(parse_timestamp(text), 8);
    case TypeId::kDate:
      return fixed_bytes(parse_date(text), 4);
    case TypeId::kTime:
      return fixed_bytes(parse_time(text), 8);
    case TypeId::kDuration:
      return duration_bytes(text);
    case TypeId::kUuid:
    case TypeId::kTimeuuid:
      return uuid_bytes(text, type.id);
    case TypeId::kInet:
      return inet_bytes(text);
    case TypeId::kBlob:
      return or_invalid(parse_hex(text), "cannot parse '{}' as hex bytes", text);
    default:
      return plain_bytes(text, type, column);
  }
}

template <class Float>
std::optional<Float> parse_floating(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == "NaN" || text == "-NaN") return std::numeric_limits<Float>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<Float>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<Float>::infinity();
  // from_chars() knows names that Java does not.
  if (text.find_first_not_of("0123456789+-.eE") != text.npos) return std::nullopt;
  Float number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument) return std::nullopt;
  if (parsed.ec == std::errc()) return number;
  // Out of range: from_chars() does not say on which side.
  const std::string terminated(text);
  if constexpr (sizeof(Float) == 4) return std::strtof(terminated.c_str(), nullptr);
  return static_cast<Float>(std::strtod(terminated.c_str(), nullptr));
}

}  // namespace

Result<Bytes> text_to_bytes(std::string_view text, const protocol::ColumnType& type,
                            std::string_view column) {
  if (!text.empty() || !is_empty_for_empty(type.id)) return parse_as(text, type, column);
  return plain_bytes(text, type, column);
}

std::optional<Bytes> parse_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  const auto digit_value = [](char c) {
    return kHexDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c | 0x20) : c);
  };
  Bytes bytes(digits.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t high = digit_value(digits[2 * i]);
    const size_t low = digit_value(digits[2 * i + 1]);
    if (high == kHexDigits.npos || low == kHexDigits.npos) return std::nullopt;
    bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return bytes;
}

std::optional<double> parse_double(std::string_view text) { return parse_floating<double>(text); }
std::optional<float> parse_float(std::string_view text) { return parse_floating<float>(text); }

Bytes double_bytes(double number) { return big_endian(std::bit_cast<uint64_t>(number), 8); }
Bytes float_bytes(float number) { return big_endian(std::bit_cast<uint32_t>(number), 4); }

}  // namespace cqlperf::cql
