#include "bench/row_ledger.h"

#include <algorithm>
#include <bit>

namespace cqlperf::bench {
namespace {

constexpr uint64_t kBits = 64;

void keep_smallest(std::vector<int64_t>& keys, int64_t key) {
  const auto at = std::ranges::lower_bound(keys, key);
  if (at == keys.end() && keys.size() == measure::RowFault::kFirstKeys) return;
  if (at != keys.end() && *at == key) return;
  keys.insert(at, key);
  if (keys.size() > measure::RowFault::kFirstKeys) keys.pop_back();
}

}  // namespace

RowLedger::RowLedger(uint64_t keys)
    : keys_(keys),
      words_((keys + kBits - 1) / kBits),
      marks_(std::make_unique<std::atomic<uint64_t>[]>(words_)) {}

void RowLedger::clear() {
  for (uint64_t word = 0; word < words_; ++word) marks_[word].store(0, std::memory_order_relaxed);
}

bool RowLedger::mark(int64_t key) {
  const auto index = static_cast<uint64_t>(key);
  if (index >= keys_) return false;
  const uint64_t bit = uint64_t{1} << (index % kBits);
  return (marks_[index / kBits].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

bool RowLedger::is_marked(int64_t key) const {
  const auto index = static_cast<uint64_t>(key);
  return index < keys_ &&
         (marks_[index / kBits].load(std::memory_order_relaxed) >> (index % kBits) & 1) != 0;
}

uint64_t RowLedger::marked() const {
  uint64_t count = 0;
  for (uint64_t word = 0; word < words_; ++word)
    count += static_cast<uint64_t>(std::popcount(marks_[word].load(std::memory_order_relaxed)));
  return count;
}

measure::RowFault RowLedger::unmarked() const {
  measure::RowFault missing;
  for (uint64_t word = 0; word < words_; ++word) {
    const uint64_t here = std::min(kBits, keys_ - word * kBits);
    const uint64_t all = here == kBits ? ~uint64_t{0} : (uint64_t{1} << here) - 1;
    uint64_t absent = ~marks_[word].load(std::memory_order_relaxed) & all;
    missing.count += static_cast<uint64_t>(std::popcount(absent));
    for (; absent != 0 && missing.first_keys.size() < measure::RowFault::kFirstKeys;
         absent &= absent - 1)
      missing.first_keys.push_back(
          static_cast<int64_t>(word * kBits + static_cast<uint64_t>(std::countr_zero(absent))));
  }
  return missing;
}

void add_fault(measure::RowFault& fault, int64_t key) {
  ++fault.count;
  keep_smallest(fault.first_keys, key);
}

void merge_faults(measure::RowFault& into, const measure::RowFault& from) {
  into.count += from.count;
  for (const int64_t key : from.first_keys) keep_smallest(into.first_keys, key);
}

}  // namespace cqlperf::bench
