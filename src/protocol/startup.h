#pragma once

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// STARTUP (section 4.1.1): the first request of a connection. Answered by READY or AUTHENTICATE.
struct Startup {
  static constexpr Opcode kOpcode = Opcode::kStartup;

  StringMap options;  // CQL_VERSION is mandatory

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Startup> decode_body(Version version, ByteView body);
  bool operator==(const Startup&) const = default;
};

}  // namespace cqlperf::protocol
