#include <algorithm>
#include <optional>
#include <utility>

#include "cql/values.h"
#include "server/index_key.h"
#include "server/row_source.h"
#include "server/row_source_batch.h"

namespace cqlperf::server {
namespace {

using protocol::Bytes;
using protocol::ByteView;

// Walks the entries of one value. Each is compared with its row, since nothing takes an entry away
// when the row changes; those that can never be true again are removed.
class IndexSource final : public RowSource {
 public:
  IndexSource(const SourceSettings& settings, const Index& index, ByteView value, RowRanges ranges);
  ~IndexSource() override { commit_removals(); }

  core::Result<Step> next() override;
  core::Status load(RowValues& out) override { return row_.load(out); }
  ByteView partition() const override { return row_.partition_prefix(); }
  ByteView clustering() const override { return row_.clustering(); }
  void save_position(PagingState& out) const override {
    out.ordinal = entries_[at_ - 1].ordinal;
    out.key = entries_[at_ - 1].row_key;
  }
  void skip_partition() override { skipped_ = protocol::to_bytes(row_.partition_prefix()); }
  bool may_have_more(bool is_partition_done) const override {
    return (layout_.has_clustering() && !is_partition_done) ||
           ranges_.has_more_partitions(entries_[at_ - 1].ordinal);
  }

 private:
  struct Entry {
    uint64_t ordinal = 0;
    Bytes key = {};
    Bytes row_key = {};
    int64_t timestamp_us = 0;
    size_t read = 0;
    std::optional<size_t> deletions = {};  // the read of the partition's entry
  };

  storage::ScanRange index_range() const;
  core::Result<bool> fill();
  core::Result<bool> take_entry();
  core::Status add_entry();
  core::Result<Step> check_entry(const Entry& entry);
  bool has_value();
  void remove(const Entry& entry);
  void commit_removals();

