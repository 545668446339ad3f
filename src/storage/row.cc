#include "storage/row.h"

#include <algorithm>

#include "core/check.h"
#include "storage/row_format.h"

namespace cqlperf::storage {

using protocol::ByteView;

RowWriter::RowWriter(core::Buffer& out, int64_t timestamp_us)
    : out_(out), start_(out.size()), timestamp_us_(timestamp_us) {
  out_.append_u8(0);
  out_.append_i64(timestamp_us);
}

void RowWriter::set_live(Expiry expiry) {
  CQLPERF_CHECK(last_column_ < 0, "the insert before any cell");
  out_.data()[start_] |= kLive;
  if (expiry.expires_at_s == 0) return;
  out_.data()[start_] |= kLiveExpires;
  out_.append_i32(expiry.ttl_s);
  out_.append_i64(expiry.expires_at_s);
}

void RowWriter::delete_row() {
  CQLPERF_CHECK(last_column_ < 0, "the deletion before any cell");
  out_.data()[start_] |= kRowDeleted;
}

void RowWriter::set_cell(uint16_t column, ByteView value, Expiry expiry) {
  append_cell(out_, timestamp_us_, last_column_,
              {.column = column, .timestamp_us = timestamp_us_, .expiry = expiry, .value = value});
  last_column_ = column;
}

void RowWriter::delete_cell(uint16_t column) {
  append_cell(out_, timestamp_us_, last_column_,
              {.column = column, .kind = CellKind::kDeleted, .timestamp_us = timestamp_us_});
  last_column_ = column;
}

void RowWriter::add_to_counter(uint16_t column, int64_t delta) {
  append_cell(out_, timestamp_us_, last_column_,
              {.column = column,
               .kind = CellKind::kCounter,
               .timestamp_us = timestamp_us_,
               .counter = static_cast<uint64_t>(delta)});
  last_column_ = column;
}

core::Result<RowView> RowView::parse(ByteView bytes) {
  PartReader in(bytes);
  const RowHeader header = read_row_header(in);
  RowView row;
  row.cells_ = in.rest();
  row.base_us_ = header.base_us;
  row.live_ = header.live;
  row.live_us_ = header.live_us;
  row.live_expires_at_s_ = header.live_expiry.expires_at_s;
  row.row_deleted_us_ = header.deleted_us;
  if (!in.ok()) return damaged_row("a row without its first part");
  CellReader cells(row.cells_, row.base_us_);
  for (Cell cell; cells.next(cell);) continue;
  if (!cells.ok()) return damaged_row("a row with a broken cell");
  return row;
}

bool RowView::is_live(int64_t now_s, int64_t deleted_us) const {
  const bool expired = live_expires_at_s_ != 0 && live_expires_at_s_ <= now_s;
  if (live_ && !expired && live_us_ > std::max(deleted_us, row_deleted_us_)) return true;
  return live_cells(now_s, deleted_us).next().has_value();
}

std::optional<int64_t> RowView::inserted_us() const {
  if (!live_ || live_us_ <= row_deleted_us_) return std::nullopt;
  return live_us_;
}

std::optional<int64_t> RowView::deleted_us() const {
  if (row_deleted_us_ == kNever) return std::nullopt;
  return row_deleted_us_;
}

RowView::Cells::Cells(const RowView& row, int64_t now_s, int64_t deleted_us)
    : rest_(row.cells_),
      base_us_(row.base_us_),
      now_s_(now_s),
      deleted_us_(std::max(deleted_us, row.row_deleted_us_)),
      counter_deleted_us_(deleted_us) {}

std::optional<CellView> RowView::Cells::next() {
  CellReader reader(rest_, base_us_, column_before_);
  Cell cell;
  while (reader.next(cell)) {
    const int64_t deleted_us = cell.is_counter() ? counter_deleted_us_ : deleted_us_;
    if (cell.timestamp_us <= deleted_us || !cell.is_live(now_s_)) continue;
    rest_ = reader.rest();
    column_before_ = cell.column;
    return CellView{cell.column, cell.timestamp_us, cell.expiry, cell.value};
  }
  rest_ = {};
  return std::nullopt;
}

}  // namespace cqlperf::storage
