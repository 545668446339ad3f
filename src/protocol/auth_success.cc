#include "protocol/auth_success.h"

namespace cqlperf::protocol {

void AuthSuccess::encode_body(Version, core::Buffer& out) const { append_owned_bytes(out, token); }

core::Result<AuthSuccess> AuthSuccess::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  AuthSuccess message{read_owned_bytes(in)};
  return finish_body("AUTH_SUCCESS", in, std::move(message));
}

}  // namespace cqlperf::protocol