  storage::Engine& engine_;
  const Table& table_;
  storage::StorePtr store_;
  storage::StorePtr index_store_;
  const Column& column_;
  const size_t position_;  // of the column in the table
  const RowLayout& layout_;
  const int64_t now_s_;
  const Bytes value_;
  Bytes prefix_ = {};  // of the value's entries
  RowRanges ranges_;
  StoredRow row_;
  StoredRow entry_row_;  // where the entry's key leads
  RowValues values_;
  std::unique_ptr<storage::Cursor> cursor_ = {};
  std::unique_ptr<storage::PointReads> reads_;
  std::unique_ptr<storage::Batch> removals_ = {};
  BatchSize batch_size_ = {};
  std::vector<Entry> entries_ = {};
  size_t at_ = 0;
  Bytes skipped_ = {};
};

IndexSource::IndexSource(const SourceSettings& settings, const Index& index, ByteView value,
                         RowRanges ranges)
    : engine_(settings.engine),
      table_(settings.layout.table()),
      store_(table_.store),
      index_store_(index.store),
      column_(*table_.find(index.column)),
      position_(static_cast<size_t>(&column_ - table_.columns.data())),
      layout_(settings.layout),
      now_s_(settings.now_s),
      value_(protocol::to_bytes(value)),
      ranges_(std::move(ranges)),
      row_(settings.layout, settings.parts, settings.now_s),
      entry_row_(settings.layout, {}, settings.now_s),
      values_(table_.columns.size()),
      reads_(settings.engine.make_point_reads()) {
  core::Buffer prefix;
  append_index_prefix(prefix, index_column(table_, index), value_);
  prefix_ = protocol::to_bytes(prefix.bytes());
}

// The entries of the rows in ranges_.range(). Keys of rows delimit themselves, so the order of
// entries is that of their rows.
storage::ScanRange IndexSource::index_range() const {
  const RowRange& range = ranges_.range();
  storage::ScanRange result;
  result.lower = prefix_;
  result.lower.insert(result.lower.end(), range.lower.begin(), range.lower.end());
  core::Buffer upper;
  upper.append(prefix_);
  if (!range.is_row && !range.upper.empty()) {
    upper.append(range.upper);
    result.upper = protocol::to_bytes(upper.bytes());
    return result;
  }
  if (range.is_row) upper.append(range.lower);
  if (storage::increment_prefix(upper, 0)) result.upper = protocol::to_bytes(upper.bytes());
  return result;
}

core::Result<RowSource::Step> IndexSource::next() {
  if (at_ == entries_.size()) {
    auto filled = fill();
    if (!filled) return std::unexpected(std::move(filled.error()));
    return *filled ? Step::kNothing : Step::kEnd;
  }
  auto step = check_entry(entries_[at_++]);
  if (at_ == entries_.size()) commit_removals();
  return step;
}

// Takes the next entries and reads their rows together; false when there are none.
core::Result<bool> IndexSource::fill() {
  entries_.clear();
  reads_->clear();
  at_ = 0;
  // Entries that are skipped count too, so that one step is small.
  for (size_t looked_at = 0; looked_at < batch_size_.keys(); ++looked_at) {
    auto taken = take_entry();
    if (!taken) return std::unexpected(std::move(taken.error()));
    if (!*taken) {
      if (looked_at == 0) return false;
      break;
    }
  }
  if (entries_.empty()) return true;
  if (auto status = reads_->run(); !status) return std::unexpected(std::move(status.error()));
  size_t bytes = 0;
  for (const Entry& entry : entries_) {
    bytes += reads_->value(entry.read).value_or(ByteView()).size();
  }
  batch_size_.adapt(bytes);
  return true;
}

// Looks at the next entry; false at the end.
core::Result<bool> IndexSource::take_entry() {
  while (cursor_ == nullptr || !cursor_->valid()) {
    if (cursor_ != nullptr) {
      if (auto status = cursor_->status(); !status) return std::unexpected(status.error());
    }
    cursor_.reset();
    if (!ranges_.next()) return false;
    cursor_ = engine_.scan(*index_store_, index_range());
  }
  if (auto status = add_entry(); !status) return std::unexpected(std::move(status.error()));
  cursor_->next();
  return true;
}

// Takes the cursor's entry when it is alive.
core::Status IndexSource::add_entry() {
  auto row_key = read_index_row_key(cursor_->key());
  if (!row_key) return std::unexpected(std::move(row_key.error()));
  if (!ranges_.range().contains(*row_key)) return {};
  auto view = storage::RowView::parse(cursor_->value());
  if (!view) return std::unexpected(std::move(view.error()));
  if (!view->is_live(now_s_, std::numeric_limits<int64_t>::min())) return {};
  Entry entry{ranges_.ordinal(), protocol::to_bytes(cursor_->key()), protocol::to_bytes(*row_key),
              view->inserted_us().value_or(0)};
  entry.read = reads_->add(*store_, entry.row_key);
  if (layout_.has_clustering()) {
    auto is_other = entry_row_.enter(entry.row_key);
    if (!is_other) return std::unexpected(std::move(is_other.error()));
    if (!*is_other && !entries_.empty()) {
      entry.deletions = entries_.back().deletions;
    } else {
      Bytes key = protocol::to_bytes(entry_row_.partition_prefix());
      key.push_back(storage::kPartitionEntry);
      entry.deletions = reads_->add(*store_, key);
    }
  }
  entries_.push_back(std::move(entry));
  return {};
}

core::Result<RowSource::Step> IndexSource::check_entry(const Entry& entry) {
  auto entered = row_.enter(entry.row_key);
  if (!entered) return std::unexpected(std::move(entered.error()));
  if (!skipped_.empty() && std::ranges::equal(row_.partition_prefix(), skipped_)) {
    return Step::kNothing;
  }
  if (const auto deletions =
          entry.deletions ? reads_->value(*entry.deletions) : std::optional<ByteView>()) {
    if (auto status = row_.set_deletions(*deletions); !status) {
      return std::unexpected(std::move(status.error()));
    }
  }
  const bool is_regular = column_.kind == ColumnKind::kRegular;
  bool is_deleted = false;
  if (const auto value = reads_->value(entry.read)) {
    auto is_live = row_.set_value(*value);
    if (!is_live) return std::unexpected(std::move(is_live.error()));
    if (*is_live && has_value()) return Step::kRow;
    is_deleted = row_.deleted_us() >= entry.timestamp_us;
  }
  // An older write of the same value cannot make the entry true again when the value was written
  // over, which only a regular column can be, or the whole row was deleted.
  if (is_regular || is_deleted) remove(entry);
  return Step::kNothing;
}

bool IndexSource::has_value() {
  if (column_.kind != ColumnKind::kRegular) return true;
  row_.load_cells(values_);
  const auto& cell = values_.columns[position_];
  return cell && cql::compare_values(column_.type, *cell, value_) == 0;
}

void IndexSource::remove(const Entry& entry) {
  if (removals_ == nullptr) removals_ = engine_.make_batch();
  core::Buffer update;
  append_index_removal(update, entry.timestamp_us);
  removals_->merge(*index_store_, entry.key, update.bytes());
}

void IndexSource::commit_removals() {
  if (removals_ == nullptr || removals_->count() == 0) return;
  // What is not removed now is found again by the next reader: a failure is no matter here.
  static_cast<void>(engine_.commit(*removals_).has_value());
  removals_->clear();
}

}  // namespace

std::unique_ptr<RowSource> make_index_source(const SourceSettings& settings, const Index& index,
                                             ByteView value, RowRanges ranges) {
  return std::make_unique<IndexSource>(settings, index, value, std::move(ranges));
}

}  // namespace cqlperf::server
