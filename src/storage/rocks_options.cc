#include "storage/rocks_options.h"

#include <algorithm>
#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>

#include "storage/merge_operator.h"
#include "storage/token_memtable.h"

namespace cqlperf::storage {
namespace {

rocksdb::DBOptions database_options(const EngineOptions& options,
                                    const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::DBOptions database;
  database.create_if_missing = true;
  database.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  database.max_log_file_size = size_t{1} << 20;
  database.keep_log_file_num = 2;
  database.stats_dump_period_sec = 0;
  database.stats_persist_period_sec = 0;
  database.max_background_jobs = 2;
  database.allow_concurrent_memtable_write = false;
  database.max_open_files = -1;
  database.skip_stats_update_on_db_open = true;
  database.skip_checking_sst_file_sizes_on_db_open = true;
  database.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(options.memory_bytes / 2, cache);
  return database;
}

rocksdb::ColumnFamilyOptions store_options(const EngineOptions& options,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;
  table.format_version = 5;
  rocksdb::ColumnFamilyOptions store;
  store.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  store.merge_operator = make_merge_operator();
  store.memtable_factory = make_token_memtable_factory();
  store.compression = rocksdb::kNoCompression;
  store.write_buffer_size = std::min(options.memory_bytes / 4, size_t{64} << 20);
  return store;
}

}  // namespace

RocksOptions make_rocks_options(const EngineOptions& options) {
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.memory_bytes);
  RocksOptions rocks;
  rocks.database = database_options(options, cache);
  rocks.store = store_options(options, cache);
  rocks.metadata.compression = rocksdb::kNoCompression;
  return rocks;
}

}  // namespace cqlperf::storage
