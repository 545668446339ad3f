#pragma once

#include <cstdint>

namespace cqlperf::core {

// The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijective 64-bit mix. Used as a
// stateless hash, so that a value can be made again from (seed, key, column).
constexpr uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// xoshiro256++ (Blackman, Vigna 2019). One owner thread; not for secrets.
class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) word = mix64(seed++);
  }

  uint64_t next() {
    const uint64_t result = rotate_left(state_[0] + state_[3], 23) + state_[0];
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate_left(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), by multiply-shift (Lemire 2019, without the rejection step: the bias is
  // below bound/2^64). `bound` must not be 0.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  uint64_t state_[4];
};

}  // namespace cqlperf::core
