#include "measure/distinct.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/random.h"

namespace cqlperf::measure {

namespace {

constexpr size_t kFirstSlots = 16;
constexpr int kPartBits = 8;
constexpr double kTwoSigma = 2;

size_t part_of(uint64_t hash) { return hash >> (64 - kPartBits); }

// Where the search for a hash starts in a table of `slots`, a power of two: by the bits after those
// that chose the part.
size_t slot_of(uint64_t hash, size_t slots) {
  return (hash << kPartBits) >> (64 - std::countr_zero(slots));
}

// Puts a hash into a table that has a free slot; false when it was there already.
bool place(std::vector<uint64_t>& slots, uint64_t hash) {
  const size_t mask = slots.size() - 1;
  for (size_t i = slot_of(hash, slots.size());; i = (i + 1) & mask) {
    if (slots[i] == hash) return false;
    if (slots[i] != 0) continue;
    slots[i] = hash;
    return true;
  }
}

// The functions sigma and tau of Ertl 2017, for empty and for full registers.
double sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double weight = 1;
  double sum = x;
  for (double before = -1; sum != before;) {
    x *= x;
    before = sum;
    sum += x * weight;
    weight += weight;
  }
  return sum;
}

double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double weight = 1;
  double sum = 1 - x;
  for (double before = -1; sum != before;) {
    x = std::sqrt(x);
    before = sum;
    weight *= 0.5;
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace

void HyperLogLog::add(uint64_t hash) {
  const uint64_t end_mark = uint64_t{1} << (kPrecision - 1);
  const int rank = std::countl_zero(hash << kPrecision | end_mark) + 1;
  uint8_t& highest = registers_[hash >> (64 - kPrecision)];
  if (rank > highest) highest = static_cast<uint8_t>(rank);
}

void HyperLogLog::merge(const HyperLogLog& other) {
  for (size_t i = 0; i < registers_.size(); ++i) {
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
}

uint64_t HyperLogLog::estimate() const {
  constexpr int kMaxRank = 64 - kPrecision + 1;
  std::array<double, kMaxRank + 1> registers_with_rank{};
  for (const uint8_t rank : registers_) ++registers_with_rank[rank];
  const auto registers = static_cast<double>(registers_.size());
  double z = registers * tau(1 - registers_with_rank[kMaxRank] / registers);
  for (int rank = kMaxRank - 1; rank >= 1; --rank) {
    z = 0.5 * (z + registers_with_rank[static_cast<size_t>(rank)]);
  }
  z += registers * sigma(registers_with_rank[0] / registers);
  const double alpha = 1 / (2 * std::log(2.0));
  return static_cast<uint64_t>(std::llround(alpha * registers * registers / z));
}

DistinctCounter::DistinctCounter(size_t limit_bytes)
    : limit_bytes_(limit_bytes), exact_(limit_bytes > 0), parts_(kParts), sketch_(HyperLogLog()) {}

DistinctCounter DistinctCounter::for_key_space(uint64_t key_space, size_t limit_bytes) {
  DistinctCounter counter(limit_bytes);
  const uint64_t words = key_space / 64 + (key_space % 64 != 0 ? 1 : 0);
  if (words == 0 || words > limit_bytes / sizeof(uint64_t)) return counter;
  counter.key_space_ = key_space;
  counter.bitmap_.resize(words);
  counter.parts_ = std::vector<Part>();
  counter.sketch_.reset();
  return counter;
}

void DistinctCounter::flush() {
  insert_keys(staged_.data(), staged_count_);
  staged_count_ = 0;
}

void DistinctCounter::insert_keys(const uint64_t* keys, size_t count) {
  if (key_space_ != 0) return set_bits(keys, count);
  std::array<uint64_t, kBatch> hashes;
  for (size_t i = 0; i < count; ++i) {
    hashes[i] = core::mix64(keys[i]);
    sketch_->add(hashes[i]);
  }
  insert_hashes(hashes.data(), count);
}

void DistinctCounter::set_bits(const uint64_t* keys, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    CQLPERF_CHECK(keys[i] < key_space_, "a key outside of the key space that was announced");
    __builtin_prefetch(&bitmap_[keys[i] / 64], 1);
  }
  for (size_t i = 0; i < count; ++i) bitmap_[keys[i] / 64] |= uint64_t{1} << (keys[i] % 64);
}

void DistinctCounter::insert_hashes(const uint64_t* hashes, size_t count) {
  if (!exact_) return release_one_part();
  for (size_t i = 0; i < count; ++i) {
    const Part& part = parts_[part_of(hashes[i])];
    if (!part.slots.empty()) {
      __builtin_prefetch(&part.slots[slot_of(hashes[i], part.slots.size())], 1);
    }
  }
  for (size_t i = 0; i < count && exact_; ++i) insert_hash(hashes[i]);
}

void DistinctCounter::insert_hash(uint64_t hash) {
  if (hash == 0) {
    has_zero_hash_ = true;
    return;
  }
  Part& part = parts_[part_of(hash)];
  // Two thirds full at most, or searches get long.
  if (part.used * 3 >= part.slots.size() * 2 && !grow(part)) {
    exact_ = false;
    return;
  }
  if (place(part.slots, hash)) ++part.used;
}

// Doubles a part; false when that would go over the limit.
bool DistinctCounter::grow(Part& part) {
  const size_t new_slots = std::max(kFirstSlots, part.slots.size() * 2);
  const size_t added_bytes = (new_slots - part.slots.size()) * sizeof(uint64_t);
  if (set_bytes_ + added_bytes > limit_bytes_) return false;
  std::vector<uint64_t> grown(new_slots);
  for (const uint64_t hash : part.slots) {
    if (hash != 0) place(grown, hash);
  }
  part.slots = std::move(grown);
  set_bytes_ += added_bytes;
  return true;
}

// Once exact counting was given up the set is of no use. It is freed a part at a time, for to free
// it at once takes milliseconds.
void DistinctCounter::release_one_part() {
  if (parts_.empty()) return;
  set_bytes_ -= parts_.back().slots.size() * sizeof(uint64_t);
  parts_.pop_back();
}

void DistinctCounter::merge(const DistinctCounter& other) {
  CQLPERF_CHECK(key_space_ == other.key_space_, "counters of different key spaces");
  flush();
  insert_keys(other.staged_.data(), other.staged_count_);
  for (size_t i = 0; i < bitmap_.size(); ++i) bitmap_[i] |= other.bitmap_[i];
  if (key_space_ != 0) return;
  sketch_->merge(*other.sketch_);
  exact_ = exact_ && other.exact_;
  has_zero_hash_ = has_zero_hash_ || other.has_zero_hash_;
  if (exact_) merge_parts(other);
}

void DistinctCounter::merge_parts(const DistinctCounter& other) {
  // A table is nearly in the order of the hashes. Inserted in that order they would all crowd at
  // the start of a smaller table, so the slots are visited with a large odd step.
  constexpr size_t kStep = 0x9e3779b1;
  for (const Part& part : other.parts_) {
    for (size_t i = 0; i < part.slots.size() && exact_; ++i) {
      const uint64_t hash = part.slots[i * kStep & (part.slots.size() - 1)];
      if (hash != 0) insert_hash(hash);
    }
  }
}

DistinctCount DistinctCounter::result() {
  flush();
  DistinctCount result;
  if (!exact_) {
    return {sketch_->estimate(), false, kTwoSigma * HyperLogLog::kStandardError};
  }
  for (const uint64_t word : bitmap_) result.count += static_cast<uint64_t>(std::popcount(word));
  for (const Part& part : parts_) result.count += part.used;
  if (has_zero_hash_) ++result.count;
  return result;
}

size_t DistinctCounter::memory_bytes() const {
  const size_t sketch_bytes = sketch_ ? size_t{1} << HyperLogLog::kPrecision : 0;
  return sizeof *this + bitmap_.capacity() * sizeof(uint64_t) + parts_.capacity() * sizeof(Part) +
         set_bytes_ + sketch_bytes;
}

}  // namespace cqlperf::measure
