#include "protocol/ready.h"

namespace cqlperf::protocol {

void Ready::encode_body(Version, core::Buffer&) const {}

core::Result<Ready> Ready::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  Ready message;
  return finish_body("READY", in, std::move(message));
}

}  // namespace cqlperf::protocol
