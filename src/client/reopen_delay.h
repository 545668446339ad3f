#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock.h"
#include "core/random.h"

namespace cqlperf::client {

// How long a connection that has ended waits until it is opened again: 100 ms at first, doubling
// to 5 s. Jitter keeps the connections of many loaders from coming back in the same moment.
class ReopenDelay {
 public:
  // The delay after one more failure.
  int64_t next_ns(core::Random& random) {
    const int64_t delay_ns = std::min(kMaxNs, kMinNs << failures_);
    failures_ = std::min(failures_ + 1, kDoublingsMax);
    const double jitter = 0.8 + 0.4 * random.unit();
    return static_cast<int64_t>(static_cast<double>(delay_ns) * jitter);
  }
  // The connection is of use again.
  void reset() { failures_ = 0; }

 private:
  static constexpr int64_t kMinNs = 100 * core::kNanosPerMilli;
  static constexpr int64_t kMaxNs = 5 * core::kNanosPerSecond;
  static constexpr int kDoublingsMax = 6;  // beyond kMaxNs

  int failures_ = 0;  // since it was of use
};

}  // namespace cqlperf::client
