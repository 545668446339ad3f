#include "protocol/options.h"

namespace cqlperf::protocol {

void Options::encode_body(Version, core::Buffer&) const {}

core::Result<Options> Options::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  Options message;
  return finish_body("OPTIONS", in, std::move(message));
}

}  // namespace cqlperf::protocol
