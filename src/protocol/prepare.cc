#include "protocol/prepare.h"

namespace cqlperf::protocol {

void Prepare::encode_body(Version, core::Buffer& out) const { append_long_string(out, query); }

core::Result<Prepare> Prepare::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  Prepare message{read_long_string(in)};
  return finish_body("PREPARE", in, std::move(message));
}

}  // namespace cqlperf::protocol
