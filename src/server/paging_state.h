#pragma once

#include <cstdint>
#include <optional>

#include "cql/error.h"
#include "protocol/strings.h"

namespace cqlperf::server {

// Where the next page of a SELECT begins: what a client gets with a page that is not the last and
// gives back for the next one, maybe on another connection or after a restart. Opaque to clients.
struct PagingState {
  // Of the statement's shape (SelectPlan): a state is for the statement that it came from.
  uint64_t fingerprint = 0;
  // Rows that LIMIT still allows, and PER PARTITION LIMIT in the partition of `key`.
  std::optional<uint64_t> limit_left = {};
  std::optional<uint64_t> partition_limit_left = {};
  // What the source of the rows counts: partitions of an IN, rows of a system table.
  uint64_t ordinal = 0;
  // The key in the table's store of the last row that was returned; of a system table its
  // partition.
  protocol::Bytes key = {};

  bool operator==(const PagingState&) const = default;
};

protocol::Bytes encode_paging_state(const PagingState& state);
// 0x000A for bytes that encode_paging_state() did not make, as Cassandra answers, and for those of
// a statement of another shape.
cql::Result<PagingState> decode_paging_state(protocol::ByteView bytes, uint64_t fingerprint);
// What decode_paging_state() says, for a state whose place is not in the statement's range.
[[nodiscard]] std::unexpected<protocol::ErrorMessage> bad_paging_state();

// FNV-1a, for fingerprints: the same in every process.
class Fingerprint {
 public:
  Fingerprint& add(protocol::ByteView bytes);
  // With an end, so that "a", "bc" and "ab", "c" differ.
  Fingerprint& add(std::string_view text);
  Fingerprint& add(uint8_t byte);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xCBF2'9CE4'8422'2325u;
};

}  // namespace cqlperf::server
