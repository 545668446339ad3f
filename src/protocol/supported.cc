#include "protocol/supported.h"

namespace cqlperf::protocol {

void Supported::encode_body(Version, core::Buffer& out) const {
  append_string_multimap(out, options);
}

core::Result<Supported> Supported::decode_body(Version, ByteView body) {
  core::ByteReader in(body);
  Supported message{read_string_multimap(in)};
  return finish_body("SUPPORTED", in, std::move(message));
}

}  // namespace cqlperf::protocol
