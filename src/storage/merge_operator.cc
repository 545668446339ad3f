#include "storage/merge_operator.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <rocksdb/slice.h>

#include "storage/partition.h"
#include "storage/row.h"

namespace cqlperf::storage {
namespace {

using rocksdb::Slice;

protocol::ByteView view_of(const Slice& slice) {
  return {reinterpret_cast<const uint8_t*>(slice.data()), slice.size()};
}

// Adds up updates, the oldest first.
class Sum {
 public:
  explicit Sum(const Slice& first) : sum_(view_of(first)) {}

  [[nodiscard]] bool add(const Slice& update) {
    spare_.clear();
    const protocol::ByteView newer = view_of(update);
    if (is_partition_entry(sum_) != is_partition_entry(newer)) return false;
    const auto merge = is_partition_entry(sum_) ? merge_partitions : merge_rows;
    if (!merge(sum_, newer, spare_)) return false;
    std::swap(made_, spare_);
    sum_ = made_.bytes();
    return true;
  }
  void give(std::string& out) const {
    out.assign(reinterpret_cast<const char*>(sum_.data()), sum_.size());
  }

 private:
  // Kept for the next sum of this thread.
  static thread_local core::Buffer made_;
  static thread_local core::Buffer spare_;

  protocol::ByteView sum_;
};

thread_local core::Buffer Sum::made_;
thread_local core::Buffer Sum::spare_;

thread_local size_t longest_merge = 0;

class RowMerge final : public rocksdb::MergeOperator {
 public:
  const char* Name() const override { return "cqlperf.rows"; }

  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    const auto& updates = in.operand_list;
    longest_merge = std::max(longest_merge, updates.size());
    if (in.existing_value == nullptr && updates.size() == 1) {
      out->existing_operand = updates[0];  // most reads: no copy
      return true;
    }
    Sum sum(in.existing_value != nullptr ? *in.existing_value : updates[0]);
    for (size_t i = in.existing_value != nullptr ? 0 : 1; i < updates.size(); ++i) {
      if (!sum.add(updates[i])) return false;
    }
    sum.give(out->new_value);
    return true;
  }

  bool PartialMergeMulti(const Slice& /*key*/, const std::deque<Slice>& updates,
                         std::string* new_value, rocksdb::Logger* /*logger*/) const override {
    Sum sum(updates[0]);
    for (size_t i = 1; i < updates.size(); ++i) {
      if (!sum.add(updates[i])) return false;
    }
    sum.give(*new_value);
    return true;
  }
};

}  // namespace

size_t take_longest_merge() { return std::exchange(longest_merge, 0); }

std::shared_ptr<rocksdb::MergeOperator> make_merge_operator() {
  return std::make_shared<RowMerge>();
}

}  // namespace cqlperf::storage
