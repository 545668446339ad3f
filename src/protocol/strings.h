#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/byte_reader.h"
#include "core/result.h"
#include "protocol/inet.h"
#include "protocol/uuid.h"

namespace cqlperf::protocol {

// The notations of section 3 of the native protocol specification, in both directions.
//
// Writers append to a Buffer. Texts longer than a notation can hold are a broken invariant (they
// end the process), so callers bound what users give.
//
// Readers take from a ByteReader and, like it, never throw: what does not fit the notation (a
// length beyond the end, a count that the remaining bytes cannot hold) makes the reader fail for
// good, and the message's decoder reports it once. Views point into the bytes that are read.

using ByteView = std::span<const uint8_t>;
using Bytes = std::vector<uint8_t>;
using StringList = std::vector<std::string>;
using StringMap = std::map<std::string, std::string>;
using StringMultimap = std::map<std::string, StringList>;
// A null entry is std::nullopt.
using BytesMap = std::map<std::string, std::optional<Bytes>>;

inline constexpr size_t kShortMax = 65'535;

// [string]: [short] length and UTF-8.
void append_string(core::Buffer& out, std::string_view text);
std::string_view read_string(core::ByteReader& in);

// [long string]: [int] length and UTF-8.
void append_long_string(core::Buffer& out, std::string_view text);
std::string_view read_long_string(core::ByteReader& in);

// [bytes]: [int] length and bytes; a negative length is null (std::nullopt).
void append_bytes(core::Buffer& out, std::optional<ByteView> bytes);
std::optional<ByteView> read_bytes(core::ByteReader& in);

// The same for tokens and states that are owned.
void append_owned_bytes(core::Buffer& out, const std::optional<Bytes>& bytes);
std::optional<Bytes> read_owned_bytes(core::ByteReader& in);

// [short bytes]: [short] length and bytes.
void append_short_bytes(core::Buffer& out, ByteView bytes);
ByteView read_short_bytes(core::ByteReader& in);

// [string list], [string map], [string multimap], [bytes map]: [short] count, then the entries.
// Maps are written in key order; of entries with equal keys the last one counts.
void append_string_list(core::Buffer& out, const StringList& list);
StringList read_string_list(core::ByteReader& in);
void append_string_map(core::Buffer& out, const StringMap& map);
StringMap read_string_map(core::ByteReader& in);
void append_string_multimap(core::Buffer& out, const StringMultimap& map);
StringMultimap read_string_multimap(core::ByteReader& in);
void append_bytes_map(core::Buffer& out, const BytesMap& map);
BytesMap read_bytes_map(core::ByteReader& in);

// [inetaddr]: [byte] length (4 or 16) and the address. [inet]: the same and an [int] port.
void append_inetaddr(core::Buffer& out, const InetAddress& address);
InetAddress read_inetaddr(core::ByteReader& in);
void append_inet(core::Buffer& out, const InetEndpoint& endpoint);
InetEndpoint read_inet(core::ByteReader& in);

// [uuid]: 16 bytes.
void append_raw_uuid(core::Buffer& out, const Uuid& uuid);
Uuid read_uuid(core::ByteReader& in);

// A [byte] used as truth: any value but 0 is true.
inline bool read_flag(core::ByteReader& in) { return in.read_u8() != 0; }

Bytes to_bytes(ByteView view);
ByteView as_bytes(std::string_view text);

// Ends the decoding of a body: an error that names the message and the place when the reader failed
// or when bytes are left over.
[[nodiscard]] core::Status finish_body(std::string_view message, const core::ByteReader& in);
// The same, and else the decoded message.
template <class Message>
[[nodiscard]] core::Result<Message> finish_body(std::string_view name, const core::ByteReader& in,
                                                Message message) {
  if (auto status = finish_body(name, in); !status) {
    return std::unexpected(std::move(status.error()));
  }
  return message;
}
// The error for a body that breaks a rule other than its length.
[[nodiscard]] std::unexpected<core::Error> malformed(std::string_view message, std::string reason);

}  // namespace cqlperf::protocol
