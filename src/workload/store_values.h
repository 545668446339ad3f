#pragma once

#include <cstdint>
#include <memory>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/strings.h"

namespace cqlperf::workload {

// What a value that was read is, compared with what was written.
enum class ValueState {
  kOk,
  kShort,  // fewer bytes than were written
  kWrong,  // other bytes, or more of them
};

// The values of the store suite: each a function of (seed, key), so that a bulk read is verified
// without remembering anything. A value is a head of up to 16 bytes that no other key has, and a
// tail that is a slice of one block of random bytes, so that a value costs neither making nor
// copying, and is compared as fast as memory is read. Immutable after create(); any thread.
class StoreValues {
 public:
  struct Spec {
    uint64_t value_bytes = 1;  // [1, 2^30]
    uint64_t seed = 1;
    double compressible = 0;  // share of the tail that is one repeated byte, [0, 1]
  };
  // The head tells keys apart, as far as the value has room for it.
  static constexpr size_t kHeadBytes = 16;

  // Takes memory for the block: the size of a value and 16 MiB.
  explicit StoreValues(const Spec& spec);

  uint64_t value_bytes() const { return spec_.value_bytes; }

  // Appends the first bytes of the key's value: all that tail() does not have.
  void append_head(int64_t key, core::Buffer& out) const;
  // The rest of it, as long as this lives.
  protocol::ByteView tail(int64_t key) const;

  ValueState check(int64_t key, protocol::ByteView value) const;

 private:
  size_t head_bytes() const {
    return spec_.value_bytes < kHeadBytes ? spec_.value_bytes : kHeadBytes;
  }
  void make_head(int64_t key, uint8_t* out) const;  // kHeadBytes
  void fill_block();

  Spec spec_;
  uint64_t salt_;
  size_t block_bytes_;
  std::unique_ptr<uint8_t[]> block_;
};

}  // namespace cqlperf::workload
