#pragma once

#include <cstdint>

#include "core/buffer.h"
#include "protocol/strings.h"

namespace cqlperf::storage {

// Byte strings inside keys: self-delimiting, and in the order of unsigned bytes, a prefix before
// what it begins. Bytes other than 0 stand for themselves. A run of n zeros is 0 and a byte that
// says how long it is and what follows:
//
//   n           the end; also after no zero at all, so 0 0 ends a string
//   128         more zeros: these are 126
//   255 - n     a byte other than 0
//
// The end comes before more zeros, and these before anything else, whatever the lengths. A string
// takes two bytes more than it has, and less with runs of zeros: a bigint of 1 takes 5.

void append_ordered_bytes(core::Buffer& out, protocol::ByteView value);

// Reads bytes of a key that may have been inverted (descending columns).
class KeyReader {
 public:
  explicit KeyReader(protocol::ByteView bytes) : bytes_(bytes) {}

  void set_inverted(bool inverted) { mask_ = inverted ? 0xFF : 0; }
  bool is_inverted() const { return mask_ != 0; }
  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  bool at_end() const { return position_ == bytes_.size(); }
  // 0 beyond the end, and then ok() is false for good.
  uint8_t read_u8() {
    if (position_ == bytes_.size()) [[unlikely]] {
      ok_ = false;
      return 0;
    }
    return bytes_[position_++] ^ mask_;
  }
  void set_failed() { ok_ = false; }

 private:
  protocol::ByteView bytes_;
  size_t position_ = 0;
  uint8_t mask_ = 0;
  bool ok_ = true;
};

// Replaces `value`. The reader fails when the bytes are not what append_ordered_bytes() makes.
void read_ordered_bytes(KeyReader& in, protocol::Bytes& value);

}  // namespace cqlperf::storage
