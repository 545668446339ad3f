#include "server/row_source_ranges.h"

#include <algorithm>
#include <utility>

#include "core/buffer.h"
#include "storage/key.h"

namespace cqlperf::server {
namespace {

using protocol::Bytes;
using protocol::ByteView;

bool is_less(ByteView left, ByteView right) {
  return std::ranges::lexicographical_compare(left, right);
}

bool starts_with(ByteView key, ByteView prefix) {
  return key.size() >= prefix.size() && std::ranges::equal(key.first(prefix.size()), prefix);
}

// prefix, the mark of a row, and the encoded clustering.
Bytes row_key(ByteView prefix, ByteView clustering) {
  Bytes key(prefix.begin(), prefix.end());
  key.push_back(storage::kRowEntry);
  key.insert(key.end(), clustering.begin(), clustering.end());
  return key;
}

// The smallest key above all that begin with `prefix`; empty when there is none.
Bytes after_prefix(ByteView prefix) {
  core::Buffer key;
  key.append(prefix);
  if (!storage::increment_prefix(key, 0)) return {};
  return protocol::to_bytes(key.bytes());
}

// The smallest key above `key`.
Bytes after_key(ByteView key) {
  Bytes next(key.begin(), key.end());
  next.push_back(0);
  return next;
}

}  // namespace

bool RowRange::contains(ByteView key) const {
  if (is_row) return std::ranges::equal(key, lower);
  return !is_less(key, lower) && (upper.empty() || is_less(key, upper));
}

RowRanges::RowRanges(std::vector<PartitionKey> partitions, std::vector<ClusteringRange> clustering,
                     bool is_reversed)
    : partitions_(std::move(partitions)),
      clustering_(std::move(clustering)),
      is_reversed_(is_reversed) {
  if (is_reversed_) std::ranges::reverse(clustering_);
  if (!partitions_.empty()) enter_partition();
}

RowRanges::RowRanges(storage::ScanRange tokens) : tokens_(std::move(tokens)) {}

bool RowRanges::resume(uint64_t ordinal, Bytes key) {
  if (tokens_) {
    const RowRange all{tokens_->lower, tokens_->upper};
    if (ordinal != 0 || !all.contains(key)) return false;
    tokens_->lower = after_key(key);
    resume_key_ = std::move(key);
    return true;
  }
  if (ordinal >= partitions_.size()) return false;
  ordinal_ = ordinal;
  enter_partition();
  if (!starts_with(key, prefix_)) return false;
  resume_key_ = std::move(key);
  return true;
}

void RowRanges::enter_partition() {
  core::Buffer prefix;
  const PartitionKey& partition = partitions_[ordinal_];
  storage::append_partition_prefix(prefix, partition.token, partition.routing);
  prefix_ = protocol::to_bytes(prefix.bytes());
  next_clustering_ = 0;
}

bool RowRanges::next() {
  if (tokens_) {
    range_ = {std::move(tokens_->lower), std::move(tokens_->upper)};
    tokens_.reset();
    return range_.upper.empty() || range_.lower < range_.upper;
  }
  while (ordinal_ < partitions_.size()) {
    if (next_of_partition()) return true;
    skip_partition();
  }
  return false;
}

bool RowRanges::next_of_partition() {
  while (next_clustering_ < clustering_.size()) {
    const ClusteringRange& given = clustering_[next_clustering_++];
    range_.lower = row_key(prefix_, given.begin);
    range_.is_row = given.is_row;
    if (given.is_row) {
      range_.upper = after_key(range_.lower);
    } else {
      range_.upper =
          given.end.empty() ? after_prefix(row_key(prefix_, {})) : row_key(prefix_, given.end);
    }
    if (clip()) return true;
  }
  return false;
}

// Takes away what was given before the statement was resumed; false when nothing is left.
bool RowRanges::clip() {
  if (resume_key_.empty()) return true;
  if (is_reversed_) {
    if (range_.upper.empty() || is_less(resume_key_, range_.upper)) range_.upper = resume_key_;
  } else if (!is_less(resume_key_, range_.lower)) {
    range_.lower = after_key(resume_key_);
  }
  return range_.upper.empty() || range_.lower < range_.upper;
}

void RowRanges::skip_partition() {
  resume_key_.clear();
  if (ordinal_ < partitions_.size() && ++ordinal_ < partitions_.size()) enter_partition();
}

}  // namespace cqlperf::server
