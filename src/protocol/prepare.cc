#include "protocol/prepare.h"

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kName = "PREPARE";
// The only flag, an [int] (v5).
constexpr uint32_t kFlagKeyspace = 0x1;

}  // namespace

void Prepare::encode_body(Version version, core::Buffer& out) const {
  append_long_string(out, query);
  if (version < Version::kV5) return;
  out.append_i32(keyspace ? kFlagKeyspace : 0);
  if (keyspace) append_string(out, *keyspace);
}

core::Result<Prepare> Prepare::decode_body(Version version, ByteView body) {
  core::ByteReader in(body);
  Prepare message{read_long_string(in)};
  if (version >= Version::kV5) {
    const auto flags = static_cast<uint32_t>(in.read_i32());
    if ((flags & ~kFlagKeyspace) != 0) {
      return malformed(kName, fmt::format("unknown flags {:#04x}", flags & ~kFlagKeyspace));
    }
    if (flags == kFlagKeyspace) message.keyspace = read_string(in);
  }
  return finish_body(kName, in, std::move(message));
}

}  // namespace cqlperf::protocol
