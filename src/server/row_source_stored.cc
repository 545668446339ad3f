#include "server/row_source_stored.h"

#include <algorithm>
#include <utility>

#include "server/row_key.h"

namespace cqlperf::server {

RowLayout::RowLayout(const Table& table)
    : table_(&table),
      clustering_(clustering_columns(table)),
      columns_(table.next_storage_id, kNoColumn) {
  for (size_t index = 0; index < table.columns.size(); ++index) {
    const Column& column = table.columns[index];
    if (column.kind != ColumnKind::kRegular) continue;
    if (column.storage_id >= columns_.size()) columns_.resize(column.storage_id + 1u, kNoColumn);
    columns_[column.storage_id] = static_cast<uint16_t>(index);
  }
}

void RowLayout::load_cells(const storage::RowView& row, int64_t now_s, int64_t deleted_us,
                           RowValues& out) const {
  const size_t first = table_->partition_key_size + table_->clustering_key_size;
  std::fill(out.columns.begin() + static_cast<std::ptrdiff_t>(first), out.columns.end(),
            std::nullopt);
  auto cells = row.live_cells(now_s, deleted_us);
  while (const auto cell = cells.next()) {
    const uint16_t column = cell->column < columns_.size() ? columns_[cell->column] : kNoColumn;
    if (column == kNoColumn) continue;
    out.columns[column] = cell->value;
    out.times[column] = {cell->timestamp_us, cell->expiry.expires_at_s};
  }
}

core::Result<bool> StoredRow::enter(protocol::ByteView key) {
  key_ = key;
  const bool is_same = !prefix_.empty() && key.size() > prefix_.size() &&
                       std::equal(prefix_.begin(), prefix_.end(), key.begin());
  if (is_same) {
    entry_ = key[prefix_.size()];
    return false;
  }
  if (auto status = storage::read_key_into(key, partition_); !status) {
    return std::unexpected(std::move(status.error()));
  }
  entry_ = partition_.entry;
  prefix_.assign(key.begin(),
                 key.begin() + static_cast<std::ptrdiff_t>(partition_.partition_prefix_size));
  deletions_view_ = {};
  return true;
}

core::Status StoredRow::set_deletions(protocol::ByteView value) {
  deletions_.assign(value.begin(), value.end());
  auto view = storage::PartitionView::parse(deletions_);
  if (!view) return std::unexpected(std::move(view.error()));
  deletions_view_ = *view;
  return {};
}

core::Result<bool> StoredRow::set_value(protocol::ByteView value) {
  auto row = storage::RowView::parse(value);
  if (!row) return std::unexpected(std::move(row.error()));
  row_ = *row;
  range_deleted_us_ = deletions_view_.deleted_us(clustering());
  return row_.is_live(now_s_, range_deleted_us_);
}

int64_t StoredRow::deleted_us() const {
  return std::max(range_deleted_us_, row_.deleted_us().value_or(range_deleted_us_));
}

core::Status StoredRow::load(RowValues& out) {
  if (parts_.cells) load_cells(out);
  const size_t key_size = layout_.table().partition_key_size;
  if (parts_.partition_key) {
    const auto values = split_routing_key(partition_.partition_key, key_size);
    std::ranges::copy(values, out.columns.begin());
  }
  if (!parts_.clustering) return {};
  auto values = storage::read_clustering_values(clustering(), layout_.clustering());
  if (!values) return std::unexpected(std::move(values.error()));
  clustering_values_ = std::move(*values);
  std::ranges::copy(clustering_values_,
                    out.columns.begin() + static_cast<std::ptrdiff_t>(key_size));
  return {};
}

}  // namespace cqlperf::server
