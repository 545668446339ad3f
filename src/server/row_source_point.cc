#include <optional>
#include <utility>

#include "server/row_source.h"
#include "server/row_source_batch.h"

namespace cqlperf::server {
namespace {

using protocol::Bytes;
using protocol::ByteView;

class PointSource final : public RowSource {
 public:
  PointSource(const SourceSettings& settings, RowRanges ranges)
      : store_(settings.layout.table().store),
        has_clustering_(settings.layout.has_clustering()),
        ranges_(std::move(ranges)),
        row_(settings.layout, settings.parts, settings.now_s),
        reads_(settings.engine.make_point_reads()) {}

  core::Result<Step> next() override;
  core::Status load(RowValues& out) override { return row_.load(out); }
  ByteView partition() const override { return row_.partition_prefix(); }
  ByteView clustering() const override { return row_.clustering(); }
  void save_position(PagingState& out) const override {
    out.ordinal = rows_[at_ - 1].ordinal;
    out.key = rows_[at_ - 1].key;
  }
  void skip_partition() override { skipped_ordinal_ = rows_[at_ - 1].ordinal; }
  bool may_have_more(bool is_partition_done) const override {
    return (has_clustering_ && !is_partition_done) ||
           ranges_.has_more_partitions(rows_[at_ - 1].ordinal);
  }

 private:
  struct Row {
    uint64_t ordinal = 0;
    Bytes key = {};
    size_t read = 0;
    std::optional<size_t> deletions = {};  // the read of the partition's entry
  };

  core::Result<bool> fill();
  void add_row();
  core::Result<Step> read_row(const Row& row);

  storage::StorePtr store_;
  const bool has_clustering_;
  RowRanges ranges_;
  StoredRow row_;
  std::unique_ptr<storage::PointReads> reads_;
  BatchSize batch_size_ = {};
  std::vector<Row> rows_ = {};
  size_t at_ = 0;
  std::optional<uint64_t> skipped_ordinal_ = {};
};

void PointSource::add_row() {
  Row row{ranges_.ordinal(), ranges_.range().lower};
  row.read = reads_->add(*store_, row.key);
  const bool is_known =
      !rows_.empty() && rows_.back().ordinal == row.ordinal && rows_.back().deletions;
  if (is_known) {
    row.deletions = rows_.back().deletions;
  } else if (has_clustering_) {
    Bytes key = protocol::to_bytes(ranges_.partition_prefix());
    key.push_back(storage::kPartitionEntry);
    row.deletions = reads_->add(*store_, key);
  }
  rows_.push_back(std::move(row));
}

// Reads the next rows together; false when there are none.
core::Result<bool> PointSource::fill() {
  rows_.clear();
  reads_->clear();
  at_ = 0;
  while (rows_.size() < batch_size_.keys() && ranges_.next()) add_row();
  if (rows_.empty()) return false;
  if (auto status = reads_->run(); !status) return std::unexpected(std::move(status.error()));
  size_t bytes = 0;
  for (const Row& row : rows_) bytes += reads_->value(row.read).value_or(ByteView()).size();
  batch_size_.adapt(bytes);
  return true;
}

core::Result<RowSource::Step> PointSource::next() {
  if (at_ == rows_.size()) {
    auto filled = fill();
    if (!filled) return std::unexpected(std::move(filled.error()));
    if (!*filled) return Step::kEnd;
  }
  const Row& row = rows_[at_++];
  if (skipped_ordinal_ == row.ordinal) return Step::kNothing;
  return read_row(row);
}

core::Result<RowSource::Step> PointSource::read_row(const Row& row) {
  const auto value = reads_->value(row.read);
  if (!value) return Step::kNothing;
  auto is_other = row_.enter(row.key);
  if (!is_other) return std::unexpected(std::move(is_other.error()));
  if (*is_other && row.deletions) {
    if (const auto deletions = reads_->value(*row.deletions)) {
      if (auto status = row_.set_deletions(*deletions); !status) {
        return std::unexpected(std::move(status.error()));
      }
    }
  }
  auto is_live = row_.set_value(*value);
  if (!is_live) return std::unexpected(std::move(is_live.error()));
  return *is_live ? Step::kRow : Step::kNothing;
}

}  // namespace

std::unique_ptr<RowSource> make_point_source(const SourceSettings& settings, RowRanges ranges) {
  return std::make_unique<PointSource>(settings, std::move(ranges));
}

}  // namespace cqlperf::server
