#include "server/thrift_items.h"

#include <utility>

#include "server/limits.h"

namespace cqlperf::server {
namespace {

// The code point that starts at `at`, which goes on behind it; of bytes that are no UTF-8 each is
// U+FFFD, as Java reads them.
uint32_t next_code_point(std::string_view text, size_t& at) {
  constexpr uint32_t kReplacement = 0xFFFD;
  const auto byte = [&](size_t index) { return static_cast<uint8_t>(text[index]); };
  const uint8_t lead = byte(at++);
  if (lead < 0x80) return lead;
  const size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - at < more) return kReplacement;
  uint32_t point = lead & (0x3Fu >> more);
  for (size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return kReplacement;
    point = point << 6 | (byte(at + i) & 0x3Fu);
  }
  at += more;
  return point;
}

}  // namespace

// Over UTF-16 units: characters beyond the first 65,536 are two.
int32_t ThriftItems::id_of(std::string_view text) {
  uint32_t hash = 0;
  for (size_t at = 0; at < text.size();) {
    const uint32_t point = next_code_point(text, at);
    if (point >= 0x10000) {
      hash = hash * 31 + (0xD7C0 + (point >> 10));
      hash = hash * 31 + (0xDC00 | (point & 0x3FF));
    } else {
      hash = hash * 31 + point;
    }
  }
  return static_cast<int32_t>(hash);
}

void ThriftItems::add(int32_t id, PreparedPtr statement) {
  const std::lock_guard lock(mutex_);
  if (items_.size() >= kPreparedCountMax && !items_.contains(id)) items_.clear();
  items_[id] = std::move(statement);
}

PreparedPtr ThriftItems::find(int32_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = items_.find(id);
  return found == items_.end() ? nullptr : found->second;
}

}  // namespace cqlperf::server
