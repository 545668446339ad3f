#include "protocol/register.h"

namespace cqlperf::protocol {

void Register::encode_body(Version, core::Buffer& out) const {
  append_string_list(out, event_types);
}

core::Result<Register> Register::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  Register message{read_string_list(in)};
  return finish_body("REGISTER", in, std::move(message));
}

}  // namespace cqlperf::protocol
