#pragma once

#include <optional>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// AUTH_RESPONSE (section 4.1.2): a SASL token from the client.
struct AuthResponse {
  static constexpr Opcode kOpcode = Opcode::kAuthResponse;

  std::optional<Bytes> token;  // may be null

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<AuthResponse> decode_body(Version version, ByteView body);
  bool operator==(const AuthResponse&) const = default;
};

// The token of SASL PLAIN (RFC 4616): NUL, user, NUL, password.
AuthResponse plain_auth_response(std::string_view user, std::string_view password);

}  // namespace cqlperf::protocol
