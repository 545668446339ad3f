#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/strings.h"
#include "protocol/types.h"

namespace cqlperf::storage {

// Keys of the store: token, partition key, and what is in the partition, each so that the order of
// the bytes is the order of CQL.
//
//   partition prefix   8 bytes token (big-endian, sign flipped), partition key self-delimiting
//   then               kPartitionEntry: the partition's deletion and range deletions
//                      kRowEntry and the clustering values: one row

inline constexpr uint8_t kPartitionEntry = 0x00;
inline constexpr uint8_t kRowEntry = 0x02;

// One clustering column.
struct ClusteringColumn {
  protocol::ColumnType type;
  bool descending = false;
};

// Appends the prefix that all entries of a partition share.
void append_partition_prefix(core::Buffer& out, int64_t token, protocol::ByteView partition_key);
// Appends the place before the first and after the last key of a token, for token() ranges.
void append_token_start(core::Buffer& out, int64_t token);
// False when there is no key after the token's (INT64_MAX): the range has no upper end.
bool append_token_end(core::Buffer& out, int64_t token);

// Appends one clustering value, which must be valid for the column's type. Self-delimiting; the
// order of the bytes is the column's order, or its reverse when descending. An empty value comes
// first (last when descending). Values that CQL takes as equal have equal bytes, so that they are
// one row: see ordered_number.h for what comes back of a decimal. Types that cannot be clustering
// columns are ordered by their bytes.
void append_clustering_value(core::Buffer& out, const ClusteringColumn& column,
                             protocol::ByteView value);

// Makes the smallest key that is above every key that begins with what `out` holds from `start`.
// False when there is none (all bytes 0xFF).
bool increment_prefix(core::Buffer& out, size_t start);

// A key in parts. Views the key's bytes.
struct KeyView {
  int64_t token = 0;
  protocol::Bytes partition_key;     // in routing form
  size_t partition_prefix_size = 0;  // bytes of the key that its partition shares
  uint8_t entry = kRowEntry;
  protocol::ByteView clustering;  // encoded
};
// kIo when the bytes are no key: the files are damaged.
core::Result<KeyView> read_key(protocol::ByteView key);
// The same without an allocation per key: reuses what `view` has. After an error `view` is void.
core::Status read_key_into(protocol::ByteView key, KeyView& view);
// The clustering values in the protocol's form. kIo when they do not fit the columns.
core::Result<std::vector<protocol::Bytes>> read_clustering_values(
    protocol::ByteView encoded, const std::vector<ClusteringColumn>& columns);

}  // namespace cqlperf::storage
