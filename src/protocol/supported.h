#pragma once

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// SUPPORTED (section 4.2.4): what STARTUP may ask for.
struct Supported {
  static constexpr Opcode kOpcode = Opcode::kSupported;

  StringMultimap options;

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Supported> decode_body(Version version, ByteView body);
  bool operator==(const Supported&) const = default;
};

}  // namespace cqlperf::protocol
