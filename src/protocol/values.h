#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// The values of CQL types (section 6 of the specification).
//
// append_*: a whole [value], its [int] length included, straight into a write buffer.
// decode_*: the bytes of one value, without the length; a length that the type does not have is an
// error (kProtocol) that names both.

inline void append_null(core::Buffer& out) { out.append_i32(-1); }
// v4 and later: the column keeps what it has.
inline void append_unset(core::Buffer& out) { out.append_i32(-2); }

inline void append_tinyint(core::Buffer& out, int8_t value) {
  out.append_i32(1);
  out.append_u8(static_cast<uint8_t>(value));
}
inline void append_smallint(core::Buffer& out, int16_t value) {
  out.append_i32(2);
  out.append_u16(static_cast<uint16_t>(value));
}
inline void append_int(core::Buffer& out, int32_t value) {
  out.append_i64((int64_t{4} << 32) | static_cast<uint32_t>(value));
}
inline void append_bigint(core::Buffer& out, int64_t value) {
  out.append_i32(8);
  out.append_i64(value);
}
inline void append_counter(core::Buffer& out, int64_t value) { append_bigint(out, value); }
inline void append_boolean(core::Buffer& out, bool value) {
  append_tinyint(out, static_cast<int8_t>(value));
}
inline void append_float(core::Buffer& out, float value) {
  append_int(out, std::bit_cast<int32_t>(value));
}
inline void append_double(core::Buffer& out, double value) {
  append_bigint(out, std::bit_cast<int64_t>(value));
}
// Milliseconds since 1970.
inline void append_timestamp(core::Buffer& out, int64_t millis) { append_bigint(out, millis); }
// Nanoseconds since midnight.
inline void append_time(core::Buffer& out, int64_t nanos) { append_bigint(out, nanos); }
// Days since 1970-01-01; the wire counts from 2^31 days before.
inline void append_date(core::Buffer& out, int32_t days) {
  append_int(out, static_cast<int32_t>(static_cast<uint32_t>(days) + 0x8000'0000u));
}
inline void append_blob(core::Buffer& out, ByteView bytes) {
  out.append_i32(static_cast<int32_t>(bytes.size()));
  out.append(bytes);
}
// text, varchar and ascii.
inline void append_text(core::Buffer& out, std::string_view text) {
  append_blob(out, as_bytes(text));
}
// uuid and timeuuid.
inline void append_uuid(core::Buffer& out, const Uuid& uuid) { append_blob(out, uuid.bytes); }
inline void append_inet_value(core::Buffer& out, const InetAddress& address) {
  append_blob(out, address.view());
}
void append_varint(core::Buffer& out, int64_t value);

// A span of time in three parts, which no calendar converts into each other. All that are not zero
// have the same sign.
struct Duration {
  int32_t months = 0;
  int32_t days = 0;
  int64_t nanos = 0;

  bool operator==(const Duration&) const = default;
};
// Three vints of zigzag-coded integers (section 6 of the v5 specification).
void append_duration(core::Buffer& out, const Duration& duration);

// A value whose length is known only when it is written (collections, tuples): begin_value() gives
// the place to patch, counted from out.data(); nothing may be consumed in between.
size_t begin_value(core::Buffer& out);
void end_value(core::Buffer& out, size_t start);

// list<text> and set<text>; map<text, text>.
void append_text_list(core::Buffer& out, const StringList& texts);
void append_text_map(core::Buffer& out, const StringMap& map);

core::Result<int8_t> decode_tinyint(ByteView value);
core::Result<int16_t> decode_smallint(ByteView value);
core::Result<int32_t> decode_int(ByteView value);
core::Result<int64_t> decode_bigint(ByteView value);
core::Result<int64_t> decode_counter(ByteView value);
core::Result<bool> decode_boolean(ByteView value);
core::Result<float> decode_float(ByteView value);
core::Result<double> decode_double(ByteView value);
core::Result<int64_t> decode_timestamp(ByteView value);  // milliseconds since 1970
core::Result<int64_t> decode_time(ByteView value);       // nanoseconds since midnight, below a day
core::Result<int32_t> decode_date(ByteView value);       // days since 1970-01-01
core::Result<Uuid> decode_uuid(ByteView value);
core::Result<InetAddress> decode_inet(ByteView value);
// Any length from 1 byte; beyond 64 bits is an error.
core::Result<int64_t> decode_varint(ByteView value);
// Bytes after the three parts are ignored, as Cassandra does.
core::Result<Duration> decode_duration(ByteView value);
// The same bytes as text.
std::string_view decode_text(ByteView value);

// Elements of a list or set, in their order, and entries of a map; null elements are std::nullopt.
// The views point into `value`.
using Element = std::optional<ByteView>;
core::Result<std::vector<Element>> decode_list(ByteView value);
core::Result<std::vector<std::pair<Element, Element>>> decode_map(ByteView value);
// The same with texts; null elements are errors.
core::Result<StringList> decode_text_list(ByteView value);
core::Result<StringMap> decode_text_map(ByteView value);

}  // namespace cqlperf::protocol
