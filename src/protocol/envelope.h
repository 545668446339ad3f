#pragma once

#include <optional>
#include <span>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// What may stand before a message in its body, by the frame's flags (section 2.2 of the
// specification), and the message itself.
struct RequestEnvelope {
  bool tracing = false;                // the client asks for a trace
  BytesMap custom_payload = {};        // v4
  std::span<const uint8_t> body = {};  // points into the frame
};
struct ResponseEnvelope {
  std::optional<Uuid> tracing_id = {};
  StringList warnings = {};            // v4
  BytesMap custom_payload = {};        // v4
  std::span<const uint8_t> body = {};  // points into the frame
};

// Both fail on compressed bodies (FrameReader decompresses them) and on flags that the version does
// not have. Without flags nothing is allocated.
core::Result<RequestEnvelope> split_request(const Frame& frame);
core::Result<ResponseEnvelope> split_response(const Frame& frame);

// The frame flags that `envelope` needs, and the bytes that go before the message. Warnings and
// payload are left out below v4, which has no place for them.
uint8_t envelope_flags(Version version, const RequestEnvelope& envelope);
uint8_t envelope_flags(Version version, const ResponseEnvelope& envelope);
void append_envelope(core::Buffer& out, Version version, const RequestEnvelope& envelope);
void append_envelope(core::Buffer& out, Version version, const ResponseEnvelope& envelope);

// Appends a message with `envelope` before it; `envelope.body` is not used.
template <class Message, class Envelope>
void append_frame(core::Buffer& out, Version version, int16_t stream, const Message& message,
                  const Envelope& envelope) {
  const size_t start = begin_frame(out, version, is_response_opcode(Message::kOpcode),
                                   envelope_flags(version, envelope), stream, Message::kOpcode);
  append_envelope(out, version, envelope);
  message.encode_body(version, out);
  end_frame(out, start);
}

}  // namespace cqlperf::protocol
