#include "protocol/values.h"

#include <algorithm>

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

constexpr int64_t kNanosPerDay = 86'400'000'000'000;
constexpr size_t kVarintSizeMax = 8;

core::Status check_size(std::string_view type, ByteView value, size_t wanted) {
  if (value.size() == wanted) return {};
  return malformed(type, fmt::format("a value of {} bytes, it needs {}", value.size(), wanted));
}

// The value as a big-endian two's complement integer of exactly its size.
template <class Integer>
core::Result<Integer> decode_integer(std::string_view type, ByteView value) {
  if (auto status = check_size(type, value, sizeof(Integer)); !status) {
    return std::unexpected(std::move(status.error()));
  }
  uint64_t bits = 0;
  for (const uint8_t byte : value) bits = bits << 8 | byte;
  return static_cast<Integer>(bits);
}

// std::expected::transform, which the standard library of GCC 12 lacks.
template <class To, class From, class Convert>
core::Result<To> convert(core::Result<From> from, Convert convert_value) {
  if (!from) return std::unexpected(std::move(from.error()));
  return convert_value(*from);
}

// The count at the start of a collection value, each entry being `entry_min` bytes or more.
size_t read_collection_count(core::ByteReader& in, size_t entry_min) {
  const int32_t count = in.read_i32();
  if (count >= 0 && static_cast<size_t>(count) <= in.remaining() / entry_min) {
    return static_cast<size_t>(count);
  }
  in.set_failed();
  return 0;
}

uint64_t zigzag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

int64_t unzigzag(uint64_t value) { return static_cast<int64_t>(value >> 1 ^ (0 - (value & 1))); }

// An unsigned integer of 1 to 9 bytes: the ones at the start of the first byte count the bytes that
// follow, the rest is the number.
void append_vint(core::Buffer& out, uint64_t value) {
  const int bits = std::bit_width(value | 1);
  const int extra = std::min((bits - 1) / 7, 8);
  const auto marker = static_cast<uint8_t>(0xff00 >> extra);
  out.append_u8(extra == 8 ? 0xff : static_cast<uint8_t>(marker | value >> (8 * extra)));
  for (int i = extra - 1; i >= 0; --i) out.append_u8(static_cast<uint8_t>(value >> (8 * i)));
}

uint64_t read_vint(core::ByteReader& in) {
  const uint8_t first = in.read_u8();
  const int extra = std::countl_one(first);
  uint64_t value = extra < 8 ? first & (0xff >> extra) : 0;
  for (int i = 0; i < extra; ++i) value = value << 8 | in.read_u8();
  return value;
}

bool fits_i32(int64_t value) { return value == static_cast<int32_t>(value); }

std::unexpected<core::Error> null_element(std::string_view type) {
  return malformed(type, "a null element");
}

}  // namespace

void append_varint(core::Buffer& out, int64_t value) {
  uint8_t bytes[kVarintSizeMax];
  size_t size = 0;
  // Low bytes first; done when the rest is only the sign of what is written.
  do {
    bytes[size++] = static_cast<uint8_t>(value);
    value >>= 8;
  } while (size < kVarintSizeMax && value != static_cast<int8_t>(bytes[size - 1]) >> 7);
  out.append_i32(static_cast<int32_t>(size));
  while (size > 0) out.append_u8(bytes[--size]);
}

void append_duration(core::Buffer& out, const Duration& duration) {
  const size_t start = begin_value(out);
  append_vint(out, zigzag(duration.months));
  append_vint(out, zigzag(duration.days));
  append_vint(out, zigzag(duration.nanos));
  end_value(out, start);
}

size_t begin_value(core::Buffer& out) {
  const size_t start = out.size();
  out.append_i32(0);
  return start;
}

void end_value(core::Buffer& out, size_t start) {
  out.patch_i32(start, static_cast<int32_t>(out.size() - start - 4));
}

void append_text_list(core::Buffer& out, const StringList& texts) {
  const size_t start = begin_value(out);
  out.append_i32(static_cast<int32_t>(texts.size()));
  for (const std::string& text : texts) append_text(out, text);
  end_value(out, start);
}

void append_text_map(core::Buffer& out, const StringMap& map) {
  const size_t start = begin_value(out);
  out.append_i32(static_cast<int32_t>(map.size()));
  for (const auto& [key, value] : map) {
    append_text(out, key);
    append_text(out, value);
  }
  end_value(out, start);
}

