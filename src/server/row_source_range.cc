#include <algorithm>
#include <utility>

#include "server/row_key.h"
#include "server/row_source.h"

namespace cqlperf::server {
namespace {

using protocol::Bytes;
using protocol::ByteView;

// A cursor holds on to all that was there when it was made; it is made anew after so many entries,
// so that a long scan does not keep what was overwritten meanwhile.
constexpr size_t kEntriesPerCursor = 100'000;

class RangeSource final : public RowSource {
 public:
  RangeSource(const SourceSettings& settings, RowRanges ranges)
      : engine_(settings.engine),
        store_(settings.layout.table().store),
        has_clustering_(settings.layout.has_clustering()),
        ranges_(std::move(ranges)),
        row_(settings.layout, settings.parts, settings.now_s) {}

  core::Result<Step> next() override;
  core::Status load(RowValues& out) override { return row_.load(out); }
  ByteView partition() const override { return row_.partition_prefix(); }
  ByteView clustering() const override { return row_.clustering(); }
  void save_position(PagingState& out) const override {
    out.ordinal = ranges_.ordinal();
    out.key = protocol::to_bytes(row_.key());
  }
  void skip_partition() override { skip_ = true; }
  bool may_have_more(bool is_partition_done) const override {
    return (has_clustering_ && !is_partition_done) ||
           ranges_.has_more_partitions(ranges_.ordinal());
  }

 private:
  core::Status open();
  core::Status read_deletions(ByteView partition_prefix);
  void advance();
  void renew();

  storage::Engine& engine_;
  storage::StorePtr store_;
  const bool has_clustering_;
  RowRanges ranges_;
  StoredRow row_;
  std::unique_ptr<storage::Cursor> cursor_ = {};
  std::unique_ptr<storage::PointReads> reads_ = {};
  Bytes deletions_partition_ = {};  // whose deletions row_ was given
  size_t entries_ = 0;              // of this cursor
  bool is_read_ = false;            // the cursor's entry was looked at
  bool skip_ = false;
};

// Makes the cursor of ranges_.range().
core::Status RangeSource::open() {
  const RowRange& range = ranges_.range();
  // What was deleted comes before the rows of a partition: it is not in the range itself.
  if (has_clustering_ && ranges_.has_partitions()) {
    if (auto status = read_deletions(ranges_.partition_prefix()); !status) return status;
  } else if (has_clustering_ && !ranges_.resumed_after().empty()) {
    if (auto entered = row_.enter(ranges_.resumed_after()); !entered) {
      return std::unexpected(std::move(entered.error()));
    }
    if (auto status = read_deletions(row_.partition_prefix()); !status) return status;
  }
  cursor_ = engine_.scan(*store_, {range.lower, range.upper, ranges_.is_reversed()});
  entries_ = 0;
  is_read_ = false;
  return {};
}

core::Status RangeSource::read_deletions(ByteView partition_prefix) {
  if (std::ranges::equal(partition_prefix, deletions_partition_)) return {};
  deletions_partition_ = protocol::to_bytes(partition_prefix);
  Bytes key = deletions_partition_;
  key.push_back(storage::kPartitionEntry);
  if (reads_ == nullptr) reads_ = engine_.make_point_reads();
  reads_->clear();
  const size_t index = reads_->add(*store_, key);
  if (auto status = reads_->run(); !status) return status;
  const auto value = reads_->value(index);
  if (!value) return {};
  if (auto entered = row_.enter(key); !entered) return std::unexpected(std::move(entered.error()));
  return row_.set_deletions(*value);
}

core::Result<RowSource::Step> RangeSource::next() {
  if (cursor_ == nullptr) {
    if (!ranges_.next()) return Step::kEnd;
    if (auto status = open(); !status) return std::unexpected(std::move(status.error()));
  }
  if (is_read_) advance();
  if (cursor_ == nullptr) return Step::kNothing;
  if (!cursor_->valid()) {
    if (auto status = cursor_->status(); !status) return std::unexpected(status.error());
    cursor_.reset();
    return Step::kNothing;
  }
  is_read_ = true;
  if (auto entered = row_.enter(cursor_->key()); !entered) {
    return std::unexpected(std::move(entered.error()));
  }
  if (row_.is_partition_entry()) {
    if (auto status = row_.set_deletions(cursor_->value()); !status) {
      return std::unexpected(std::move(status.error()));
    }
    return Step::kNothing;
  }
  auto is_live = row_.set_value(cursor_->value());
  if (!is_live) return std::unexpected(std::move(is_live.error()));
  return *is_live ? Step::kRow : Step::kNothing;
}

// To the entry after the one that was looked at.
void RangeSource::advance() {
  is_read_ = false;
  if (skip_ && ranges_.has_partitions()) {
    skip_ = false;
    ranges_.skip_partition();
    cursor_.reset();
    return;
  }
  if (skip_ && has_clustering_) {
    core::Buffer after;
    after.append(row_.partition_prefix());
    if (storage::increment_prefix(after, 0)) {
      cursor_->seek(after.bytes());
    } else {
      cursor_.reset();
    }
  } else if (++entries_ >= kEntriesPerCursor) {
    renew();
  } else {
    cursor_->next();
  }
  skip_ = false;
}

void RangeSource::renew() {
  entries_ = 0;
  const RowRange& range = ranges_.range();
  Bytes key = protocol::to_bytes(row_.key());
  cursor_.reset();
  if (ranges_.is_reversed()) {
    cursor_ = engine_.scan(*store_, {range.lower, std::move(key), true});
  } else {
    key.push_back(0);
    cursor_ = engine_.scan(*store_, {std::move(key), range.upper, false});
  }
}

}  // namespace

std::unique_ptr<RowSource> make_range_source(const SourceSettings& settings, RowRanges ranges) {
  return std::make_unique<RangeSource>(settings, std::move(ranges));
}

}  // namespace cqlperf::server
