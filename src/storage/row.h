#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/buffer.h"
#include "core/check.h"
#include "core/result.h"
#include "protocol/strings.h"

namespace cqlperf::storage {

// What is stored for a row: when it was inserted, when it was deleted, and its cells, each with the
// time of its write. The same bytes are an update (a merge operand) and the sum of updates: merging
// two is associative and does not depend on their order, but for counters, which are added up.
//
// Times: timestamps are microseconds since 1970 given by the writer; the higher one wins. At equal
// timestamps a deletion wins over a value, as in Cassandra, a value that expires over one that does
// not, the one that expires later over the other, and then the larger bytes. Expiry is seconds
// since 1970; 0 means never. A value that has expired counts as deleted.
//
// Counters are not compared by time: what is added is added, and the deletion of a row or of a
// counter takes away what was written before it. A deletion of the partition or of a range
// (partition.h) cannot do that, as it is not written to the row: in tables of counters delete the
// rows that are there one by one.

struct Expiry {
  int32_t ttl_s = 0;
  int64_t expires_at_s = 0;  // 0: never
};

// Writes one update. The cells must come in ascending order of their column, each once.
class RowWriter {
 public:
  // Appends to `out`; `timestamp_us` is that of all parts that do not name another.
  RowWriter(core::Buffer& out, int64_t timestamp_us);

  // What INSERT does: the row exists even without cells.
  void set_live(Expiry expiry = {});
  // Deletes all that was written to the row at or before the timestamp. Before any cell.
  void delete_row();
  void set_cell(uint16_t column, protocol::ByteView value, Expiry expiry = {});
  void delete_cell(uint16_t column);
  void add_to_counter(uint16_t column, int64_t delta);
  // Call once, last.
  void finish() { CQLPERF_CHECK(!std::exchange(finished_, true), "a row is finished once"); }

 private:
  core::Buffer& out_;
  size_t start_;  // of the row in out_
  int64_t timestamp_us_;
  int last_column_ = -1;
  bool finished_ = false;
};

struct CellView {
  uint16_t column = 0;
  int64_t timestamp_us = 0;
  Expiry expiry = {};
  std::optional<protocol::ByteView> value;  // std::nullopt: deleted
};

// Reads a row's bytes in place.
class RowView {
 public:
  // Views `bytes`; kIo when they are no row.
  static core::Result<RowView> parse(protocol::ByteView bytes);

  // Whether SELECT sees the row at that time: it is inserted and not expired, or has a live cell.
  // `deleted_us` is when its partition or a range with it was deleted (PartitionView::deleted_us(),
  // INT64_MIN: never).
  bool is_live(int64_t now_s, int64_t deleted_us) const;
  std::optional<int64_t> inserted_us() const;
  std::optional<int64_t> deleted_us() const;

  // Walks the live cells in ascending order of their column: next() until std::nullopt. The value
  // of a counter is its sum as a bigint.
  class Cells {
   public:
    Cells(const RowView& row, int64_t now_s, int64_t deleted_us);
    std::optional<CellView> next();

   private:
    protocol::ByteView rest_;
    int64_t base_us_;
    int64_t now_s_;
    int64_t deleted_us_;          // the row's deletion too
    int64_t counter_deleted_us_;  // without it
    int column_before_ = -1;
  };
  Cells live_cells(int64_t now_s, int64_t deleted_us) const { return {*this, now_s, deleted_us}; }

 private:
  friend class Cells;

  protocol::ByteView cells_;
  int64_t base_us_ = 0;
  bool live_ = false;
  int64_t live_us_ = 0;
  int64_t live_expires_at_s_ = 0;
  int64_t row_deleted_us_ = 0;
};

// Merges `newer` (written later) into `older` and appends the sum; all are rows' bytes. kIo when
// one is none, and then nothing is appended.
core::Status merge_rows(protocol::ByteView older, protocol::ByteView newer, core::Buffer& out);

}  // namespace cqlperf::storage
