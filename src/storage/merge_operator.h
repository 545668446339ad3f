#pragma once

#include <memory>

#include <rocksdb/merge_operator.h>

namespace cqlperf::storage {

// RocksDB's way to add up the updates of a key: rows by merge_rows(), entries of partitions by
// merge_partitions(). One serves all stores; any thread.
std::shared_ptr<rocksdb::MergeOperator> make_merge_operator();

}  // namespace cqlperf::storage
