#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cqlperf::measure {

// A HdrHistogram (Gil Tene, http://hdrhistogram.org) of times in nanoseconds, from 1 ns to 1 hour
// with 3 significant digits: a value up to 2047 has a bucket of its own, and from there on each
// power of two is divided into 1024 buckets, so that no value is off by more than 1/1024.
// Recording allocates nothing; the memory is 264 KiB whatever is recorded. Counts are 64-bit.
// One owner thread.
class Histogram {
 public:
  static constexpr int64_t kLowestDiscernibleNs = 1;
  static constexpr int64_t kHighestNs = 3'600'000'000'000;
  static constexpr int kSignificantDigits = 3;
  // 32 powers of two from 2048 up to the first above kHighestNs, in halves of 1024, and one half
  // more for the values below 1024.
  static constexpr size_t kBucketCount = 33 * 1024;

  Histogram() : counts_(kBucketCount) {}

  // Values above kHighestNs are recorded as kHighestNs and counted in over_range(); values below 0
  // are recorded as 0.
  void record(int64_t value_ns) { record(value_ns, 1); }
  void record(int64_t value_ns, uint64_t times) {
    if (value_ns > kHighestNs) [[unlikely]] {
      value_ns = kHighestNs;
      over_range_ += times;
    }
    if (value_ns < 0) [[unlikely]]
      value_ns = 0;
    counts_[index_of(value_ns)] += times;
    count_ += times;
    sum_ns_ += static_cast<unsigned __int128>(value_ns) * times;
    if (value_ns < min_ns_) min_ns_ = value_ns;
    if (value_ns > max_ns_) max_ns_ = value_ns;
  }

  // The number of values recorded, those over range included.
  uint64_t count() const { return count_; }
  uint64_t over_range() const { return over_range_; }
  bool empty() const { return count_ == 0; }

  // Exact, not rounded to a bucket (but see record_bucket); none when nothing was recorded.
  std::optional<int64_t> min_ns() const;
  std::optional<int64_t> max_ns() const;
  std::optional<double> mean_ns() const;

  // The highest value that is equivalent to the one at `percentile` (clamped to 0..100), computed
  // as the reference implementation does; at 0 the lowest equivalent one. It may thus be above
  // max_ns() by less than 1/1024. None when nothing was recorded.
  std::optional<int64_t> value_at_percentile(double percentile) const;

  void add(const Histogram& other);
  void reset();

  // Calls visit(lowest_ns, highest_ns, count) for each bucket that is not empty, lowest first.
  template <class Visit>
  void for_each_bucket(Visit visit) const {
    for (size_t i = first_index(); i < end_index(); ++i) {
      if (counts_[i] != 0) visit(lowest_equivalent_ns(i), highest_equivalent_ns(i), counts_[i]);
    }
  }

  // Bucket access, for the encoder: counts by index in [0, end_index()), where end_index() is one
  // past the last bucket in use.
  uint64_t count_at(size_t index) const { return counts_[index]; }
  size_t end_index() const { return count_ == 0 ? 0 : index_of(max_ns_) + 1; }
  // Adds `times` values to a bucket of which only the index is known: they count as its middle for
  // the mean, its low end for the minimum and its high end for the maximum, as in the reference
  // decoder. `index` is below kBucketCount.
  void record_bucket(size_t index, uint64_t times);

  static constexpr size_t index_of(int64_t value_ns) {
    const auto value = static_cast<uint64_t>(value_ns);
    const int shift = 53 - std::countl_zero(value | 2047);
    return (static_cast<size_t>(shift) << 10) + (value >> shift);
  }
  static constexpr int64_t lowest_equivalent_ns(size_t index) {
    const int shift = shift_of(index);
    return static_cast<int64_t>(index - (static_cast<size_t>(shift) << 10)) << shift;
  }
  static constexpr int64_t highest_equivalent_ns(size_t index) {
    return lowest_equivalent_ns(index) + (int64_t{1} << shift_of(index)) - 1;
  }

 private:
  static constexpr int shift_of(size_t index) {
    return index < 2048 ? 0 : static_cast<int>(index >> 10) - 1;
  }
  size_t first_index() const { return count_ == 0 ? 0 : index_of(min_ns_); }

  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t over_range_ = 0;
  unsigned __int128 sum_ns_ = 0;
  int64_t min_ns_ = INT64_MAX;  // never shown: see min_ns()
  int64_t max_ns_ = 0;
};

}  // namespace cqlperf::measure
