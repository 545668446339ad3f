#include "storage/rocks_access.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/check.h"
#include "storage/merge_operator.h"

namespace cqlperf::storage {
namespace {

using protocol::ByteView;
using rocksdb::Slice;

// Updates of one key pile up in memory, and each read of it merges them again: a counter of 100,000
// takes 35 ms. A flush leaves one update of them.
void flush_long_merges(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  constexpr size_t kLongMerge = 10'000;
  if (take_longest_merge() < kLongMerge) return;
  uint64_t flushing = 0;
  db.GetIntProperty(family, rocksdb::DB::Properties::kNumImmutableMemTable, &flushing);
  if (flushing > 0) return;
  rocksdb::FlushOptions options;
  options.wait = false;
  options.allow_write_stall = true;
  db.Flush(options, family).PermitUncheckedError();
}

class RocksReads final : public PointReads {
 public:
  explicit RocksReads(rocksdb::DB& db) : db_(db) {}

  size_t add(const Store& store, ByteView key) override {
    reads_.push_back({rocks_store(store).family(), keys_.size(), key.size(), 0});
    keys_.append(key);
    return reads_.size() - 1;
  }
  size_t count() const override { return reads_.size(); }
  core::Status run() override;
  std::optional<ByteView> value(size_t index) const override {
    const size_t slot = reads_[index].slot;
    if (!statuses_[slot].ok()) return std::nullopt;
    return view_of(values_[slot]);
  }
  void clear() override {
    reads_.clear();
    keys_.clear();
    for (size_t i = 0; i < used_; ++i) values_[i].Reset();
    used_ = 0;
  }

 private:
  struct Read {
    rocksdb::ColumnFamilyHandle* family;
    size_t offset;  // of the key in keys_
    size_t size;
    size_t slot;  // in the order of the look-ups
  };

  Slice key_of(const Read& read) const {
    return slice_of(keys_.bytes().subspan(read.offset, read.size));
  }
  void sort();

  rocksdb::DB& db_;
  std::vector<Read> reads_;
  core::Buffer keys_;
  // By slot: one store after the other, their keys in order.
  std::vector<size_t> order_;
  std::vector<Slice> slices_;
  std::vector<rocksdb::PinnableSlice> values_;
  std::vector<rocksdb::Status> statuses_;
  size_t used_ = 0;
};

void RocksReads::sort() {
  order_.resize(reads_.size());
  for (size_t i = 0; i < order_.size(); ++i) order_[i] = i;
  std::sort(order_.begin(), order_.end(), [this](size_t a, size_t b) {
    const Read& one = reads_[a];
    const Read& other = reads_[b];
    if (one.family != other.family) return std::less<>()(one.family, other.family);
    return key_of(one).compare(key_of(other)) < 0;
  });
  slices_.resize(reads_.size());
  for (size_t slot = 0; slot < order_.size(); ++slot) {
    reads_[order_[slot]].slot = slot;
    slices_[slot] = key_of(reads_[order_[slot]]);
  }
}

core::Status RocksReads::run() {
  constexpr bool kSorted = true;
  sort();
  if (values_.size() < reads_.size()) values_ = std::vector<rocksdb::PinnableSlice>(reads_.size());
  if (statuses_.size() < reads_.size()) statuses_.resize(reads_.size());
  used_ = reads_.size();
  for (size_t first = 0; first < used_;) {
    rocksdb::ColumnFamilyHandle* const family = reads_[order_[first]].family;
    size_t end = first;
    while (end < used_ && reads_[order_[end]].family == family) ++end;
    db_.MultiGet({}, family, end - first, &slices_[first], &values_[first], &statuses_[first],
                 kSorted);
    flush_long_merges(db_, family);
    first = end;
  }
  for (size_t slot = 0; slot < used_; ++slot) {
    if (statuses_[slot].ok() || statuses_[slot].IsNotFound()) continue;
    return to_status(statuses_[slot], "cannot read");
  }
  return {};
}

class RocksCursor final : public Cursor {
 public:
  RocksCursor(rocksdb::DB& db, const RocksStore& store, ScanRange range)
      : db_(db),
        store_(store.shared_from_this()),
        range_(std::move(range)),
        lower_(slice_of(range_.lower)),
        upper_(slice_of(range_.upper)) {
    rocksdb::ReadOptions options;
    if (!range_.lower.empty()) options.iterate_lower_bound = &lower_;
    if (!range_.upper.empty()) options.iterate_upper_bound = &upper_;
    iterator_.reset(db.NewIterator(options, store.family()));
    range_.reverse ? iterator_->SeekToLast() : iterator_->SeekToFirst();
  }
  RocksCursor(const RocksCursor&) = delete;
  RocksCursor& operator=(const RocksCursor&) = delete;
  ~RocksCursor() override { flush_long_merges(db_, store_->family()); }

  bool valid() const override { return iterator_->Valid(); }
  ByteView key() const override { return view_of(iterator_->key()); }
  ByteView value() const override { return view_of(iterator_->value()); }
  void next() override { range_.reverse ? iterator_->Prev() : iterator_->Next(); }
  void seek(ByteView key) override {
    range_.reverse ? iterator_->SeekForPrev(slice_of(key)) : iterator_->Seek(slice_of(key));
  }
  core::Status status() const override { return to_status(iterator_->status(), "cannot scan"); }

 private:
  rocksdb::DB& db_;
  std::shared_ptr<const RocksStore> store_;
  ScanRange range_;
  Slice lower_;
  Slice upper_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace

void RocksBatch::merge(const Store& store, ByteView key, ByteView update) {
  const rocksdb::Status status =
      batch_.Merge(rocks_store(store).family(), slice_of(key), slice_of(update));
  CQLPERF_CHECK(status.ok(), "a key and an update of less than 4 GiB");
}

std::unique_ptr<PointReads> make_rocks_reads(rocksdb::DB& db) {
  return std::make_unique<RocksReads>(db);
}

std::unique_ptr<Cursor> make_rocks_cursor(rocksdb::DB& db, const RocksStore& store,
                                          ScanRange range) {
  return std::make_unique<RocksCursor>(db, store, std::move(range));
}

}  // namespace cqlperf::storage
