#pragma once

#include <memory>

#include <rocksdb/write_batch.h>

#include "storage/engine.h"
#include "storage/rocks_store.h"

namespace cqlperf::storage {

class RocksBatch final : public Batch {
 public:
  void merge(const Store& store, protocol::ByteView key, protocol::ByteView update) override;
  size_t count() const override { return batch_.Count(); }
  size_t size_bytes() const override { return batch_.GetDataSize(); }
  void clear() override { batch_.Clear(); }
  rocksdb::WriteBatch& batch() { return batch_; }

 private:
  rocksdb::WriteBatch batch_;
};

std::unique_ptr<PointReads> make_rocks_reads(rocksdb::DB& db);
std::unique_ptr<Cursor> make_rocks_cursor(rocksdb::DB& db, const RocksStore& store,
                                          ScanRange range);

}  // namespace cqlperf::storage
