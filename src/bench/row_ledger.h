#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "measure/store_result.h"

namespace cqlperf::bench {

// Which keys a bulk read has met: a bit for each, so that every key of the table is accounted for
// exactly, in memory of a known size (keys / 8 bytes). Shared by the workers of a read; mark() from
// any thread, the rest before and after.
class RowLedger {
 public:
  // Keys are [0, keys).
  explicit RowLedger(uint64_t keys);

  // Forgets all marks, for another read.
  void clear();
  // The key was read. False when it is none of the keys, or was marked before.
  bool mark(int64_t key);
  bool is_marked(int64_t key) const;
  // How many keys were.
  uint64_t marked() const;
  // The keys that were not.
  measure::RowFault unmarked() const;

 private:
  uint64_t keys_;
  uint64_t words_;
  std::unique_ptr<std::atomic<uint64_t>[]> marks_;
};

// Counts a faulty row, and keeps its key when it is among the smallest.
void add_fault(measure::RowFault& fault, int64_t key);
void merge_faults(measure::RowFault& into, const measure::RowFault& from);

}  // namespace cqlperf::bench
