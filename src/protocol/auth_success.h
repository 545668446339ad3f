#pragma once

#include <optional>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// AUTH_SUCCESS (section 4.2.8): the client is logged in.
struct AuthSuccess {
  static constexpr Opcode kOpcode = Opcode::kAuthSuccess;

  std::optional<Bytes> token;  // may be null

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<AuthSuccess> decode_body(Version version, ByteView body);
  bool operator==(const AuthSuccess&) const = default;
};

}  // namespace cqlperf::protocol
