#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "core/check.h"

namespace cqlperf::core {

// A growable byte queue: bytes are appended at the end and consumed from the front. Storage is one
// contiguous block that is never zero-filled and is kept for reuse, so a steady stream of appends
// and consumes allocates nothing. Spans and pointers into it are valid until the next call that is
// not const. One owner thread.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t capacity) { grow(capacity); }
  Buffer(Buffer&&) = default;
  Buffer& operator=(Buffer&&) = default;

  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  size_t capacity() const { return capacity_; }
  const uint8_t* data() const { return storage_.get() + begin_; }
  uint8_t* data() { return storage_.get() + begin_; }
  std::span<const uint8_t> bytes() const { return {data(), size()}; }

  // Makes room for `count` more bytes and returns where they go; commit() then counts them in.
  uint8_t* reserve(size_t count) {
    if (capacity_ - end_ < count) [[unlikely]]
      make_room(count);
    return storage_.get() + end_;
  }
  void commit(size_t count) {
    CQLPERF_CHECK(count <= capacity_ - end_, "commit beyond what was reserved");
    end_ += count;
  }
  // Bytes that can be committed without another reserve().
  size_t writable() const { return capacity_ - end_; }

  void append(const void* bytes, size_t count) {
    if (count == 0) return;
    std::memcpy(reserve(count), bytes, count);
    end_ += count;
  }
  void append(std::span<const uint8_t> bytes) { append(bytes.data(), bytes.size()); }
  void append(std::string_view text) { append(text.data(), text.size()); }

  // Integers, big-endian, as on the CQL and Thrift wires.
  void append_u8(uint8_t value) { append_integer(value); }
  void append_u16(uint16_t value) { append_integer(value); }
  void append_i32(int32_t value) { append_integer(static_cast<uint32_t>(value)); }
  void append_i64(int64_t value) { append_integer(static_cast<uint64_t>(value)); }

  // Overwrites bytes that are already in the queue, `offset` counted from data().
  void patch_u16(size_t offset, uint16_t value) { patch_integer(offset, value); }
  void patch_i32(size_t offset, int32_t value) {
    patch_integer(offset, static_cast<uint32_t>(value));
  }

  // Drops `count` bytes from the front.
  void consume(size_t count) {
    CQLPERF_CHECK(count <= size(), "consume beyond the end");
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  // Drops bytes from the end, so that `size` are left.
  void truncate(size_t size_left) {
    CQLPERF_CHECK(size_left <= size(), "truncate beyond the end");
    end_ = begin_ + size_left;
  }
  void clear() { begin_ = end_ = 0; }
  // Gives the storage back.
  void release() { *this = Buffer(); }

 private:
  template <class Unsigned>
  static Unsigned to_big_endian(Unsigned value) {
    if constexpr (sizeof(Unsigned) == 2) return __builtin_bswap16(value);
    if constexpr (sizeof(Unsigned) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(Unsigned) == 8) return __builtin_bswap64(value);
    return value;
  }
  template <class Unsigned>
  void append_integer(Unsigned value) {
    const Unsigned wire = to_big_endian(value);
    std::memcpy(reserve(sizeof wire), &wire, sizeof wire);
    end_ += sizeof wire;
  }
  template <class Unsigned>
  void patch_integer(size_t offset, Unsigned value) {
    CQLPERF_CHECK(offset + sizeof value <= size(), "patch beyond the end");
    const Unsigned wire = to_big_endian(value);
    std::memcpy(data() + offset, &wire, sizeof wire);
  }

  void make_room(size_t count);
  void grow(size_t capacity);

  std::unique_ptr<uint8_t[]> storage_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace cqlperf::core
