#include "protocol/auth_challenge.h"

namespace cqlperf::protocol {

void AuthChallenge::encode_body(Version, core::Buffer& out) const {
  append_owned_bytes(out, token);
}

core::Result<AuthChallenge> AuthChallenge::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  AuthChallenge message{read_owned_bytes(in)};
  return finish_body("AUTH_CHALLENGE", in, std::move(message));
}

}  // namespace cqlperf::protocol
