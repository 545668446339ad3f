#pragma once

#include <cstdint>

namespace cqlperf::core {

inline constexpr int64_t kNanosPerMicro = 1'000;
inline constexpr int64_t kNanosPerMilli = 1'000'000;
inline constexpr int64_t kNanosPerSecond = 1'000'000'000;

// A source of monotonic time, replaceable in tests. Threads may share one.
class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since an arbitrary fixed point; never goes back.
  virtual int64_t now_ns() const = 0;
};

// CLOCK_MONOTONIC.
class SteadyClock final : public Clock {
 public:
  int64_t now_ns() const override;
};

// The clock that production code uses.
const Clock& steady_clock();

// A clock that moves only when told to; for tests.
class ManualClock final : public Clock {
 public:
  int64_t now_ns() const override { return now_ns_; }
  void set_ns(int64_t now_ns) { now_ns_ = now_ns; }
  void advance_ns(int64_t delta_ns) { now_ns_ += delta_ns; }

 private:
  int64_t now_ns_ = 0;
};

// Nanoseconds since 1970-01-01T00:00:00Z (CLOCK_REALTIME).
int64_t wall_clock_ns();

// User plus system CPU time that this process, or this thread, has used so far, in nanoseconds.
int64_t process_cpu_ns();
int64_t thread_cpu_ns();

}  // namespace cqlperf::core
