#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// PREPARE (section 4.1.5): answered by RESULT Prepared. Views its text.
struct Prepare {
  static constexpr Opcode kOpcode = Opcode::kPrepare;

  std::string_view query;
  std::optional<std::string_view> keyspace = {};  // v5: of names without one

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Prepare> decode_body(Version version, ByteView body);
  bool operator==(const Prepare&) const = default;
};

}  // namespace cqlperf::protocol
