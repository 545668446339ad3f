#include "protocol/query.h"

namespace cqlperf::protocol {

void Query::encode_body(Version version, core::Buffer& out) const {
  append_long_string(out, query);
  parameters.encode(version, out);
}

core::Result<Query> Query::decode_body(Version version, ByteView body) {
  core::ByteReader in(body);
  Query message{read_long_string(in), {}};
  auto parameters = QueryParameters::decode(version, in);
  if (!parameters) return std::unexpected(std::move(parameters.error()));
  message.parameters = std::move(*parameters);
  return finish_body("QUERY", in, std::move(message));
}

}  // namespace cqlperf::protocol
