#include "storage/rocks_store.h"

#include <utility>

#include <fmt/format.h>

#include "core/clock.h"

namespace cqlperf::storage {

RocksDatabase::RocksDatabase(std::unique_ptr<rocksdb::DB> db,
                             rocksdb::ColumnFamilyHandle* default_family)
    : db_(std::move(db)), default_family_(default_family) {}

RocksDatabase::~RocksDatabase() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (remover_.joinable()) remover_.join();
  db_->DestroyColumnFamilyHandle(default_family_);
  db_->Close();
}

bool RocksDatabase::resume() {
  constexpr int64_t kResumeEveryNs = core::kNanosPerSecond;
  const int64_t now_ns = core::steady_clock().now_ns();
  int64_t next_ns = next_resume_ns_.load();
  if (now_ns < next_ns) return false;
  if (!next_resume_ns_.compare_exchange_strong(next_ns, now_ns + kResumeEveryNs)) return false;
  return db_->Resume().ok();
}

void RocksDatabase::release(rocksdb::ColumnFamilyHandle* family, bool is_dropped) {
  if (!is_dropped) {
    db_->DestroyColumnFamilyHandle(family);
    return;
  }
  const std::lock_guard lock(mutex_);
  dropped_.push_back(family);
  if (!remover_.joinable()) remover_ = std::thread([this] { run_remover(); });
  changed_.notify_all();
}

// Removes what was dropped also when the database is being closed: else the files stay until it is
// opened again.
void RocksDatabase::run_remover() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !dropped_.empty(); });
    if (dropped_.empty()) return;
    rocksdb::ColumnFamilyHandle* const family = dropped_.front();
    dropped_.pop_front();
    lock.unlock();
    remove(family);
    lock.lock();
  }
}

// The metadata that no longer name the store must be on the disk before the store is gone. When
// either fails the store is still there, and is dropped when the data is opened again.
void RocksDatabase::remove(rocksdb::ColumnFamilyHandle* family) {
  if (db_->SyncWAL().ok()) db_->DropColumnFamily(family).PermitUncheckedError();
  db_->DestroyColumnFamilyHandle(family);
}

core::Status to_status(const rocksdb::Status& status, const char* what) {
  if (status.ok()) return {};
  return core::fail(core::ErrorCode::kIo, fmt::format("{}: {}", what, status.ToString()));
}

}  // namespace cqlperf::storage
