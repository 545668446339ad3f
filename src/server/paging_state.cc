#include "server/paging_state.h"

#include "core/buffer.h"
#include "core/byte_reader.h"

namespace cqlperf::server {
namespace {

// Changes when the layout does: states of other versions are refused.
constexpr uint8_t kVersion = 1;
constexpr uint8_t kHasLimit = 0x1;
constexpr uint8_t kHasPartitionLimit = 0x2;

void append_u64(core::Buffer& out, uint64_t value) { out.append_i64(static_cast<int64_t>(value)); }
uint64_t read_u64(core::ByteReader& in) { return static_cast<uint64_t>(in.read_i64()); }

uint64_t checksum(protocol::ByteView bytes) { return Fingerprint().add(bytes).value(); }

}  // namespace

protocol::Bytes encode_paging_state(const PagingState& state) {
  core::Buffer out(64 + state.key.size());
  out.append_u8(kVersion);
  out.append_u8(static_cast<uint8_t>((state.limit_left ? kHasLimit : 0) |
                                     (state.partition_limit_left ? kHasPartitionLimit : 0)));
  append_u64(out, state.fingerprint);
  if (state.limit_left) append_u64(out, *state.limit_left);
  if (state.partition_limit_left) append_u64(out, *state.partition_limit_left);
  append_u64(out, state.ordinal);
  out.append(state.key);
  append_u64(out, checksum(out.bytes()));
  return protocol::to_bytes(out.bytes());
}

cql::Result<PagingState> decode_paging_state(protocol::ByteView bytes, uint64_t fingerprint) {
  constexpr size_t kChecksumSize = 8;
  if (bytes.size() < kChecksumSize) return bad_paging_state();
  const protocol::ByteView content = bytes.first(bytes.size() - kChecksumSize);
  core::ByteReader tail(bytes.last(kChecksumSize));
  if (read_u64(tail) != checksum(content)) return bad_paging_state();
  core::ByteReader in(content);
  PagingState state;
  if (in.read_u8() != kVersion) return bad_paging_state();
  const uint8_t flags = in.read_u8();
  state.fingerprint = read_u64(in);
  if ((flags & kHasLimit) != 0) state.limit_left = read_u64(in);
  if ((flags & kHasPartitionLimit) != 0) state.partition_limit_left = read_u64(in);
  state.ordinal = read_u64(in);
  state.key = protocol::to_bytes(in.read_rest());
  if (!in.ok() || state.fingerprint != fingerprint) return bad_paging_state();
  return state;
}

std::unexpected<protocol::ErrorMessage> bad_paging_state() {
  return cql::fail(protocol::ErrorCode::kProtocolError, "Invalid value for the paging state");
}

Fingerprint& Fingerprint::add(protocol::ByteView bytes) {
  for (const uint8_t byte : bytes) add(byte);
  return *this;
}

Fingerprint& Fingerprint::add(std::string_view text) {
  add(protocol::as_bytes(text));
  return add(uint8_t{0});
}

Fingerprint& Fingerprint::add(uint8_t byte) {
  value_ = (value_ ^ byte) * 0x0000'0100'0000'01B3u;
  return *this;
}

}  // namespace cqlperf::server
