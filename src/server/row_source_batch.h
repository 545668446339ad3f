#pragma once

#include <algorithm>
#include <cstddef>

namespace cqlperf::server {

// How many keys are read together: many small values make reading cheap, few large ones keep memory
// small. Adapts to what came back. One owner thread.
class BatchSize {
 public:
  size_t keys() const { return keys_; }
  // Tells what the last batch held.
  void adapt(size_t bytes) {
    if (bytes > kBytesMax) {
      keys_ = std::max<size_t>(1, keys_ / 8);
    } else if (bytes < kBytesMax / 4) {
      keys_ = std::min(kKeysMax, keys_ * 2);
    }
  }

 private:
  static constexpr size_t kKeysMax = 256;
  static constexpr size_t kBytesMax = size_t{4} << 20;
  size_t keys_ = 16;
};

}  // namespace cqlperf::server
