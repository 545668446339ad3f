#pragma once

#include <string_view>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/query_parameters.h"

namespace cqlperf::protocol {

// QUERY (section 4.1.4): a statement as text. Views its text and parameters: what they point at
// must outlive it.
struct Query {
  static constexpr Opcode kOpcode = Opcode::kQuery;

  std::string_view query;
  QueryParameters parameters = {};

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Query> decode_body(Version version, ByteView body);
};

}  // namespace cqlperf::protocol
