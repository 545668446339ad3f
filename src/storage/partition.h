#pragma once

#include <cstdint>
#include <limits>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/strings.h"

namespace cqlperf::storage {

// The entry of a partition (kPartitionEntry): when all of it was deleted, and ranges of its rows
// that were deleted. Only tables with clustering columns have such entries. Updates merge like
// rows.

// INT64_MIN is no timestamp of a deletion.

// Appends an update that deletes the whole partition.
void append_partition_deletion(core::Buffer& out, int64_t timestamp_us);
// Appends an update that deletes the rows whose encoded clustering is in [begin, end). An empty
// `end` has no upper end.
void append_range_deletion(core::Buffer& out, protocol::ByteView begin, protocol::ByteView end,
                           int64_t timestamp_us);

// Reads an entry in place.
class PartitionView {
 public:
  PartitionView() = default;  // nothing was deleted
  static core::Result<PartitionView> parse(protocol::ByteView bytes);

  // When the row of that encoded clustering was deleted last, INT64_MIN when never.
  int64_t deleted_us(protocol::ByteView clustering) const;

 private:
  int64_t partition_deleted_us_ = std::numeric_limits<int64_t>::min();
  protocol::ByteView ranges_;
};

// Whether the bytes are a partition's entry; else they are a row.
bool is_partition_entry(protocol::ByteView bytes);
// Merges two entries, in either order, and appends the sum: ranges that do not overlap and that the
// partition's deletion does not cover. Entries therefore do not grow by deletions of what is
// deleted already. kIo when one is none, and then nothing is appended.
core::Status merge_partitions(protocol::ByteView one, protocol::ByteView other, core::Buffer& out);

}  // namespace cqlperf::storage
