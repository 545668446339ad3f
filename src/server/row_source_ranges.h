#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/strings.h"
#include "server/key_values.h"
#include "storage/engine.h"

namespace cqlperf::server {

// Keys of rows from `lower` (included) to `upper` (not included; empty: no end).
struct RowRange {
  protocol::Bytes lower = {};
  protocol::Bytes upper = {};
  bool is_row = false;  // exactly one row: `lower`

  bool contains(protocol::ByteView key) const;
};

// The ranges of a table's store that a SELECT reads, in the order of its result: either the
// clustering ranges of given partitions, or one range of tokens.
class RowRanges {
 public:
  // Nothing.
  RowRanges() = default;
  // `clustering` is the same for all partitions, in the order of the keys; `is_reversed`: from the
  // last range to the first.
  RowRanges(std::vector<PartitionKey> partitions, std::vector<ClusteringRange> clustering,
            bool is_reversed);
  explicit RowRanges(storage::ScanRange tokens);

  // Goes on after the row with that key in the range or partition of that number. False when it is
  // not in there.
  bool resume(uint64_t ordinal, protocol::Bytes key);

  // The next range that is not empty; false at the end.
  bool next();
  const RowRange& range() const { return range_; }
  // The number of the partition that range() is in, 0 for tokens.
  uint64_t ordinal() const { return ordinal_; }
  // What all keys of the partition begin with; empty for tokens.
  protocol::ByteView partition_prefix() const { return prefix_; }
  bool is_reversed() const { return is_reversed_; }
  // Whether ranges are in given partitions.
  bool has_partitions() const { return !partitions_.empty(); }
  // Whether there are partitions after that number.
  bool has_more_partitions(uint64_t ordinal) const {
    return partitions_.empty() || ordinal + 1 < partitions_.size();
  }
  // The rest of the partition is of no interest.
  void skip_partition();
  // The key that resume() was given, until another partition is reached; empty otherwise.
  protocol::ByteView resumed_after() const { return resume_key_; }

 private:
  bool next_of_partition();
  bool clip();
  void enter_partition();

  std::vector<PartitionKey> partitions_ = {};
  std::vector<ClusteringRange> clustering_ = {};
  std::optional<storage::ScanRange> tokens_ = {};  // until next()
  bool is_reversed_ = false;
  uint64_t ordinal_ = 0;
  size_t next_clustering_ = 0;  // ranges of the partition that were given
  protocol::Bytes prefix_ = {};
  protocol::Bytes resume_key_ = {};
  RowRange range_ = {};
};

}  // namespace cqlperf::server
