#pragma once

#include <optional>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// AUTH_CHALLENGE (section 4.2.7): a SASL token from the server; answered by AUTH_RESPONSE.
struct AuthChallenge {
  static constexpr Opcode kOpcode = Opcode::kAuthChallenge;

  std::optional<Bytes> token;  // may be null

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<AuthChallenge> decode_body(Version version, ByteView body);
  bool operator==(const AuthChallenge&) const = default;
};

}  // namespace cqlperf::protocol
