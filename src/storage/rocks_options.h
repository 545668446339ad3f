#pragma once

#include <rocksdb/options.h>

#include "storage/engine.h"

namespace cqlperf::storage {

// How the database is set up; the reasons are in rocks_options.cc.
struct RocksOptions {
  rocksdb::DBOptions database;
  rocksdb::ColumnFamilyOptions store;
  rocksdb::ColumnFamilyOptions metadata;
};
RocksOptions make_rocks_options(const EngineOptions& options);

}  // namespace cqlperf::storage
