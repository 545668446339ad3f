#include "protocol/frame.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "core/byte_reader.h"
#include "core/check.h"

namespace cqlperf::protocol {
namespace {

constexpr uint8_t kResponseBit = 0x80;
constexpr size_t kLengthOffset = 5;

struct OpcodeInfo {
  std::string_view name;
  bool is_response;
};
// By opcode; 0x04 has been out of use since v2.
constexpr OpcodeInfo kOpcodes[] = {
    {"ERROR", true},
    {"STARTUP", false},
    {"READY", true},
    {"AUTHENTICATE", true},
    {"", false},
    {"OPTIONS", false},
    {"SUPPORTED", true},
    {"QUERY", false},
    {"RESULT", true},
    {"PREPARE", false},
    {"EXECUTE", false},
    {"REGISTER", false},
    {"EVENT", true},
    {"BATCH", false},
    {"AUTH_CHALLENGE", true},
    {"AUTH_RESPONSE", false},
    {"AUTH_SUCCESS", true},
};

// The entry of a known opcode, else nullptr.
const OpcodeInfo* find_opcode(uint8_t opcode) {
  if (opcode >= std::size(kOpcodes) || kOpcodes[opcode].name.empty()) return nullptr;
  return &kOpcodes[opcode];
}

std::unexpected<core::Error> not_the_protocol(std::string reason) {
  return core::fail(core::ErrorCode::kProtocol, std::move(reason));
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
std::unexpected<core::Error> bad_first_byte(std::span<const uint8_t> bytes, Direction from) {
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

bool is_first_byte(uint8_t byte, Direction from) {
  const uint8_t version = byte & ~kResponseBit;
  const bool is_response = (byte & kResponseBit) != 0;
  return version >= 3 && version <= 5 && is_response == (from == Direction::kResponse);
}

FrameHeader read_header(std::span<const uint8_t> bytes) {
  core::ByteReader in(bytes);
  const uint8_t first = in.read_u8();
  FrameHeader header;
  header.version = static_cast<Version>(first & ~kResponseBit);
  header.is_response = (first & kResponseBit) != 0;
  header.flags = in.read_u8();
  header.stream = static_cast<int16_t>(in.read_u16());
  header.opcode = static_cast<Opcode>(in.read_u8());
  header.body_size = static_cast<uint32_t>(in.read_i32());
  return header;
}

core::Status check_header(const FrameHeader& header, uint32_t body_max) {
  const auto opcode = static_cast<uint8_t>(header.opcode);
  const OpcodeInfo* info = find_opcode(opcode);
  if (info == nullptr) {
    return not_the_protocol(fmt::format("unknown opcode {:#04x} in a frame header", opcode));
  }
  if (info->is_response != header.is_response) {
    return not_the_protocol(fmt::format("opcode {} in a {} frame", info->name,
                                        header.is_response ? "response" : "request"));
  }
  if ((header.flags & ~kFrameFlagsAll) != 0) {
    return not_the_protocol(
        fmt::format("unknown flags {:#04x} in the header of {}", header.flags, info->name));
  }
  if (header.body_size > body_max) {
    return not_the_protocol(fmt::format("the body of {} has {} bytes, at most {} are allowed",
                                        info->name, header.body_size, body_max));
  }
  return {};
}

}  // namespace

std::string_view opcode_name(Opcode opcode) {
  const OpcodeInfo* info = find_opcode(static_cast<uint8_t>(opcode));
  return info ? info->name : "UNKNOWN";
}

bool is_response_opcode(Opcode opcode) {
  const OpcodeInfo* info = find_opcode(static_cast<uint8_t>(opcode));
  return info != nullptr && info->is_response;
}

core::Result<std::optional<Frame>> next_frame(std::span<const uint8_t> bytes, Direction from,
                                              uint32_t body_max) {
  if (bytes.empty()) return std::nullopt;
  if (!is_first_byte(bytes[0], from)) [[unlikely]]
    return bad_first_byte(bytes, from);
  if (bytes.size() < kFrameHeaderSize) return std::nullopt;
  Frame frame{read_header(bytes), {}};
  if (auto status = check_header(frame.header, body_max); !status) [[unlikely]]
    return std::unexpected(std::move(status.error()));
  if (bytes.size() < frame.size()) return std::nullopt;
  frame.body = bytes.subspan(kFrameHeaderSize, frame.header.body_size);
  return frame;
}

size_t begin_frame(core::Buffer& out, Version version, bool is_response, uint8_t flags,
                   int16_t stream, Opcode opcode) {
  CQLPERF_CHECK(version <= kVersionMax, "no bodies are coded for this version");
  const size_t start = out.size();
  out.append_u8(static_cast<uint8_t>(version) | (is_response ? kResponseBit : 0));
  out.append_u8(flags);
  out.append_u16(static_cast<uint16_t>(stream));
  out.append_u8(static_cast<uint8_t>(opcode));
  out.append_i32(0);
  return start;
}

void end_frame(core::Buffer& out, size_t start) {
  const size_t body_size = out.size() - start - kFrameHeaderSize;
  CQLPERF_CHECK(body_size <= kFrameBodyMax, "a frame body over the protocol's limit");
  out.patch_i32(start + kLengthOffset, static_cast<int32_t>(body_size));
}

}  // namespace cqlperf::protocol
