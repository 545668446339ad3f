#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace cqlperf::core {

// Reads big-endian values from a span that it does not own. A read beyond the end gives zero or an
// empty view and makes ok() false for good, so a decoder may read a whole message and check once.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t remaining() const { return bytes_.size() - position_; }
  size_t position() const { return position_; }
  // True when nothing failed and nothing is left.
  bool finished() const { return ok_ && remaining() == 0; }
  void set_failed() { ok_ = false; }

  uint8_t read_u8() {
    const uint8_t* at = take(1);
    return at ? *at : 0;
  }
  uint16_t read_u16() {
    uint16_t wire = 0;
    if (const uint8_t* at = take(2)) std::memcpy(&wire, at, 2);
    return __builtin_bswap16(wire);
  }
  int32_t read_i32() {
    uint32_t wire = 0;
    if (const uint8_t* at = take(4)) std::memcpy(&wire, at, 4);
    return static_cast<int32_t>(__builtin_bswap32(wire));
  }
  int64_t read_i64() {
    uint64_t wire = 0;
    if (const uint8_t* at = take(8)) std::memcpy(&wire, at, 8);
    return static_cast<int64_t>(__builtin_bswap64(wire));
  }
  std::span<const uint8_t> read_bytes(size_t count) {
    const uint8_t* at = take(count);
    return at ? std::span<const uint8_t>(at, count) : std::span<const uint8_t>();
  }
  std::string_view read_text(size_t count) {
    const auto bytes = read_bytes(count);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::span<const uint8_t> read_rest() { return read_bytes(remaining()); }

 private:
  const uint8_t* take(size_t count) {
    if (!ok_ || count > remaining()) [[unlikely]] {
      ok_ = false;
      return nullptr;
    }
    const uint8_t* at = bytes_.data() + position_;
    position_ += count;
    return at;
  }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace cqlperf::core
