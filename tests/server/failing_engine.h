#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "storage/engine.h"

namespace cqlperf::server {

// Another engine up to one of its changes: from that one on each fails, as when the process ends
// there. Changes are counted from 1.
class FailingEngine final : public storage::Engine {
 public:
  // `after`: the change is made, and only its answer is lost.
  FailingEngine(storage::Engine& engine, int fail_at, bool after)
      : engine_(engine), fail_at_(fail_at), after_(after) {}

  bool has_failed() const { return changes_ >= fail_at_; }

  std::map<uint64_t, storage::StorePtr> stores() const override { return engine_.stores(); }
  core::Result<storage::StorePtr> create_store() override {
    return change<core::Result<storage::StorePtr>>([&] { return engine_.create_store(); });
  }
  core::Status drop_store(const storage::StorePtr& store) override {
    return change<core::Status>([&] { return engine_.drop_store(store); });
  }
  std::unique_ptr<storage::Batch> make_batch() override { return engine_.make_batch(); }
  std::unique_ptr<storage::PointReads> make_point_reads() override {
    return engine_.make_point_reads();
  }
  std::unique_ptr<storage::Cursor> scan(const storage::Store& store,
                                        storage::ScanRange range) override {
    return engine_.scan(store, std::move(range));
  }
  core::Status commit(storage::Batch& batch) override {
    return change<core::Status>([&] { return engine_.commit(batch); });
  }
  core::Result<Metadata> metadata() const override { return engine_.metadata(); }
  core::Status change_metadata(const MetadataChanges& changes) override {
    return change<core::Status>([&] { return engine_.change_metadata(changes); });
  }
  bool keeps_nothing() const override { return engine_.keeps_nothing(); }

 private:
  template <class Answer>
  Answer change(const std::function<Answer()>& make) {
    ++changes_;
    if (changes_ < fail_at_) return make();
    if (changes_ == fail_at_ && after_) static_cast<void>(make());
    return core::fail(core::ErrorCode::kIo, "the disk is gone");
  }

  storage::Engine& engine_;
  const int fail_at_;
  const bool after_;
  int changes_ = 0;
};

}  // namespace cqlperf::server
