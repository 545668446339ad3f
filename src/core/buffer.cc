#include "core/buffer.h"

#include <algorithm>

namespace cqlperf::core {

void Buffer::make_room(size_t count) {
  const size_t used = size();
  // Moving the bytes to the front is enough when they fill at most half of the storage: each byte
  // then is moved at most once for each byte that was appended.
  if (used + count <= capacity_ && used <= capacity_ / 2) {
    std::memmove(storage_.get(), data(), used);
    begin_ = 0;
    end_ = used;
    return;
  }
  grow(std::max(used + count, capacity_ * 2));
}

void Buffer::grow(size_t capacity) {
  constexpr size_t kSmallest = 256;
  capacity = std::max(capacity, kSmallest);
  auto larger = std::make_unique_for_overwrite<uint8_t[]>(capacity);
  const size_t used = size();
  if (used > 0) std::memcpy(larger.get(), data(), used);
  storage_ = std::move(larger);
  capacity_ = capacity;
  begin_ = 0;
  end_ = used;
}

}  // namespace cqlperf::core
