#pragma once

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// OPTIONS (section 4.1.3): an empty request, answered by SUPPORTED; also a heartbeat.
struct Options {
  static constexpr Opcode kOpcode = Opcode::kOptions;

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Options> decode_body(Version version, ByteView body);
  bool operator==(const Options&) const = default;
};

}  // namespace cqlperf::protocol
