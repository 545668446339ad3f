#pragma once

#include <cstddef>
#include <memory>

#include <rocksdb/merge_operator.h>

namespace cqlperf::storage {

// RocksDB's way to add up the updates of a key: rows by merge_rows(), entries of partitions by
// merge_partitions(). One serves all stores; any thread.
std::shared_ptr<rocksdb::MergeOperator> make_merge_operator();

// The largest number of updates that a read of this thread has merged since the last call.
size_t take_longest_merge();

}  // namespace cqlperf::storage
