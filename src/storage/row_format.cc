#include "storage/row_format.h"

#include "core/check.h"

namespace cqlperf::storage {
namespace {

void append_expiry(core::Buffer& out, const Expiry& expiry) {
  out.append_i32(expiry.ttl_s);
  out.append_i64(expiry.expires_at_s);
}

}  // namespace

void append_length(core::Buffer& out, size_t length) {
  CQLPERF_CHECK(length < size_t{1} << 32, "a value of less than 4 GiB");
  for (; length >= 0x80; length >>= 7) out.append_u8(static_cast<uint8_t>(length | 0x80));
  out.append_u8(static_cast<uint8_t>(length));
}

size_t PartReader::read_long_length(uint8_t first) {
  constexpr int kShiftMax = 28;
  size_t length = first & 0x7F;
  for (int shift = 7; shift <= kShiftMax; shift += 7) {
    const uint8_t byte = read_u8();
    length |= static_cast<size_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return length;
  }
  set_failed();
  return 0;
}

RowHeader read_row_header(PartReader& in) {
  RowHeader header;
  const uint8_t flags = in.read_u8();
  if ((flags & ~kRowFlags) != 0) in.set_failed();
  header.base_us = in.read_i64();
  header.live = (flags & kLive) != 0;
  if (header.live) header.live_us = header.base_us;
  if ((flags & kLiveExpires) != 0) header.live_expiry = in.read_expiry();
  if ((flags & kRowDeleted) != 0) header.deleted_us = header.base_us;
  if ((flags & kOwnDeletionTime) != 0) header.deleted_us = in.read_i64();
  return header;
}

bool CellReader::next(Cell& cell) {
  if (in_.at_end()) return false;
  const uint8_t head = in_.read_u8();
  step_column(head & kColumnStep);
  cell.column = static_cast<uint16_t>(column_);
  cell.kind = static_cast<CellKind>(head & kCellKind);
  cell.timestamp_us = (head & kOwnCellTime) != 0 ? in_.read_i64() : base_us_;
  cell.expiry = (head & kCellExpires) != 0 ? in_.read_expiry() : Expiry{};
  cell.value = {};
  if (cell.kind == CellKind::kValue) cell.value = in_.read_bytes(in_.read_length());
  if (!cell.is_counter()) return in_.ok();
  cell.value = in_.read_bytes(sizeof cell.counter);
  if (in_.ok()) cell.counter = load_u64(cell.value.data());
  return in_.ok();
}

void CellReader::step_column(uint8_t step) {
  const int before = column_;
  column_ = step == kColumnStep ? in_.read_u16() : before + 1 + step;
  if (column_ <= before || column_ > std::numeric_limits<uint16_t>::max()) in_.set_failed();
}

void append_cell(core::Buffer& out, int64_t base_us, int column_before, const Cell& cell) {
  const int step = cell.column - column_before - 1;
  CQLPERF_CHECK(step >= 0, "cells in ascending order of their column");
  const bool own_time = cell.timestamp_us != base_us;
  const bool expires = cell.expiry.expires_at_s != 0;
  out.append_u8(static_cast<uint8_t>(static_cast<int>(cell.kind) | (own_time ? kOwnCellTime : 0) |
                                     (expires ? kCellExpires : 0) |
                                     (step < kColumnStep ? step : kColumnStep)));
  if (step >= kColumnStep) out.append_u16(cell.column);
  if (own_time) out.append_i64(cell.timestamp_us);
  if (expires) append_expiry(out, cell.expiry);
  if (cell.kind == CellKind::kValue) {
    append_length(out, cell.value.size());
    out.append(cell.value);
  } else if (cell.is_counter()) {
    out.append_i64(static_cast<int64_t>(cell.counter));
  }
}

std::unexpected<core::Error> damaged_row(const char* what) {
  return core::fail(core::ErrorCode::kIo, std::string("the data directory is damaged: ") + what);
}

}  // namespace cqlperf::storage
