#include "server/conditional_write.h"

#include <algorithm>
#include <utility>

#include "protocol/error.h"
#include "protocol/rows.h"
#include "protocol/values.h"
#include "storage/partition.h"
#include "storage/row.h"

namespace cqlperf::server {
cql::Status ConditionalRows::add(protocol::Bytes clustering, cql::Condition condition) {
  const auto at = std::ranges::lower_bound(rows_, clustering, {}, &Row::clustering);
  if (at == rows_.end() || at->clustering != clustering) {
    rows_.insert(at, {std::move(clustering), condition});
    return {};
  }
  if (at->condition == condition) return {};
  return cql::invalid("Cannot mix IF EXISTS and IF NOT EXISTS conditions for the same row");
}

cql::Status ConditionalRows::read(storage::Engine& engine, int64_t now_s) {
  auto status = read_rows(engine, now_s);
  if (status) return {};
  protocol::ErrorMessage error = protocol::ErrorMessage::of(protocol::ErrorCode::kReadFailure,
                                                            std::move(status.error().message));
  error.details = protocol::ReadFailureDetails{protocol::Consistency::kSerial, 0, 1, 1, false};
  return std::unexpected(std::move(error));
}

core::Status ConditionalRows::read_rows(storage::Engine& engine, int64_t now_s) {
  const auto reads = engine.make_point_reads();
  core::Buffer key;
  append_partition_key(key, key_.token, key_.routing);
  const size_t partition_at = reads->add(*table_->store, key.bytes());
  for (const Row& row : rows_) {
    key.clear();
    append_row_key(key, key_.token, key_.routing, row.clustering);
    reads->add(*table_->store, key.bytes());
  }
  if (auto status = reads->run(); !status) return status;
  storage::PartitionView partition;
  if (const auto stored = reads->value(partition_at)) {
    auto parsed = storage::PartitionView::parse(*stored);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    partition = *parsed;
  }
  for (size_t index = 0; index < rows_.size(); ++index) {
    const auto stored = reads->value(partition_at + 1 + index);
    if (!stored) continue;
    const int64_t deleted_us = partition.deleted_us(rows_[index].clustering);
    auto status = read_row(rows_[index], *stored, deleted_us, now_s);
    if (!status) return status;
  }
  return {};
}

core::Status ConditionalRows::read_row(Row& row, protocol::ByteView stored, int64_t deleted_us,
                                       int64_t now_s) {
  auto view = storage::RowView::parse(stored);
  if (!view) return std::unexpected(std::move(view.error()));
  if (!view->is_live(now_s, deleted_us)) return {};
  auto clustering = storage::read_clustering_values(row.clustering, clustering_columns(*table_));
  if (!clustering) return std::unexpected(std::move(clustering.error()));
  Cells cells;
  for (const protocol::ByteView value :
       split_routing_key(key_.routing, table_->partition_key_size)) {
    cells.emplace_back(protocol::to_bytes(value));
  }
  for (protocol::Bytes& value : *clustering) cells.emplace_back(std::move(value));
  cells.resize(table_->columns.size());
  storage::RowView::Cells live = view->live_cells(now_s, deleted_us);
  while (const auto cell = live.next()) {
    const auto columns = table_->regular_columns();
    const auto column = std::ranges::find(columns, cell->column, &Column::storage_id);
    if (column == columns.end() || !cell->value) continue;
    cells[static_cast<size_t>(&*column - table_->columns.data())] =
        protocol::to_bytes(*cell->value);
  }
  row.cells = std::move(cells);
  return {};
}

bool ConditionalRows::is_met() const {
  return std::ranges::all_of(rows_, [](const Row& row) {
    return row.cells.has_value() == (row.condition == cql::Condition::kIfExists);
  });
}

protocol::RowsMetadata ConditionalRows::metadata(bool has_rows) const {
  std::vector<protocol::ColumnSpec> columns;
  columns.push_back({table_->keyspace, table_->name, "[applied]",
                     protocol::ColumnType::of(protocol::TypeId::kBoolean)});
  if (has_rows) {
    for (const Column& column : table_->columns) columns.push_back(receiver_of(*table_, column));
  }
  return protocol::RowsMetadata::of(std::move(columns));
}

void ConditionalRows::append_result(core::Buffer& out, protocol::Version version) const {
  const bool applied = is_met();
  const bool has_rows =
      !applied && std::ranges::any_of(rows_, [](const Row& row) { return row.cells.has_value(); });
  const size_t start = protocol::begin_rows(out, version, metadata(has_rows));
  if (!has_rows) {
    protocol::append_boolean(out, applied);
    protocol::end_rows(out, start, 1);
    return;
  }
  int32_t count = 0;
  for (const Row& row : rows_) {
    if (!row.cells) continue;
    ++count;
    protocol::append_boolean(out, false);
    for (const auto& cell : *row.cells) protocol::append_owned_bytes(out, cell);
  }
  protocol::end_rows(out, start, count);
}

}  // namespace cqlperf::server
