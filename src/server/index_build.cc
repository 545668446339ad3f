#include "server/index_build.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/byte_reader.h"
#include "core/check.h"
#include "core/clock.h"
#include "server/index_key.h"
#include "storage/key.h"
#include "storage/row.h"

namespace cqlperf::server {
namespace {

constexpr size_t kRowsPerLook = 100;
constexpr size_t kBatchEntriesMax = 1'000;
constexpr size_t kBatchBytesMax = size_t{1} << 20;
// Deletions of the partition are left to those who read the index.
constexpr int64_t kNoDeletion = INT64_MIN;

// What an entry is made from.
struct Indexed {
  protocol::Bytes value;
  int64_t timestamp_us = 0;
  storage::Expiry expiry = {};
};

// The column's value in a partition key in routing form.
std::optional<protocol::Bytes> partition_value(const Table& table, size_t position,
                                               protocol::ByteView partition_key) {
  if (table.partition_key_size == 1) return protocol::to_bytes(partition_key);
  core::ByteReader in(partition_key);
  for (size_t i = 0; in.ok(); ++i) {
    const protocol::ByteView value = protocol::read_short_bytes(in);
    in.read_u8();
    if (i == position && in.ok()) return protocol::to_bytes(value);
  }
  return std::nullopt;
}

// The earliest time from which the live row was there: no later write of the row can be older than
// an entry with it. std::nullopt for a row that is not live.
std::optional<int64_t> alive_since_us(const storage::RowView& row, int64_t now_s) {
  if (!row.is_live(now_s, kNoDeletion)) return std::nullopt;
  std::optional<int64_t> since_us = row.inserted_us();
  auto cells = row.live_cells(now_s, kNoDeletion);
  while (const auto cell = cells.next())
    since_us = std::min(since_us.value_or(INT64_MAX), cell->timestamp_us);
  return since_us;
}

class Builder {
 public:
  Builder(storage::Engine& engine, const Table& table, const Index& index)
      : engine_(engine),
        table_(table),
        index_(index),
        column_(*table.find(index.column)),
        indexed_(index_column(table, index)),
        now_s_(core::wall_clock_ns() / core::kNanosPerSecond),
        batch_(engine.make_batch()) {
    for (const Column& column : table.clustering_key())
      clustering_.push_back({column.type, column.descending});
  }

  core::Status run(const std::function<bool()>& must_stop) {
    const auto cursor = engine_.scan(*table_.store, {});
    for (size_t rows = 0; cursor->valid(); cursor->next()) {
      if (++rows % kRowsPerLook == 0 && must_stop()) {
        return core::fail(core::ErrorCode::kInterrupted,
                          "the server stops, and the index is not built");
      }
      if (auto status = add(cursor->key(), cursor->value()); !status) return status;
      const bool is_full =
          batch_->count() >= kBatchEntriesMax || batch_->size_bytes() >= kBatchBytesMax;
      if (!is_full) continue;
      if (auto status = commit(); !status) return status;
    }
    if (auto status = cursor->status(); !status) return status;
    return commit();
  }

 private:
  core::Status commit() {
    if (batch_->count() == 0) return {};
    auto status = engine_.commit(*batch_);
    batch_->clear();
    return status;
  }

  core::Status add(protocol::ByteView key, protocol::ByteView value) {
    auto parts = storage::read_key(key);
    if (!parts) return std::unexpected(std::move(parts.error()));
    if (parts->entry != storage::kRowEntry) return {};
    auto row = storage::RowView::parse(value);
    if (!row) return std::unexpected(std::move(row.error()));
    auto indexed =
        column_.kind == ColumnKind::kRegular ? value_of_cell(*row) : value_of_key(*parts, *row);
    if (!indexed) return std::unexpected(std::move(indexed.error()));
    if (!*indexed) return {};
    key_.clear();
    append_index_key(key_, indexed_, (*indexed)->value, key);
    update_.clear();
    append_index_entry(update_, (*indexed)->timestamp_us, (*indexed)->expiry);
    batch_->merge(*index_.store, key_.bytes(), update_.bytes());
    return {};
  }

  core::Result<std::optional<Indexed>> value_of_cell(const storage::RowView& row) const {
    auto cells = row.live_cells(now_s_, kNoDeletion);
    while (const auto cell = cells.next()) {
      if (cell->column != column_.storage_id) continue;
      return Indexed{protocol::to_bytes(*cell->value), cell->timestamp_us, cell->expiry};
    }
    return std::nullopt;
  }

  core::Result<std::optional<Indexed>> value_of_key(const storage::KeyView& key,
                                                    const storage::RowView& row) const {
    const auto since_us = alive_since_us(row, now_s_);
    if (!since_us) return std::nullopt;
    const auto position = static_cast<size_t>(column_.position);
    if (column_.kind == ColumnKind::kPartitionKey) {
      auto value = partition_value(table_, position, key.partition_key);
      if (value) return Indexed{std::move(*value), *since_us, {}};
      return core::fail(core::ErrorCode::kIo, "a stored partition key cannot be read");
    }
    auto values = storage::read_clustering_values(key.clustering, clustering_);
    if (!values) return std::unexpected(std::move(values.error()));
    return Indexed{std::move((*values)[position]), *since_us, {}};
  }

  storage::Engine& engine_;
  const Table& table_;
  const Index& index_;
  const Column& column_;
  const storage::ClusteringColumn indexed_;
  const int64_t now_s_;
  std::vector<storage::ClusteringColumn> clustering_;
  std::unique_ptr<storage::Batch> batch_;
  core::Buffer key_;
  core::Buffer update_;
};

}  // namespace

core::Status build_index(storage::Engine& engine, const Table& table, const Index& index,
                         const std::function<bool()>& must_stop) {
  CQLPERF_CHECK(table.store != nullptr && index.store != nullptr, "an index without a store");
  CQLPERF_CHECK(table.find(index.column) != nullptr, "an index of no column");
  return Builder(engine, table, index).run(must_stop);
}

}  // namespace cqlperf::server
