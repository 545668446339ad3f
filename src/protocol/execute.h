#pragma once

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/query_parameters.h"

namespace cqlperf::protocol {

// EXECUTE (section 4.1.6): runs a prepared statement. Views its id and parameters. For many
// requests of one statement see RequestTemplate.
struct Execute {
  static constexpr Opcode kOpcode = Opcode::kExecute;

  ByteView id;
  QueryParameters parameters = {};
  ByteView result_metadata_id = {};  // v5: as Prepared gave it

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Execute> decode_body(Version version, ByteView body);
};

}  // namespace cqlperf::protocol
