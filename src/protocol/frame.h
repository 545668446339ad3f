#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "core/buffer.h"
#include "core/check.h"
#include "core/result.h"
#include "protocol/version.h"

namespace cqlperf::protocol {

// Frames of the native protocol, v3 and later (section 2 of the specification; v5 calls them
// envelopes): nine bytes of header and a body. Framing knows bytes only; who reads and writes them
// is the caller's matter.

enum class Opcode : uint8_t {
  kError = 0x00,
  kStartup = 0x01,
  kReady = 0x02,
  kAuthenticate = 0x03,
  kOptions = 0x05,
  kSupported = 0x06,
  kQuery = 0x07,
  kResult = 0x08,
  kPrepare = 0x09,
  kExecute = 0x0A,
  kRegister = 0x0B,
  kEvent = 0x0C,
  kBatch = 0x0D,
  kAuthChallenge = 0x0E,
  kAuthResponse = 0x0F,
  kAuthSuccess = 0x10,
};

// The name in the specification: `QUERY`; `UNKNOWN` for a value that it does not have.
std::string_view opcode_name(Opcode opcode);

// The opcodes of each side as bits, for checks without branches; 0x04 has been out of use since v2.
inline constexpr uint32_t kResponseOpcodes = 0x1'514D;
inline constexpr uint32_t kRequestOpcodes = 0x0'AEA2;

// True for what servers send.
constexpr bool is_response_opcode(Opcode opcode) {
  const auto value = static_cast<uint8_t>(opcode);
  return value < 32 && (kResponseOpcodes >> value & 1) != 0;
}

inline constexpr uint8_t kFlagCompression = 0x01;
inline constexpr uint8_t kFlagTracing = 0x02;
inline constexpr uint8_t kFlagCustomPayload = 0x04;
inline constexpr uint8_t kFlagWarning = 0x08;
inline constexpr uint8_t kFlagBeta = 0x10;
inline constexpr uint8_t kFrameFlagsAll = 0x1F;

inline constexpr size_t kFrameHeaderSize = 9;
inline constexpr uint32_t kFrameBodyMax = 256u << 20;  // bytes
// The stream id of every EVENT.
inline constexpr int16_t kEventStream = -1;

struct FrameHeader {
  Version version = Version::kV4;
  bool is_response = false;
  uint8_t flags = 0;
  int16_t stream = 0;
  Opcode opcode = Opcode::kError;
  uint32_t body_size = 0;  // bytes

  bool operator==(const FrameHeader&) const = default;
};

// A frame in place: the body points into the bytes given to next_frame().
struct Frame {
  FrameHeader header;
  std::span<const uint8_t> body;

  // What the caller consumes when it is done with the frame.
  size_t size() const { return kFrameHeaderSize + header.body_size; }
};

// Who wrote the bytes.
enum class Direction { kRequest, kResponse };

namespace detail {

inline constexpr uint8_t kResponseBit = 0x80;
inline constexpr size_t kFlagsOffset = 1;
inline constexpr size_t kLengthOffset = 5;

// True when the byte is a known version with the direction bit of that side.
constexpr bool is_first_byte(uint8_t byte, Direction from) {
  const uint8_t version = byte & ~kResponseBit;
  return version >= 3 && version <= 5 &&
         ((byte & kResponseBit) != 0) == (from == Direction::kResponse);
}

// True when all of the header but its first byte is what that side may send.
constexpr bool is_valid(const FrameHeader& header, Direction from, uint32_t body_max) {
  const uint32_t opcodes = from == Direction::kResponse ? kResponseOpcodes : kRequestOpcodes;
  const auto opcode = static_cast<uint8_t>(header.opcode);
  return opcode < 32 && (opcodes >> opcode & 1) != 0 && (header.flags & ~kFrameFlagsAll) == 0 &&
         header.body_size <= body_max;
}

inline FrameHeader read_header(const uint8_t* bytes) {
  uint32_t body_size = 0;
  std::memcpy(&body_size, bytes + kLengthOffset, sizeof body_size);
  return {static_cast<Version>(bytes[0] & ~kResponseBit),
          (bytes[0] & kResponseBit) != 0,
          bytes[1],
          static_cast<int16_t>(bytes[2] << 8 | bytes[3]),
          static_cast<Opcode>(bytes[4]),
          __builtin_bswap32(body_size)};
}

// The size of the frame whose header, not checked, is at the front; kFrameHeaderSize at least.
inline size_t frame_size(std::span<const uint8_t> bytes) {
  return kFrameHeaderSize + read_header(bytes.data()).body_size;
}

// Why the bytes, which failed one of the checks above, cannot be a frame.
core::Error frame_error(std::span<const uint8_t> bytes, Direction from, uint32_t body_max);

}  // namespace detail

// The frame at the front of `bytes`, std::nullopt when more bytes are needed, or an error
// (kProtocol) when they cannot be a frame from that side: wrong version or direction, unknown
// opcode or flags, a body over `body_max`. Peers that speak HTTP or TLS are named in the error. A
// wrong first byte is reported at once, not after nine bytes. Inline, since it runs for every
// reply.
inline core::Result<std::optional<Frame>> next_frame(std::span<const uint8_t> bytes, Direction from,
                                                     uint32_t body_max = kFrameBodyMax) {
  if (bytes.empty()) return std::nullopt;
  if (!detail::is_first_byte(bytes[0], from)) [[unlikely]]
    return std::unexpected(detail::frame_error(bytes, from, body_max));
  if (bytes.size() < kFrameHeaderSize) return std::nullopt;
  const FrameHeader header = detail::read_header(bytes.data());
  if (!detail::is_valid(header, from, body_max)) [[unlikely]]
    return std::unexpected(detail::frame_error(bytes, from, body_max));
  if (bytes.size() - kFrameHeaderSize < header.body_size) return std::nullopt;
  return Frame{header, bytes.subspan(kFrameHeaderSize, header.body_size)};
}

// What can be told of a frame whatever its version: for a server that refuses versions which
// next_frame() takes for an error.
struct RawHeader {
  uint8_t version = 0;  // 1 to 127
  bool is_response = false;
  int16_t stream = 0;  // of v1 and v2 too, whose ids have one byte
};
// std::nullopt until nine bytes have come.
std::optional<RawHeader> peek_raw_header(std::span<const uint8_t> bytes);

// Appends a header with an open length and returns where it starts, counted from out.data(); the
// caller appends the body and calls end_frame() with that. Nothing may be consumed in between. The
// body must not exceed kFrameBodyMax; `outside` bytes of it are sent in their place, but not in
// `out`.
size_t begin_frame(core::Buffer& out, Version version, bool is_response, uint8_t flags,
                   int16_t stream, Opcode opcode);
inline void end_frame(core::Buffer& out, size_t start, size_t outside = 0) {
  const size_t body_size = out.size() - start - kFrameHeaderSize + outside;
  CQLPERF_CHECK(body_size <= kFrameBodyMax, "a frame body over the protocol's limit");
  out.patch_i32(start + detail::kLengthOffset, static_cast<int32_t>(body_size));
}

// Appends a whole message as one frame without flags.
template <class Message>
void append_frame(core::Buffer& out, Version version, int16_t stream, const Message& message) {
  const size_t start =
      begin_frame(out, version, is_response_opcode(Message::kOpcode), 0, stream, Message::kOpcode);
  message.encode_body(version, out);
  end_frame(out, start);
}

}  // namespace cqlperf::protocol
