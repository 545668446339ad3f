#pragma once

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// READY (section 4.2.2): an empty response to STARTUP or REGISTER.
struct Ready {
  static constexpr Opcode kOpcode = Opcode::kReady;

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Ready> decode_body(Version version, ByteView body);
  bool operator==(const Ready&) const = default;
};

}  // namespace cqlperf::protocol
