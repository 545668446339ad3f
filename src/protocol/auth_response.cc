#include "protocol/auth_response.h"

namespace cqlperf::protocol {

void AuthResponse::encode_body(Version, core::Buffer& out) const { append_owned_bytes(out, token); }

core::Result<AuthResponse> AuthResponse::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  AuthResponse message{read_owned_bytes(in)};
  return finish_body("AUTH_RESPONSE", in, std::move(message));
}

AuthResponse plain_auth_response(std::string_view user, std::string_view password) {
  Bytes token{0};
  token.insert(token.end(), user.begin(), user.end());
  token.push_back(0);
  token.insert(token.end(), password.begin(), password.end());
  return {std::move(token)};
}

}  // namespace cqlperf::protocol
