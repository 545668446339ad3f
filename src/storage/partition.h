#pragma once

#include <cstdint>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/strings.h"

namespace cqlperf::storage {

// The entry of a partition (kPartitionEntry): when all of it was deleted, and ranges of its rows
// that were. Only tables with clustering columns have such entries. Updates merge like rows.

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
  protocol::ByteView bytes_;
};

}  // namespace cqlperf::storage
