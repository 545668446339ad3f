#pragma once

#include <string>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// AUTHENTICATE (section 4.2.3): the server wants a login; names its authenticator class.
struct Authenticate {
  static constexpr Opcode kOpcode = Opcode::kAuthenticate;

  std::string authenticator;

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Authenticate> decode_body(Version version, ByteView body);
  bool operator==(const Authenticate&) const = default;
};

}  // namespace cqlperf::protocol
