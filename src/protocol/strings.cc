#include "protocol/strings.h"

#include <fmt/format.h>

#include "core/check.h"

namespace cqlperf::protocol {
namespace {

void append_short(core::Buffer& out, size_t value) {
  CQLPERF_CHECK(value <= kShortMax, "more than a [short] length or count can say");
  out.append_u16(static_cast<uint16_t>(value));
}

// A [short] count, 0 when the remaining bytes cannot hold that many entries of `entry_min` bytes.
size_t read_count(core::ByteReader& in, size_t entry_min) {
  const size_t count = in.read_u16();
  if (count * entry_min <= in.remaining()) return count;
  in.set_failed();
  return 0;
}

}  // namespace

void append_string(core::Buffer& out, std::string_view text) {
  append_short(out, text.size());
  out.append(text);
}

std::string_view read_string(core::ByteReader& in) { return in.read_text(in.read_u16()); }

void append_long_string(core::Buffer& out, std::string_view text) {
  append_bytes(out, as_bytes(text));
}

std::string_view read_long_string(core::ByteReader& in) {
  const int32_t size = in.read_i32();
  if (size < 0) in.set_failed();
  return in.read_text(in.ok() ? static_cast<size_t>(size) : 0);
}

void append_bytes(core::Buffer& out, std::optional<ByteView> bytes) {
  if (!bytes) return out.append_i32(-1);
  CQLPERF_CHECK(bytes->size() <= INT32_MAX, "more than an [int] length can say");
  out.append_i32(static_cast<int32_t>(bytes->size()));
  out.append(*bytes);
}

std::optional<ByteView> read_bytes(core::ByteReader& in) {
  const int32_t size = in.read_i32();
  if (size < 0) return std::nullopt;
  return in.read_bytes(static_cast<size_t>(size));
}

void append_owned_bytes(core::Buffer& out, const std::optional<Bytes>& bytes) {
  append_bytes(out, bytes ? std::optional<ByteView>(*bytes) : std::nullopt);
}

std::optional<Bytes> read_owned_bytes(core::ByteReader& in) {
  const std::optional<ByteView> bytes = read_bytes(in);
  return bytes ? std::optional(to_bytes(*bytes)) : std::nullopt;
}

void append_short_bytes(core::Buffer& out, ByteView bytes) {
  append_short(out, bytes.size());
  out.append(bytes);
}

ByteView read_short_bytes(core::ByteReader& in) { return in.read_bytes(in.read_u16()); }

void append_string_list(core::Buffer& out, const StringList& list) {
  append_short(out, list.size());
  for (const std::string& text : list) append_string(out, text);
}

StringList read_string_list(core::ByteReader& in) {
  StringList list(read_count(in, 2));
  for (std::string& text : list) text = read_string(in);
  return list;
}

void append_string_map(core::Buffer& out, const StringMap& map) {
  append_short(out, map.size());
  for (const auto& [key, value] : map) {
    append_string(out, key);
    append_string(out, value);
  }
}

StringMap read_string_map(core::ByteReader& in) {
  StringMap map;
  for (size_t left = read_count(in, 4); left > 0 && in.ok(); --left) {
    std::string key(read_string(in));
    map.insert_or_assign(std::move(key), std::string(read_string(in)));
  }
  return map;
}

void append_string_multimap(core::Buffer& out, const StringMultimap& map) {
  append_short(out, map.size());
  for (const auto& [key, values] : map) {
    append_string(out, key);
    append_string_list(out, values);
  }
}

StringMultimap read_string_multimap(core::ByteReader& in) {
  StringMultimap map;
  for (size_t left = read_count(in, 4); left > 0 && in.ok(); --left) {
    std::string key(read_string(in));
    map.insert_or_assign(std::move(key), read_string_list(in));
  }
  return map;
}

void append_bytes_map(core::Buffer& out, const BytesMap& map) {
  append_short(out, map.size());
  for (const auto& [key, value] : map) {
    append_string(out, key);
    append_owned_bytes(out, value);
  }
}

BytesMap read_bytes_map(core::ByteReader& in) {
  BytesMap map;
  for (size_t left = read_count(in, 6); left > 0 && in.ok(); --left) {
    std::string key(read_string(in));
    map.insert_or_assign(std::move(key), read_owned_bytes(in));
  }
  return map;
}

void append_inetaddr(core::Buffer& out, const InetAddress& address) {
  out.append_u8(address.size);
  out.append(address.view());
}

InetAddress read_inetaddr(core::ByteReader& in) {
  const uint8_t size = in.read_u8();
  if (size != 4 && size != 16) in.set_failed();
  if (!in.ok()) return {};
  InetAddress address;
  address.size = size;
  const ByteView bytes = in.read_bytes(size);
  std::copy(bytes.begin(), bytes.end(), address.bytes.begin());
  return address;
}

void append_inet(core::Buffer& out, const InetEndpoint& endpoint) {
  append_inetaddr(out, endpoint.address);
  out.append_i32(endpoint.port);
}

InetEndpoint read_inet(core::ByteReader& in) {
  const InetAddress address = read_inetaddr(in);
  return {address, in.read_i32()};
}

void append_raw_uuid(core::Buffer& out, const Uuid& uuid) { out.append(ByteView(uuid.bytes)); }

Uuid read_uuid(core::ByteReader& in) {
  Uuid uuid;
  const ByteView bytes = in.read_bytes(uuid.bytes.size());
  std::copy(bytes.begin(), bytes.end(), uuid.bytes.begin());
  return uuid;
}

Bytes to_bytes(ByteView view) { return {view.begin(), view.end()}; }

ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

core::Status finish_body(std::string_view message, const core::ByteReader& in) {
  if (in.finished()) return {};
  const size_t size = in.position() + in.remaining();
  if (in.ok()) {
    return malformed(message, fmt::format("{} bytes after its end, in a body of {} bytes",
                                          in.remaining(), size));
  }
  return malformed(message,
                   fmt::format("the field at byte {} does not fit the body, which has {} bytes",
                               in.position(), size));
}

std::unexpected<core::Error> malformed(std::string_view message, std::string reason) {
  return core::fail(core::ErrorCode::kProtocol, fmt::format("malformed {}: {}", message, reason));
}

}  // namespace cqlperf::protocol
