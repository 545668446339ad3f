#include "workload/store_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/check.h"
#include "core/random.h"

namespace cqlperf::workload {
namespace {

// Slices begin in this many bytes, so that values that are near each other on the server's disk
// have little in common, and compressing several together gains nothing.
constexpr size_t kSlackBytes = size_t{16} << 20;
// Within each of so many bytes the same share compresses away, below the block size of every
// compressor.
constexpr size_t kPatternBytes = 256;

}  // namespace

StoreValues::StoreValues(const Spec& spec)
    : spec_(spec),
      salt_(core::mix64(spec.seed)),
      block_bytes_(spec.value_bytes - head_bytes() + kSlackBytes),
      block_(std::make_unique_for_overwrite<uint8_t[]>(block_bytes_)) {
  CQLPERF_CHECK(spec.value_bytes >= 1 && spec.value_bytes <= uint64_t{1} << 30,
                "a value size outside of [1, 2^30]");
  CQLPERF_CHECK(spec.compressible >= 0 && spec.compressible <= 1, "a share outside of [0, 1]");
  fill_block();
}

void StoreValues::fill_block() {
  core::Random random(salt_);
  const auto constant = static_cast<size_t>(std::lround(spec_.compressible * kPatternBytes));
  for (size_t at = 0; at < block_bytes_; at += kPatternBytes) {
    uint64_t pattern[kPatternBytes / sizeof(uint64_t)];
    for (uint64_t& word : pattern) word = random.next();
    auto* bytes = reinterpret_cast<uint8_t*>(pattern);
    std::memset(bytes + kPatternBytes - constant, 'c', constant);
    std::memcpy(block_.get() + at, bytes, std::min(kPatternBytes, block_bytes_ - at));
  }
}

// The first half is a bijection of the key: no two keys have the same.
void StoreValues::make_head(int64_t key, uint8_t* out) const {
  const uint64_t first = core::mix64(salt_ ^ static_cast<uint64_t>(key));
  const uint64_t second = core::mix64(first + salt_);
  std::memcpy(out, &first, sizeof first);
  std::memcpy(out + sizeof first, &second, sizeof second);
}

void StoreValues::append_head(int64_t key, core::Buffer& out) const {
  uint8_t head[kHeadBytes];
  make_head(key, head);
  out.append(head, head_bytes());
}

protocol::ByteView StoreValues::tail(int64_t key) const {
  const uint64_t hash = core::mix64(~salt_ ^ static_cast<uint64_t>(key));
  // Aligned to a word, for the speed of comparing.
  const size_t offset = static_cast<size_t>(hash % (kSlackBytes / 8)) * 8;
  return {block_.get() + offset, spec_.value_bytes - head_bytes()};
}

ValueState StoreValues::check(int64_t key, protocol::ByteView value) const {
  if (value.size() < spec_.value_bytes) return ValueState::kShort;
  if (value.size() > spec_.value_bytes) return ValueState::kWrong;
  uint8_t head[kHeadBytes];
  make_head(key, head);
  if (std::memcmp(head, value.data(), head_bytes()) != 0) return ValueState::kWrong;
  const protocol::ByteView rest = tail(key);
  const bool same = std::memcmp(rest.data(), value.data() + head_bytes(), rest.size()) == 0;
  return same ? ValueState::kOk : ValueState::kWrong;
}

}  // namespace cqlperf::workload
