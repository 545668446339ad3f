#include "measure/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cqlperf::measure {

std::optional<int64_t> Histogram::min_ns() const {
  if (empty()) return std::nullopt;
  return min_ns_;
}

std::optional<int64_t> Histogram::max_ns() const {
  if (empty()) return std::nullopt;
  return max_ns_;
}

std::optional<double> Histogram::mean_ns() const {
  if (empty()) return std::nullopt;
  return static_cast<double>(sum_ns_) / static_cast<double>(count_);
}

std::optional<int64_t> Histogram::value_at_percentile(double percentile) const {
  if (empty()) return std::nullopt;
  // One ulp less, so that a product that was rounded up does not reach the next bucket; the same
  // arithmetic as the reference, or the two would differ at the edges.
  const double below = std::nextafter(percentile, -std::numeric_limits<double>::infinity());
  const double requested = std::min(std::max(below, 0.0), 100.0);
  const double position = std::ceil(requested * static_cast<double>(count_) / 100.0);
  const uint64_t wanted = std::max<uint64_t>(static_cast<uint64_t>(position), 1);
  uint64_t passed = 0;
  size_t index = first_index();
  for (; index + 1 < end_index(); ++index) {
    passed += counts_[index];
    if (passed >= wanted) break;
  }
  return percentile <= 0 ? lowest_equivalent_ns(index) : highest_equivalent_ns(index);
}

void Histogram::add(const Histogram& other) {
  const size_t end = other.end_index();
  for (size_t i = other.first_index(); i < end; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  over_range_ += other.over_range_;
  sum_ns_ += other.sum_ns_;
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

void Histogram::reset() {
  std::fill(counts_.begin() + static_cast<ptrdiff_t>(first_index()),
            counts_.begin() + static_cast<ptrdiff_t>(end_index()), 0);
  count_ = 0;
  over_range_ = 0;
  sum_ns_ = 0;
  min_ns_ = INT64_MAX;
  max_ns_ = 0;
}

void Histogram::record_bucket(size_t index, uint64_t times) {
  if (times == 0) return;
  const int64_t lowest_ns = lowest_equivalent_ns(index);
  const int64_t highest_ns = highest_equivalent_ns(index);
  const int64_t middle_ns = lowest_ns + (highest_ns - lowest_ns + 1) / 2;
  counts_[index] += times;
  count_ += times;
  sum_ns_ += static_cast<unsigned __int128>(middle_ns) * times;
  min_ns_ = std::min(min_ns_, lowest_ns);
  max_ns_ = std::max(max_ns_, highest_ns);
}

}  // namespace cqlperf::measure
