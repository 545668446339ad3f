#include "storage/rocks_options.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>

#include "storage/merge_operator.h"
#include "storage/token_memtable.h"

namespace cqlperf::storage {
namespace {

constexpr size_t kMebi = size_t{1} << 20;

// Errors come back from the calls; the rest of what RocksDB logs is of no use to a user here, and
// its file only takes time when the server starts. But a log of writes that cannot be read to its
// end is told of nowhere else.
class DamageLog final : public rocksdb::Logger {
 public:
  explicit DamageLog(std::function<void(const std::string&)> on_damage)
      : on_damage_(std::move(on_damage)) {}

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    if (!on_damage_ || std::strstr(format, ": dropping ") == nullptr) return;
    char text[512];
    std::vsnprintf(text, sizeof text, format, arguments);
    on_damage_(
        fmt::format("the log of the data is damaged, and the writes behind that place are "
                    "lost: {}",
                    text));
  }

 private:
  const std::function<void(const std::string&)> on_damage_;
};

// Half of the memory is for updates that are not in files yet. What they take is charged to the
// block cache, so that both together keep to memory_bytes, however many stores there are. RocksDB's
// own stall of the writers (allow_stall) is not used: with many small stores it waits for ever.
rocksdb::DBOptions database_options(const EngineOptions& options,
                                    const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::DBOptions database;
  database.create_if_missing = true;
  database.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(options.memory_bytes / 2, cache);
  // Logs are kept as long as a store has updates in them only: those of an idle one are flushed
  // when there is more than this, which also bounds the time that it takes to read them after a
  // crash.
  database.max_total_wal_size = std::max(options.memory_bytes, 64 * kMebi);
  // The memtable takes one writer at a time.
  database.allow_concurrent_memtable_write = false;
  // One thread for flushes, one for compactions. These give way to the threads that serve: on one
  // core that they fill, 10 M new rows take three quarters of the time, and 40 M come in at
  // 300,000/s without a commit of more than 45 ms.
  database.max_background_jobs = 2;
  database.env->LowerThreadPoolCPUPriority(rocksdb::Env::LOW, rocksdb::CpuPriority::kLow);
  database.info_log = std::make_shared<DamageLog>(options.on_damage);
  database.stats_dump_period_sec = 0;
  database.stats_persist_period_sec = 0;
  // Opening must not take longer the more files there are.
  database.skip_stats_update_on_db_open = true;
  database.skip_checking_sst_file_sizes_on_db_open = true;
  return database;
}

rocksdb::BlockBasedTableOptions table_options(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  // Ten bits a key: one look-up in a hundred reads a block in vain.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  // Indexes and filters too are part of memory_bytes.
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.checksum = rocksdb::kXXH3;
  table.format_version = 5;
  return table;
}

// Measured (benchmarks/storage_limit.cc, pinned to one core, interleaved runs):
// - The memtable is what counts: token_memtable.h. RocksDB's skip list takes five times the CPU.
// - Large memtables: with the index of tokens their size does not slow writes, and fewer files are
//   merged less often.
// - Values stay in the tables. Blob files (enable_blob_files) wrote new values of 64 KiB and 1 MiB
//   as fast and overwrote them 1.4 to 1.9 times as fast, but scanned 2 to 3 times and read 1.2 to
//   2.8 times slower: a merge operand is written inline first, and moves to a blob only when it is
//   compacted for the last time.
// - No compression: values are random or small, and a core has better things to do.
// - Indexes and filters in partitions made reads of 2 M and 10 M rows 1.3 to 2 times slower.
// - Universal compaction, a hash index in data blocks, blocks of 2 or 8 KiB, and the clock cache
//   made no difference beyond the noise.
// - max_successive_merges would delete what token_memtable.cc keeps; see rocks_access.cc instead.
rocksdb::ColumnFamilyOptions store_options(const EngineOptions& options,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions store;
  store.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options(cache)));
  store.merge_operator = make_merge_operator();
  store.write_buffer_size = std::clamp(options.memory_bytes / 4, kMebi, 64 * kMebi);
  store.memtable_factory = make_token_memtable_factory(store.write_buffer_size);
  // What the first row of a table takes.
  store.arena_block_size = 64 << 10;
  store.compression = rocksdb::kNoCompression;
  return store;
}

}  // namespace

RocksOptions make_rocks_options(const EngineOptions& options) {
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.memory_bytes);
  RocksOptions rocks;
  rocks.database = database_options(options, cache);
  rocks.store = store_options(options, cache);
  rocks.metadata.compression = rocksdb::kNoCompression;
  rocks.metadata.arena_block_size = 64 << 10;
  return rocks;
}

}  // namespace cqlperf::storage
