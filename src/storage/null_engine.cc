#include <atomic>
#include <mutex>

#include "storage/engine.h"

namespace cqlperf::storage {
namespace {

using protocol::ByteView;

struct NullStore final : Store {
  explicit NullStore(uint64_t id) : id_(id) {}
  uint64_t id() const override { return id_; }

 private:
  uint64_t id_;
};

class NullBatch final : public Batch {
 public:
  void merge(const Store& /*store*/, ByteView key, ByteView update) override {
    ++count_;
    size_bytes_ += key.size() + update.size();
  }
  size_t count() const override { return count_; }
  size_t size_bytes() const override { return size_bytes_; }
  void clear() override { count_ = size_bytes_ = 0; }

 private:
  size_t count_ = 0;
  size_t size_bytes_ = 0;
};

class NullReads final : public PointReads {
 public:
  size_t add(const Store& /*store*/, ByteView /*key*/) override { return count_++; }
  size_t count() const override { return count_; }
  core::Status run() override { return {}; }
  std::optional<ByteView> value(size_t /*index*/) const override { return std::nullopt; }
  void clear() override { count_ = 0; }

 private:
  size_t count_ = 0;
};

class NullCursor final : public Cursor {
 public:
  bool valid() const override { return false; }
  ByteView key() const override { return {}; }
  ByteView value() const override { return {}; }
  void next() override {}
  void seek(ByteView /*key*/) override {}
  core::Status status() const override { return {}; }
};

class NullEngine final : public Engine {
 public:
  std::map<uint64_t, StorePtr> stores() const override { return {}; }
  core::Result<StorePtr> create_store() override {
    return std::make_shared<NullStore>(next_id_.fetch_add(1));
  }
  core::Status drop_store(const StorePtr& /*store*/) override { return {}; }

  std::unique_ptr<Batch> make_batch() override { return std::make_unique<NullBatch>(); }
  std::unique_ptr<PointReads> make_point_reads() override { return std::make_unique<NullReads>(); }
  std::unique_ptr<Cursor> scan(const Store& /*store*/, ScanRange /*range*/) override {
    return std::make_unique<NullCursor>();
  }
  core::Status commit(Batch& /*batch*/) override { return {}; }

  core::Result<Metadata> metadata() const override {
    const std::lock_guard lock(mutex_);
    return metadata_;
  }
  core::Status change_metadata(const MetadataChanges& changes) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, value] : changes) {
      if (value) {
        metadata_.insert_or_assign(name, *value);
      } else {
        metadata_.erase(name);
      }
    }
    return {};
  }
  bool keeps_nothing() const override { return true; }

 private:
  std::atomic<uint64_t> next_id_ = 1;
  mutable std::mutex mutex_;
  Metadata metadata_;
};

}  // namespace

std::unique_ptr<Engine> make_null_engine() { return std::make_unique<NullEngine>(); }

}  // namespace cqlperf::storage
