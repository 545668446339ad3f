#pragma once

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// REGISTER (section 4.1.8): asks for events; answered by READY.
struct Register {
  static constexpr Opcode kOpcode = Opcode::kRegister;

  StringList event_types;  // TOPOLOGY_CHANGE, STATUS_CHANGE, SCHEMA_CHANGE

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Register> decode_body(Version version, ByteView body);
  bool operator==(const Register&) const = default;
};

}  // namespace cqlperf::protocol
