#pragma once

#include <cstdint>

#include "core/check.h"
#include "core/random.h"

namespace cqlperf::workload {

// The key column is an `int`, and keys are its values from 0 up.
inline constexpr int64_t kKeysMax = int64_t{1} << 31;

enum class KeyOrder {
  kSerial,  // 0, 1, 2... and again from 0 after the last one
  kRandom,  // uniform over the key space
};

// Which key an operation works on: a function of its index (and the seed) alone, so that any thread
// can compute it, and a run with the same seed uses the same keys.
class KeySequence {
 public:
  // `keys` in [1, kKeysMax]: the keys are [0, keys).
  KeySequence(KeyOrder order, int64_t keys, uint64_t seed)
      : order_(order), keys_(static_cast<uint64_t>(keys)), salt_(core::mix64(seed)) {
    CQLPERF_CHECK(keys >= 1 && keys <= kKeysMax, "a key space outside of [1, 2^31]");
  }

  int32_t key_of(uint64_t index) const {
    if (order_ == KeyOrder::kSerial)
      return static_cast<int32_t>(index < keys_ ? index : index % keys_);
    // Multiply-shift (Lemire 2019): uniform to within keys/2^64.
    const uint64_t hash = core::mix64(salt_ + index);
    return static_cast<int32_t>((static_cast<unsigned __int128>(hash) * keys_) >> 64);
  }

  int64_t keys() const { return static_cast<int64_t>(keys_); }

 private:
  KeyOrder order_;
  uint64_t keys_;
  uint64_t salt_;
};

}  // namespace cqlperf::workload
