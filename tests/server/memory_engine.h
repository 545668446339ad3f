#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "storage/engine.h"
#include "storage/partition.h"
#include "storage/row.h"

namespace cqlperf::server {

// An engine in memory for tests: ordered maps of keys, merged as the real one does. Threads may
// share it.
class MemoryEngine final : public storage::Engine {
 public:
  using Bytes = protocol::Bytes;
  using Data = std::map<Bytes, Bytes>;

  class MemoryStore final : public storage::Store {
   public:
    explicit MemoryStore(uint64_t id) : id_(id) {}
    uint64_t id() const override { return id_; }
    Data& data() const { return data_; }

   private:
    uint64_t id_;
    mutable Data data_;
  };

  // What is in a store, for tests to look at.
  static Data& data(const storage::Store& store) {
    return static_cast<const MemoryStore&>(store).data();
  }
  // Makes commits fail with that message; empty: they work.
  void fail_commits(std::string message) { failure_ = std::move(message); }
  size_t commits() const { return commits_; }
  size_t dropped_stores() const { return dropped_; }

  std::map<uint64_t, storage::StorePtr> stores() const override {
    const std::lock_guard lock(mutex_);
    return stores_;
  }
  core::Result<storage::StorePtr> create_store() override {
    const std::lock_guard lock(mutex_);
    const uint64_t id = ++last_id_;
    return stores_[id] = std::make_shared<MemoryStore>(id);
  }
  core::Status drop_store(const storage::StorePtr& store) override {
    const std::lock_guard lock(mutex_);
    dropped_ += stores_.erase(store->id());
    return {};
  }

  std::unique_ptr<storage::Batch> make_batch() override { return std::make_unique<MemoryBatch>(); }
  std::unique_ptr<storage::PointReads> make_point_reads() override {
    return std::make_unique<MemoryReads>(mutex_);
  }
  std::unique_ptr<storage::Cursor> scan(const storage::Store& store,
                                        storage::ScanRange range) override {
    const std::lock_guard lock(mutex_);
    const Data& all = data(store);
    const auto end = range.upper.empty() ? all.end() : all.lower_bound(range.upper);
    const bool is_empty = !range.upper.empty() && range.upper <= range.lower;
    return std::make_unique<MemoryCursor>(
        is_empty ? Data() : Data(all.lower_bound(range.lower), end), range.reverse);
  }
  core::Status commit(storage::Batch& batch) override {
    const std::lock_guard lock(mutex_);
    ++commits_;
    if (!failure_.empty()) return core::fail(core::ErrorCode::kIo, failure_);
    for (const Update& update : static_cast<MemoryBatch&>(batch).updates) {
      if (auto status = apply(update); !status) return status;
    }
    return {};
  }

  core::Result<Metadata> metadata() const override {
    const std::lock_guard lock(mutex_);
    return metadata_;
  }
  core::Status change_metadata(const MetadataChanges& changes) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, value] : changes) {
      if (value) {
        metadata_[name] = *value;
      } else {
        metadata_.erase(name);
      }
    }
    return {};
  }
  bool keeps_nothing() const override { return false; }

 private:
  struct Update {
    const storage::Store* store;
    Bytes key;
    Bytes value;
  };

  class MemoryBatch final : public storage::Batch {
   public:
    void merge(const storage::Store& store, protocol::ByteView key,
               protocol::ByteView update) override {
      updates.push_back({&store, protocol::to_bytes(key), protocol::to_bytes(update)});
      size_bytes_ += key.size() + update.size();
    }
    size_t count() const override { return updates.size(); }
    size_t size_bytes() const override { return size_bytes_; }
    void clear() override {
      updates.clear();
      size_bytes_ = 0;
    }

    std::vector<Update> updates;

   private:
    size_t size_bytes_ = 0;
  };

  class MemoryReads final : public storage::PointReads {
   public:
    explicit MemoryReads(std::mutex& mutex) : mutex_(mutex) {}
    size_t add(const storage::Store& store, protocol::ByteView key) override {
      reads_.push_back({&store, protocol::to_bytes(key), {}});
      return reads_.size() - 1;
    }
    size_t count() const override { return reads_.size(); }
    core::Status run() override {
      const std::lock_guard lock(mutex_);
      for (Read& read : reads_) {
        const Data& all = data(*read.store);
        const auto found = all.find(read.key);
        if (found != all.end()) read.value = found->second;
      }
      return {};
    }
    std::optional<protocol::ByteView> value(size_t index) const override {
      if (!reads_[index].value) return std::nullopt;
      return protocol::ByteView(*reads_[index].value);
    }
    void clear() override { reads_.clear(); }

   private:
    struct Read {
      const storage::Store* store;
      Bytes key;
      std::optional<Bytes> value;
    };
    std::mutex& mutex_;
    std::vector<Read> reads_;
  };

  class MemoryCursor final : public storage::Cursor {
   public:
    MemoryCursor(Data data, bool reverse)
        : entries_(std::make_move_iterator(data.begin()), std::make_move_iterator(data.end())),
          reverse_(reverse) {
      if (reverse_) std::ranges::reverse(entries_);
    }
    bool valid() const override { return at_ < entries_.size(); }
    protocol::ByteView key() const override { return entries_[at_].first; }
    protocol::ByteView value() const override { return entries_[at_].second; }
    void next() override { ++at_; }
    void seek(protocol::ByteView key) override {
      const Bytes wanted = protocol::to_bytes(key);
      at_ = 0;
      while (valid() && (reverse_ ? entries_[at_].first > wanted : entries_[at_].first < wanted)) {
        ++at_;
      }
    }
    core::Status status() const override { return {}; }

   private:
    std::vector<std::pair<Bytes, Bytes>> entries_;
    bool reverse_;
    size_t at_ = 0;
  };

  core::Status apply(const Update& update) {
    const auto [at, is_new] = data(*update.store).try_emplace(update.key, update.value);
    if (is_new) return {};
    core::Buffer merged;
    auto status = storage::is_partition_entry(update.value)
                      ? storage::merge_partitions(at->second, update.value, merged)
                      : storage::merge_rows(at->second, update.value, merged);
    if (status) at->second = protocol::to_bytes(merged.bytes());
    return status;
  }

  mutable std::mutex mutex_;
  std::map<uint64_t, storage::StorePtr> stores_;
  uint64_t last_id_ = 0;
  Metadata metadata_;
  std::string failure_;
  size_t commits_ = 0;
  size_t dropped_ = 0;
};

}  // namespace cqlperf::server
