#include "protocol/authenticate.h"

namespace cqlperf::protocol {

void Authenticate::encode_body(Version, core::Buffer& out) const {
  append_string(out, authenticator);
}

core::Result<Authenticate> Authenticate::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  Authenticate message{std::string(read_string(in))};
  return finish_body("AUTHENTICATE", in, std::move(message));
}

}  // namespace cqlperf::protocol
