#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "core/clock.h"

namespace cqlperf::server {

// What the writers of all threads share: locks for IF [NOT] EXISTS, so that of two that concern one
// partition the second waits, and the clock of writes whose client gave no time. Any thread.
class ConditionLocks {
 public:
  // The lock of a partition; others may share it. Hold one at a time.
  std::mutex& lock_of(int64_t token) { return locks_[static_cast<uint64_t>(token) >> kTokenShift]; }

  // The server's time for a write whose client gave none, in microseconds since 1970, but above any
  // that was given before, in any thread: of two writes in one microsecond the later one wins.
  int64_t next_timestamp_us(int64_t now_us) {
    int64_t last_us = last_timestamp_us_.load(std::memory_order_relaxed);
    int64_t next_us = 0;
    do {
      next_us = now_us > last_us ? now_us : last_us + 1;
    } while (!last_timestamp_us_.compare_exchange_weak(last_us, next_us));
    return next_us;
  }
  int64_t next_timestamp_us() {
    return next_timestamp_us(core::wall_clock_ns() / core::kNanosPerMicro);
  }

 private:
  static constexpr size_t kLocks = 256;
  static constexpr int kTokenShift = 64 - 8;

  std::array<std::mutex, kLocks> locks_;
  std::atomic<int64_t> last_timestamp_us_ = 0;
};

}  // namespace cqlperf::server
