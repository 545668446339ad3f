#include "storage/token.h"

#include <cstring>
#include <limits>

namespace cqlperf::storage {
namespace {

constexpr uint64_t kC1 = 0x87c37b91114253d5ULL;
constexpr uint64_t kC2 = 0x4cf5ad432745937fULL;
constexpr size_t kBlockBytes = 16;

uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t final_mix(uint64_t k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdULL;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53ULL;
  return k ^ (k >> 33);
}

uint64_t mix_first(uint64_t k) { return rotate_left(k * kC1, 31) * kC2; }
uint64_t mix_second(uint64_t k) { return rotate_left(k * kC2, 33) * kC1; }

uint64_t little_endian(const uint8_t* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Up to eight bytes, each sign-extended before it is shifted in, as Java's bytes are.
uint64_t signed_tail(const uint8_t* at, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i) {
    word ^= static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(at[i]))) << (8 * i);
  }
  return word;
}

int64_t first_half_of_hash(protocol::ByteView key) {
  uint64_t h1 = 0;
  uint64_t h2 = 0;
  const uint8_t* at = key.data();
  size_t left = key.size();
  for (; left >= kBlockBytes; at += kBlockBytes, left -= kBlockBytes) {
    h1 = (rotate_left(h1 ^ mix_first(little_endian(at)), 27) + h2) * 5 + 0x52dce729;
    h2 = (rotate_left(h2 ^ mix_second(little_endian(at + 8)), 31) + h1) * 5 + 0x38495ab5;
  }
  if (left > 8) h2 ^= mix_second(signed_tail(at + 8, left - 8));
  if (left > 0) h1 ^= mix_first(signed_tail(at, left < 8 ? left : 8));
  h1 ^= key.size();
  h2 ^= key.size();
  h1 += h2;
  h2 += h1;
  return static_cast<int64_t>(final_mix(h1) + final_mix(h2));
}

}  // namespace

int64_t token_of(protocol::ByteView partition_key) {
  if (partition_key.empty()) return std::numeric_limits<int64_t>::min();
  const int64_t hash = first_half_of_hash(partition_key);
  return hash == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : hash;
}

}  // namespace cqlperf::storage
