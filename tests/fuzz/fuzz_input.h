#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/check.h"

namespace cqlperf::fuzz {

// What libFuzzer gives, taken from the front: first the choices of a target, then the bytes that it
// is about. Beyond the end all is zero and empty.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : rest_(data, size) {}

  uint8_t take_u8() {
    const auto byte = take(1);
    return byte.empty() ? 0 : byte[0];
  }
  // Below `bound`.
  size_t take_below(size_t bound) { return take_u8() % bound; }
  // At most `count` bytes.
  std::span<const uint8_t> take(size_t count) {
    const auto taken = rest_.first(count < rest_.size() ? count : rest_.size());
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  // At most 255 bytes, by a byte that says how many.
  std::span<const uint8_t> take_block() { return take(take_u8()); }
  std::span<const uint8_t> take_rest() { return take(rest_.size()); }
  bool empty() const { return rest_.empty(); }

 private:
  std::span<const uint8_t> rest_;
};

}  // namespace cqlperf::fuzz
