#include "protocol/startup.h"

namespace cqlperf::protocol {

void Startup::encode_body(Version, core::Buffer& out) const { append_string_map(out, options); }

core::Result<Startup> Startup::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  Startup message{read_string_map(in)};
  return finish_body("STARTUP", in, std::move(message));
}

}  // namespace cqlperf::protocol
