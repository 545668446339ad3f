#pragma once

#include <cstddef>
#include <vector>

#include "core/buffer.h"
#include "protocol/strings.h"
#include "storage/engine.h"

namespace cqlperf::server {

// Updates of one statement or batch until all of it is known to be right; then they go to the
// engine's batch together. Keys and updates lie one after the other in a buffer that is kept.
class StagedUpdates {
 public:
  // What one statement or batch may write, in bytes: as much as a message may have. A few markers
  // can be written many times.
  static constexpr size_t kSizeMax = size_t{256} << 20;

  bool empty() const { return updates_.empty(); }
  size_t size_bytes() const { return bytes_.size(); }
  void clear() {
    bytes_.clear();
    if (bytes_.capacity() > kKeptMax) bytes_.release();
    updates_.clear();
  }

  // One update: begin(), append the key to bytes(), begin_update(), append the update, end().
  core::Buffer& bytes() { return bytes_; }
  void begin() { key_at_ = bytes_.size(); }
  void begin_update() { update_at_ = bytes_.size(); }
  // The store lives until merge_into() or clear().
  void end(const storage::Store& store) {
    updates_.push_back({&store, key_at_, update_at_, bytes_.size()});
  }
  // Instead of end(): nothing is written.
  void cancel() { bytes_.truncate(key_at_); }
  // The key of the update that ended last; valid until something is appended.
  protocol::ByteView last_key() const {
    const Update& last = updates_.back();
    return bytes_.bytes().subspan(last.key_at, last.update_at - last.key_at);
  }

  void merge_into(storage::Batch& batch) const {
    for (const Update& update : updates_) {
      const protocol::ByteView all = bytes_.bytes();
      batch.merge(*update.store, all.subspan(update.key_at, update.update_at - update.key_at),
                  all.subspan(update.update_at, update.end - update.update_at));
    }
  }

 private:
  static constexpr size_t kKeptMax = size_t{4} << 20;  // bytes

  struct Update {
    const storage::Store* store;
    size_t key_at;
    size_t update_at;
    size_t end;
  };

  core::Buffer bytes_;
  std::vector<Update> updates_;
  size_t key_at_ = 0;
  size_t update_at_ = 0;
};

}  // namespace cqlperf::server
