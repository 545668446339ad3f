#include "protocol/envelope.h"

#include <fmt/format.h>

#include "core/byte_reader.h"

namespace cqlperf::protocol {
namespace {

constexpr uint8_t kFlagsBelowV4 = kFlagTracing | kFlagBeta;
constexpr uint8_t kRequestFlags = kFlagTracing | kFlagCustomPayload | kFlagBeta;
constexpr uint8_t kResponseFlags = kRequestFlags | kFlagWarning;

core::Status check_envelope(const FrameHeader& header, uint8_t allowed_flags) {
  const std::string_view name = opcode_name(header.opcode);
  if (header.version >= Version::kV5) allowed_flags |= kFlagCompression;  // without a meaning
  if ((header.flags & ~allowed_flags & kFlagCompression) != 0) {
    return malformed(name, "a compressed body, but no compression was agreed");
  }
  if (header.version < Version::kV4) allowed_flags &= kFlagsBelowV4;
  if ((header.flags & ~allowed_flags) != 0) {
    return malformed(name,
                     fmt::format("flags {:#04x}, which version {} does not have here",
                                 header.flags & ~allowed_flags, static_cast<int>(header.version)));
  }
  return {};
}

// Errors when the prefix did not fit; else the rest is the message.
core::Status finish_prefix(const FrameHeader& header, const core::ByteReader& in) {
  if (in.ok()) return {};
  return malformed(opcode_name(header.opcode), "the fields before the message do not fit the body");
}

bool has_payload(Version version, const BytesMap& payload) {
  return version >= Version::kV4 && !payload.empty();
}
bool has_warnings(Version version, const StringList& warnings) {
  return version >= Version::kV4 && !warnings.empty();
}

}  // namespace

core::Result<RequestEnvelope> split_request(const Frame& frame) {
  if (auto status = check_envelope(frame.header, kRequestFlags); !status) {
    return std::unexpected(std::move(status.error()));
  }
  core::ByteReader in(frame.body);
  RequestEnvelope envelope;
  envelope.tracing = (frame.header.flags & kFlagTracing) != 0;
  if ((frame.header.flags & kFlagCustomPayload) != 0) envelope.custom_payload = read_bytes_map(in);
  if (auto status = finish_prefix(frame.header, in); !status) {
    return std::unexpected(std::move(status.error()));
  }
  envelope.body = in.read_rest();
  return envelope;
}

core::Result<ResponseEnvelope> split_response(const Frame& frame) {
  if (auto status = check_envelope(frame.header, kResponseFlags); !status) {
    return std::unexpected(std::move(status.error()));
  }
  core::ByteReader in(frame.body);
  ResponseEnvelope envelope;
  if ((frame.header.flags & kFlagTracing) != 0) envelope.tracing_id = read_uuid(in);
  if ((frame.header.flags & kFlagWarning) != 0) envelope.warnings = read_string_list(in);
  if ((frame.header.flags & kFlagCustomPayload) != 0) envelope.custom_payload = read_bytes_map(in);
  if (auto status = finish_prefix(frame.header, in); !status) {
    return std::unexpected(std::move(status.error()));
  }
  envelope.body = in.read_rest();
  return envelope;
}

uint8_t envelope_flags(Version version, const RequestEnvelope& envelope) {
  uint8_t flags = envelope.tracing ? kFlagTracing : 0;
  if (has_payload(version, envelope.custom_payload)) flags |= kFlagCustomPayload;
  return flags;
}

uint8_t envelope_flags(Version version, const ResponseEnvelope& envelope) {
  uint8_t flags = envelope.tracing_id ? kFlagTracing : 0;
  if (has_warnings(version, envelope.warnings)) flags |= kFlagWarning;
  if (has_payload(version, envelope.custom_payload)) flags |= kFlagCustomPayload;
  return flags;
}

void append_envelope(core::Buffer& out, Version version, const RequestEnvelope& envelope) {
  if (has_payload(version, envelope.custom_payload)) append_bytes_map(out, envelope.custom_payload);
}

void append_envelope(core::Buffer& out, Version version, const ResponseEnvelope& envelope) {
  if (envelope.tracing_id) append_raw_uuid(out, *envelope.tracing_id);
  if (has_warnings(version, envelope.warnings)) append_string_list(out, envelope.warnings);
  if (has_payload(version, envelope.custom_payload)) append_bytes_map(out, envelope.custom_payload);
}

}  // namespace cqlperf::protocol
