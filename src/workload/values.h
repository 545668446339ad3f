#pragma once

#include <cstdint>

#include "core/random.h"

namespace cqlperf::workload {

// The values of the columns va, vb and vc (columns 0, 1 and 2): functions of (seed, key, column),
// so every row that is read can be verified without remembering what was written. Uniform in [0,
// 2^31), the range of Go's rand.Int31().
class RowValues {
 public:
  static constexpr uint32_t kColumns = 3;

  explicit RowValues(uint64_t seed) : salt_(core::mix64(~seed)) {}

  int32_t value(int32_t key, uint32_t column) const {
    const uint64_t place = (static_cast<uint64_t>(static_cast<uint32_t>(key)) << 2) | column;
    return static_cast<int32_t>(core::mix64(salt_ ^ place) >> 33);
  }

 private:
  uint64_t salt_;
};

}  // namespace cqlperf::workload
