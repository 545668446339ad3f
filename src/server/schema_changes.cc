#include "server/schema_changes.h"

#include <utility>

#include "server/limits.h"

namespace cqlperf::server {

bool SchemaChanges::post(Change change) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_.size() >= kSchemaChangesWaitingMax) return false;
  waiting_.push_back(std::move(change));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
  return true;
}

void SchemaChanges::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const Change change = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    change(false);
    lock.lock();
  }
}

void SchemaChanges::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  for (const Change& change : std::exchange(waiting_, {})) change(true);
}

}  // namespace cqlperf::server
