#include "protocol/execute.h"

namespace cqlperf::protocol {

void Execute::encode_body(Version version, core::Buffer& out) const {
  append_short_bytes(out, id);
  if (version >= Version::kV5) append_short_bytes(out, result_metadata_id);
  parameters.encode(version, out);
}

core::Result<Execute> Execute::decode_body(Version version, ByteView body) {
  core::ByteReader in(body);
  Execute message{read_short_bytes(in)};
  if (version >= Version::kV5) message.result_metadata_id = read_short_bytes(in);
  auto parameters = QueryParameters::decode(version, in);
  if (!parameters) return std::unexpected(std::move(parameters.error()));
  message.parameters = std::move(*parameters);
  return finish_body("EXECUTE", in, std::move(message));
}

}  // namespace cqlperf::protocol
