#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/version.h"

namespace cqlperf::protocol {

// Frames of the native protocol, v3 and later (section 2 of the specification): nine bytes of
// header and a body. Framing knows bytes only; who reads and writes them is the caller's matter.

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
// True for what servers send.
bool is_response_opcode(Opcode opcode);

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

// The frame at the front of `bytes`, std::nullopt when more bytes are needed, or an error
// (kProtocol) when they cannot be a frame from that side: wrong version or direction, unknown
// opcode or flags, a body over `body_max`. Peers that speak HTTP or TLS are named in the error. A
// wrong first byte is reported at once, not after nine bytes.
core::Result<std::optional<Frame>> next_frame(std::span<const uint8_t> bytes, Direction from,
                                              uint32_t body_max = kFrameBodyMax);

// Appends a header with an open length and returns where it starts, counted from out.data(); the
// caller appends the body and calls end_frame() with that. Nothing may be consumed in between. The
// body must not exceed kFrameBodyMax.
size_t begin_frame(core::Buffer& out, Version version, bool is_response, uint8_t flags,
                   int16_t stream, Opcode opcode);
void end_frame(core::Buffer& out, size_t start);

// Appends a whole message as one frame without flags.
template <class Message>
void append_frame(core::Buffer& out, Version version, int16_t stream, const Message& message) {
  const size_t start =
      begin_frame(out, version, is_response_opcode(Message::kOpcode), 0, stream, Message::kOpcode);
  message.encode_body(version, out);
  end_frame(out, start);
}

}  // namespace cqlperf::protocol