core::Result<int8_t> decode_tinyint(ByteView value) {
  return decode_integer<int8_t>("tinyint", value);
}
core::Result<int16_t> decode_smallint(ByteView value) {
  return decode_integer<int16_t>("smallint", value);
}
core::Result<int32_t> decode_int(ByteView value) { return decode_integer<int32_t>("int", value); }
core::Result<int64_t> decode_bigint(ByteView value) {
  return decode_integer<int64_t>("bigint", value);
}
core::Result<int64_t> decode_counter(ByteView value) {
  return decode_integer<int64_t>("counter", value);
}
core::Result<bool> decode_boolean(ByteView value) {
  return convert<bool>(decode_integer<uint8_t>("boolean", value),
                       [](uint8_t byte) { return byte != 0; });
}
core::Result<float> decode_float(ByteView value) {
  return convert<float>(decode_integer<uint32_t>("float", value), std::bit_cast<float, uint32_t>);
}
core::Result<double> decode_double(ByteView value) {
  return convert<double>(decode_integer<uint64_t>("double", value),
                         std::bit_cast<double, uint64_t>);
}
core::Result<int64_t> decode_timestamp(ByteView value) {
  return decode_integer<int64_t>("timestamp", value);
}

core::Result<int64_t> decode_time(ByteView value) {
  auto nanos = decode_integer<int64_t>("time", value);
  if (!nanos || (*nanos >= 0 && *nanos < kNanosPerDay)) return nanos;
  return malformed("time", fmt::format("{} ns, a day has {}", *nanos, kNanosPerDay));
}

core::Result<int32_t> decode_date(ByteView value) {
  return convert<int32_t>(decode_integer<uint32_t>("date", value),
                          [](uint32_t days) { return static_cast<int32_t>(days - 0x8000'0000u); });
}

core::Result<Uuid> decode_uuid(ByteView value) {
  Uuid uuid;
  if (auto status = check_size("uuid", value, uuid.bytes.size()); !status) {
    return std::unexpected(std::move(status.error()));
  }
  std::copy(value.begin(), value.end(), uuid.bytes.begin());
  return uuid;
}

core::Result<InetAddress> decode_inet(ByteView value) {
  if (value.size() != 4 && value.size() != 16) {
    return malformed("inet", fmt::format("a value of {} bytes, it needs 4 or 16", value.size()));
  }
  InetAddress address;
  address.size = static_cast<uint8_t>(value.size());
  std::copy(value.begin(), value.end(), address.bytes.begin());
  return address;
}

core::Result<int64_t> decode_varint(ByteView value) {
  if (value.empty()) return malformed("varint", "a value of 0 bytes, it needs 1 or more");
  // Sign first; then every byte must leave the sign as it is.
  int64_t result = static_cast<int8_t>(value[0]) >> 7;
  for (const uint8_t byte : value) {
    if (result != (result << 8) >> 8) {
      return malformed("varint", fmt::format("a value of {} bytes, beyond 64 bits", value.size()));
    }
    result = result << 8 | byte;
  }
  return result;
}

core::Result<Duration> decode_duration(ByteView value) {
  core::ByteReader in(value);
  const int64_t months = unzigzag(read_vint(in));
  const int64_t days = unzigzag(read_vint(in));
  const int64_t nanos = unzigzag(read_vint(in));
  if (!in.ok()) {
    return malformed("duration", fmt::format("{} bytes do not hold three numbers", value.size()));
  }
  if (!fits_i32(months) || !fits_i32(days)) {
    return malformed("duration",
                     fmt::format("{} months and {} days, each has 32 bits at most", months, days));
  }
  if ((months < 0 || days < 0 || nanos < 0) && (months > 0 || days > 0 || nanos > 0)) {
    return malformed("duration", fmt::format("{} months, {} days and {} ns differ in sign", months,
                                             days, nanos));
  }
  return Duration{static_cast<int32_t>(months), static_cast<int32_t>(days), nanos};
}

std::string_view decode_text(ByteView value) {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

core::Result<std::vector<Element>> decode_list(ByteView value) {
  core::ByteReader in(value);
  std::vector<Element> elements(read_collection_count(in, 4));
  for (Element& element : elements) element = read_bytes(in);
  return finish_body("list", in, std::move(elements));
}

core::Result<std::vector<std::pair<Element, Element>>> decode_map(ByteView value) {
  core::ByteReader in(value);
  std::vector<std::pair<Element, Element>> entries(read_collection_count(in, 8));
  for (auto& [key, mapped] : entries) {
    key = read_bytes(in);
    mapped = read_bytes(in);
  }
  return finish_body("map", in, std::move(entries));
}

core::Result<StringList> decode_text_list(ByteView value) {
  auto elements = decode_list(value);
  if (!elements) return std::unexpected(std::move(elements.error()));
  StringList texts;
  for (const Element& element : *elements) {
    if (!element) return null_element("list");
    texts.emplace_back(decode_text(*element));
  }
  return texts;
}

core::Result<StringMap> decode_text_map(ByteView value) {
  auto entries = decode_map(value);
  if (!entries) return std::unexpected(std::move(entries.error()));
  StringMap map;
  for (const auto& [key, mapped] : *entries) {
    if (!key || !mapped) return null_element("map");
    map.insert_or_assign(std::string(decode_text(*key)), std::string(decode_text(*mapped)));
  }
  return map;
}

}  // namespace cqlperf::protocol
