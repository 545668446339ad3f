#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include <rocksdb/db.h>

#include "core/result.h"
#include "storage/engine.h"

namespace cqlperf::storage {

// The open database. Shared by the engine and its stores: it closes when the last of them goes.
// Any thread.
class RocksDatabase {
 public:
  RocksDatabase(std::unique_ptr<rocksdb::DB> db, rocksdb::ColumnFamilyHandle* default_family);
  RocksDatabase(const RocksDatabase&) = delete;
  RocksDatabase& operator=(const RocksDatabase&) = delete;
  ~RocksDatabase();

  rocksdb::DB& db() const { return *db_; }
  // After a write failed: true when the database takes writes again, as when a full disk has got
  // room. Tries now and then only, since that takes time.
  bool resume();
  // Gives up a column family. A dropped one is removed with its files, which takes long: it happens
  // in a thread of its own.
  void release(rocksdb::ColumnFamilyHandle* family, bool is_dropped);

 private:
  void run_remover();
  void remove(rocksdb::ColumnFamilyHandle* family);

  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* default_family_;
  std::atomic<int64_t> next_resume_ns_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<rocksdb::ColumnFamilyHandle*> dropped_;
  bool closing_ = false;
  std::thread remover_;  // started by the first drop
};

// One column family.
class RocksStore final : public Store, public std::enable_shared_from_this<RocksStore> {
 public:
  RocksStore(std::shared_ptr<RocksDatabase> database, rocksdb::ColumnFamilyHandle* family,
             uint64_t id)
      : database_(std::move(database)), family_(family), id_(id) {}
  RocksStore(const RocksStore&) = delete;
  RocksStore& operator=(const RocksStore&) = delete;
  ~RocksStore() override { database_->release(family_, is_dropped_); }

  uint64_t id() const override { return id_; }
  rocksdb::ColumnFamilyHandle* family() const { return family_; }
  void set_dropped() { is_dropped_ = true; }

 private:
  std::shared_ptr<RocksDatabase> database_;
  rocksdb::ColumnFamilyHandle* family_;
  uint64_t id_;
  std::atomic<bool> is_dropped_ = false;
};

inline const RocksStore& rocks_store(const Store& store) {
  return static_cast<const RocksStore&>(store);
}

// Never without an address, which RocksDB does not take.
inline rocksdb::Slice slice_of(protocol::ByteView bytes) {
  if (bytes.empty()) return {};
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline protocol::ByteView view_of(const rocksdb::Slice& slice) {
  return {reinterpret_cast<const uint8_t*>(slice.data()), slice.size()};
}

// kIo with what was done and RocksDB's reason.
core::Status to_status(const rocksdb::Status& status, const char* what);

}  // namespace cqlperf::storage
