#include "protocol/frame.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

using detail::kResponseBit;

// By opcode.
constexpr std::string_view kOpcodeNames[] = {
    "ERROR",         "STARTUP",      "READY", "AUTHENTICATE", "",
    "OPTIONS",       "SUPPORTED",    "QUERY", "RESULT",       "PREPARE",
    "EXECUTE",       "REGISTER",     "EVENT", "BATCH",        "AUTH_CHALLENGE",
    "AUTH_RESPONSE", "AUTH_SUCCESS",
};

bool is_known(Opcode opcode) {
  const auto value = static_cast<uint8_t>(opcode);
  return value < std::size(kOpcodeNames) && !kOpcodeNames[value].empty();
}

core::Error not_the_protocol(std::string reason) {
  return {core::ErrorCode::kProtocol, std::move(reason)};
}

bool starts_like(std::span<const uint8_t> bytes, std::string_view text) {
  const size_t count = std::min(bytes.size(), text.size());
  return std::equal(bytes.begin(), bytes.begin() + count, text.begin());
}

bool looks_like_http(std::span<const uint8_t> bytes) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"HTTP/", "GET ", "HEAD ", "POST ", "PUT ", "OPTIONS "}),
      [&](std::string_view start) { return starts_like(bytes, start); });
}

// A TLS record: alert (0x15) or handshake (0x16), then major version 3.
bool looks_like_tls(std::span<const uint8_t> bytes) {
  return starts_like(bytes, "\x15\x03") || starts_like(bytes, "\x16\x03");
}

// Why the first byte is wrong, with a look at what follows it.
core::Error bad_first_byte(std::span<const uint8_t> bytes, Direction from) {
  const char* peer = from == Direction::kResponse ? "server" : "client";
  if (looks_like_http(bytes)) {
    return not_the_protocol(fmt::format(
        "the {} seems to speak HTTP, not the CQL native protocol: check host and port", peer));
  }
  if (looks_like_tls(bytes)) {
    return not_the_protocol(fmt::format(
        "the {} seems to speak TLS, where plain CQL native protocol was expected", peer));
  }
  const uint8_t version = bytes[0] & ~kResponseBit;
  const bool is_response = (bytes[0] & kResponseBit) != 0;
  if (version >= 1 && version <= 5 && is_response != (from == Direction::kResponse)) {
    return not_the_protocol(fmt::format(
        "expected a {} frame, found a {} frame (first byte {:#04x})",
        is_response ? "request" : "response", is_response ? "response" : "request", bytes[0]));
  }
  return not_the_protocol(fmt::format(
      "expected a frame of CQL native protocol version 3, 4 or 5 from the {}, found version {} "
      "(first byte {:#04x})",
      peer, version, bytes[0]));
}

core::Error bad_header(const FrameHeader& header, uint32_t body_max) {
  const std::string_view name = opcode_name(header.opcode);
  if (!is_known(header.opcode)) {
    return not_the_protocol(fmt::format("unknown opcode {:#04x} in a frame header",
                                        static_cast<uint8_t>(header.opcode)));
  }
  if (is_response_opcode(header.opcode) != header.is_response) {
    return not_the_protocol(
        fmt::format("opcode {} in a {} frame", name, header.is_response ? "response" : "request"));
  }
  if (header.body_size > body_max) {
    return not_the_protocol(fmt::format("the body of {} has {} bytes, at most {} are allowed", name,
                                        header.body_size, body_max));
  }
  return not_the_protocol(
      fmt::format("unknown flags {:#04x} in the header of {}", header.flags, name));
}

}  // namespace

std::string_view opcode_name(Opcode opcode) {
  return is_known(opcode) ? kOpcodeNames[static_cast<uint8_t>(opcode)] : "UNKNOWN";
}

core::Error detail::frame_error(std::span<const uint8_t> bytes, Direction from, uint32_t body_max) {
  if (!is_first_byte(bytes[0], from)) return bad_first_byte(bytes, from);
  return bad_header(read_header(bytes.data()), body_max);
}

std::optional<RawHeader> peek_raw_header(std::span<const uint8_t> bytes) {
  if (bytes.size() < kFrameHeaderSize) return std::nullopt;
  const uint8_t version = bytes[0] & ~kResponseBit;
  const int stream = version < 3 ? static_cast<int8_t>(bytes[2]) : bytes[2] << 8 | bytes[3];
  return RawHeader{version, (bytes[0] & kResponseBit) != 0, static_cast<int16_t>(stream)};
}

size_t begin_frame(core::Buffer& out, Version version, bool is_response, uint8_t flags,
                   int16_t stream, Opcode opcode) {
  const size_t start = out.size();
  out.append_u8(static_cast<uint8_t>(version) | (is_response ? kResponseBit : 0));
  out.append_u8(flags);
  out.append_u16(static_cast<uint16_t>(stream));
  out.append_u8(static_cast<uint8_t>(opcode));
  out.append_i32(0);
  return start;
}

}  // namespace cqlperf::protocol
