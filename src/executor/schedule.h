#pragma once

#include <cstdint>
#include <limits>

#include "core/clock.h"
#include "core/result.h"

namespace cqlperf::executor {

// The most operations that one run may have, and the offset that stands for "never": about 73
// years, small enough that it can be added to any clock reading.
inline constexpr uint64_t kOperationsMax = 1'000'000'000'000'000;
inline constexpr int64_t kNeverNs = std::numeric_limits<int64_t>::max() / 4;

// When operations are due: operation i at i/rate after the start. Pure arithmetic, no state, no
// division per operation. For offsets below 26 days the answer is within 1 ns of the exact value
// (2^-52 of the offset plus half a nanosecond), so nothing adds up over the length of a run.
class Schedule {
 public:
  // `rate` in operations per second, in [10^-6, 10^9]; 0 is the closed loop, where an operation is
  // due when there is room for it.
  explicit Schedule(double rate)
      : period_ns_(rate > 0 ? static_cast<double>(core::kNanosPerSecond) / rate : 0) {}

  bool closed_loop() const { return period_ns_ == 0; }

  // Nanoseconds from the start to the moment at which operation `index` is due; at most kNeverNs.
  int64_t due_offset_ns(uint64_t index) const {
    const double offset = static_cast<double>(index) * period_ns_ + 0.5;
    return offset < static_cast<double>(kNeverNs) ? static_cast<int64_t>(offset) : kNeverNs;
  }

  // How many operations are due before `offset_ns`: the smallest index that is not. Agrees exactly
  // with due_offset_ns(). At most kOperationsMax. Not for the closed loop.
  uint64_t operations_before(int64_t offset_ns) const;

 private:
  double period_ns_;
};

// One worker's part of a run: the operations whose index is `worker` modulo `workers`. The stripes
// are disjoint and cover everything, so rate, count and keys are split exactly, whatever the number
// of workers: a rate below the number of workers is still that rate in total.
struct Stripe {
  uint32_t worker = 0;
  uint32_t workers = 1;

  // The index, in the whole run, of this stripe's operation `number` (0, 1, 2...).
  uint64_t index(uint64_t number) const { return number * workers + worker; }
  // How many indices below `total` are in this stripe.
  uint64_t count_below(uint64_t total) const {
    return total > worker ? (total - worker - 1) / workers + 1 : 0;
  }
};

// Worker `worker`'s share of a window of `parallelism` operations in flight: shares differ by at
// most one and add up to `parallelism`.
uint32_t window_share(uint32_t parallelism, Stripe stripe);

// The operations of `runs` consecutive one-second runs at `rate` (not 0): those that are due before
// `runs` seconds have passed. kUsage when these are more than kOperationsMax.
core::Result<uint64_t> operations_of_runs(double rate, uint64_t runs);

}  // namespace cqlperf::executor
