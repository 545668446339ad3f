#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "protocol/strings.h"
#include "server/row_source_values.h"
#include "server/schema.h"
#include "storage/key.h"
#include "storage/partition.h"
#include "storage/row.h"

namespace cqlperf::server {

// Where the columns of a table are in what is stored. Made once for a plan; threads may share it.
class RowLayout {
 public:
  // The table outlives it.
  explicit RowLayout(const Table& table);

  const Table& table() const { return *table_; }
  const std::vector<storage::ClusteringColumn>& clustering() const { return clustering_; }
  bool has_clustering() const { return !clustering_.empty(); }

  // Fills in the regular columns; those without a live cell become null. Cells of columns that the
  // table has no more are passed over.
  void load_cells(const storage::RowView& row, int64_t now_s, int64_t deleted_us,
                  RowValues& out) const;

 private:
  static constexpr uint16_t kNoColumn = 0xFFFF;

  const Table* table_;
  std::vector<storage::ClusteringColumn> clustering_;
  std::vector<uint16_t> columns_;  // position in the table by storage id
};

// Which parts of rows a statement looks at.
struct RowParts {
  bool partition_key = false;
  bool clustering = false;
  bool cells = false;
};

// One entry of a table's store that is being read: first its key, then its value. Keeps what was
// read of the partition key from entry to entry. One owner thread.
class StoredRow {
 public:
  // `layout` outlives it.
  StoredRow(const RowLayout& layout, RowParts parts, int64_t now_s)
      : layout_(layout), parts_(parts), now_s_(now_s) {}

  // Goes to another entry: true when it is in another partition than the one before, whose
  // deletions are then forgotten. The bytes must stay until the next call. kIo for no key.
  core::Result<bool> enter(protocol::ByteView key);
  bool is_partition_entry() const { return entry_ == storage::kPartitionEntry; }
  // The value of the partition's entry; keeps a copy. kIo when it is none.
  core::Status set_deletions(protocol::ByteView value);

  // The row's bytes, which must stay until the next call: true when the row is to be seen. kIo
  // when they are none.
  core::Result<bool> set_value(protocol::ByteView value);
  // When the row's partition, a range with it, or the row itself was deleted last; INT64_MIN:
  // never.
  int64_t deleted_us() const;
  // Fills in the parts that were asked for.
  core::Status load(RowValues& out);
  void load_cells(RowValues& out) const {
    layout_.load_cells(row_, now_s_, range_deleted_us_, out);
  }

  protocol::ByteView key() const { return key_; }
  protocol::ByteView partition_prefix() const { return prefix_; }
  protocol::ByteView clustering() const { return key_.subspan(prefix_.size() + 1); }

 private:
  const RowLayout& layout_;
  const RowParts parts_;
  const int64_t now_s_;
  protocol::ByteView key_ = {};
  uint8_t entry_ = storage::kRowEntry;
  protocol::Bytes prefix_ = {};
  storage::KeyView partition_ = {};
  protocol::Bytes deletions_ = {};
  storage::PartitionView deletions_view_ = {};
  storage::RowView row_ = {};
  int64_t range_deleted_us_ = 0;
  std::vector<protocol::Bytes> clustering_values_ = {};
};

}  // namespace cqlperf::server
