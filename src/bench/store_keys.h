#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/store_task.h"
#include "workload/store_values.h"

namespace cqlperf::bench {

// How far the workers of a phase are, for progress. Each worker writes to one of its own.
struct alignas(64) StoreTally {
  std::atomic<uint64_t> keys{0};
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> retried{0};

  void add(uint64_t more_keys, uint64_t more_bytes) {
    keys.store(keys.load(std::memory_order_relaxed) + more_keys, std::memory_order_relaxed);
    bytes.store(bytes.load(std::memory_order_relaxed) + more_bytes, std::memory_order_relaxed);
  }
  void add_retry() { retried.fetch_add(1, std::memory_order_relaxed); }
};

// Writes or deletes the keys of one worker's stripe, in order: `first`, `first + step`, ... below
// `keys`. A request that fails is sent again, since both can be repeated without harm; a key that
// is refused for good stops the phase.
class KeyTask final : public StoreTask {
 public:
  enum class Kind { kWrite, kDelete };

  // `values` (of a write; else null) and `tally` outlive this. `window`: slots.
  KeyTask(Kind kind, uint16_t statement, int64_t first, int64_t step, int64_t keys,
          const workload::StoreValues* values, uint32_t window, StoreTally& tally);

  uint64_t operations() const override { return operations_; }
  uint16_t statement() const override { return statement_; }
  void take(uint32_t slot) override;
  void put_back(uint32_t slot) override { again_.push_front(slots_[slot]); }
  void write_values(uint32_t slot, core::Buffer& out) override;
  protocol::ByteView value_tail(uint32_t slot) override { return values_->tail(slots_[slot].key); }
  void on_success(uint32_t slot, const protocol::Frame& frame, int64_t received_ns,
                  executor::Completions& completions) override;
  void on_failure(uint32_t slot, const client::RequestFailure& failure, int64_t received_ns,
                  executor::Completions& completions) override;

  // Why a key was given up, for people; empty when none was.
  const std::string& problem() const { return problem_; }

 private:
  struct Request {
    int64_t key = 0;
    uint32_t attempts = 0;  // that failed
  };

  const Kind kind_;
  const uint16_t statement_;
  const int64_t step_;
  const int64_t keys_;
  const workload::StoreValues* values_;
  StoreTally& tally_;
  uint64_t operations_;
  int64_t next_key_;
  std::deque<Request> again_;
  std::vector<Request> slots_;
  std::string problem_;
};

}  // namespace cqlperf::bench
