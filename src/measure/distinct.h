#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cqlperf::measure {

// How many different keys there were. When not exact, the true number is within `relative_error`
// of `count` in 19 of 20 cases (two standard errors).
struct DistinctCount {
  uint64_t count = 0;
  bool exact = true;
  double relative_error = 0;
};

// A HyperLogLog sketch (Flajolet et al. 2007) with 2^16 registers and 64-bit hashes (Heule et al.
// 2013), read with the estimator of Ertl 2017 (arXiv:1702.01284, algorithm 6), which needs no bias
// tables: its standard error is 1.04/sqrt(2^16) = 0.41 % at every size. 64 KiB.
class HyperLogLog {
 public:
  static constexpr int kPrecision = 16;
  static constexpr double kStandardError = 1.04 / 256;

  HyperLogLog() : registers_(size_t{1} << kPrecision) {}
  // `hash` is 64 well-mixed bits.
  void add(uint64_t hash);
  void merge(const HyperLogLog& other);
  uint64_t estimate() const;

 private:
  std::vector<uint8_t> registers_;
};

// Counts different 64-bit keys in a fixed amount of memory: exactly while the keys fit in
// `limit_bytes`, by HyperLogLog beyond. Keys are staged and inserted in batches, so that their
// cache misses overlap; the set is in parts that grow on their own, so that no add() takes long.
// One owner thread.
class DistinctCounter {
 public:
  static constexpr size_t kDefaultLimitBytes = size_t{64} << 20;

  // A hash set that holds about limit_bytes/12 keys, with a sketch beside it for what does not fit.
  // A limit of 0 counts by the sketch alone.
  explicit DistinctCounter(size_t limit_bytes = kDefaultLimitBytes);

  // For keys in [0, key_space): one bit for each when that fits in the limit (always exact),
  // otherwise as above.
  static DistinctCounter for_key_space(uint64_t key_space, size_t limit_bytes = kDefaultLimitBytes);

  void add(uint64_t key) {
    staged_[staged_count_++] = key;
    if (staged_count_ == kBatch) [[unlikely]]
      flush();
  }

  // Takes in the keys of another counter; this one's limit holds for both. Counters of one run are
  // all made with the same key space.
  void merge(const DistinctCounter& other);

  DistinctCount result();

  // What is allocated now, the sketch included.
  size_t memory_bytes() const;

 private:
  static constexpr size_t kBatch = 64;
  static constexpr size_t kParts = 256;

  // An open-addressing hash table of hashed keys; 0 marks a free slot.
  struct Part {
    std::vector<uint64_t> slots;
    size_t used = 0;
  };

  void flush();
  void insert_keys(const uint64_t* keys, size_t count);
  void insert_hashes(const uint64_t* hashes, size_t count);
  void insert_hash(uint64_t hash);
  void set_bits(const uint64_t* keys, size_t count);
  bool grow(Part& part);
  void release_one_part();
  void merge_parts(const DistinctCounter& other);

  size_t limit_bytes_;
  size_t set_bytes_ = 0;
  bool exact_;
  bool has_zero_hash_ = false;
  uint64_t key_space_ = 0;  // 0: no bitmap
  std::vector<uint64_t> bitmap_;
  std::vector<Part> parts_;
  std::optional<HyperLogLog> sketch_;
  std::array<uint64_t, kBatch> staged_;
  size_t staged_count_ = 0;
};

}  // namespace cqlperf::measure
