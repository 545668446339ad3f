#include <algorithm>
#include <tuple>
#include <vector>

#include "storage/row.h"
#include "storage/row_format.h"

namespace cqlperf::storage {
namespace {

using protocol::ByteView;

bool expires(const Expiry& expiry) { return expiry.expires_at_s != 0; }

bool less_bytes(ByteView a, ByteView b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Cassandra's order of the writes to one cell; the last one counts.
bool loses_to(const Cell& a, const Cell& b) {
  const auto rank = [](const Cell& cell) {
    return std::tuple(cell.timestamp_us, cell.kind == CellKind::kDeleted, expires(cell.expiry),
                      cell.expiry.expires_at_s);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (less_bytes(a.value, b.value)) return true;
  return !less_bytes(b.value, a.value) && a.expiry.ttl_s < b.expiry.ttl_s;
}

Cell resolve_counter(const Cell& older, const Cell& newer) {
  if (newer.kind != CellKind::kCounter || older.kind == CellKind::kValue) return newer;
  Cell sum = newer;
  sum.kind = older.kind == CellKind::kCounter ? CellKind::kCounter : CellKind::kCounterReset;
  if (!older.is_counter()) return sum;
  sum.timestamp_us = std::max(older.timestamp_us, newer.timestamp_us);
  sum.counter += older.counter;
  return sum;
}

Cell resolve(const Cell& older, const Cell& newer) {
  if (older.is_counter() || newer.is_counter()) return resolve_counter(older, newer);
  return loses_to(older, newer) ? newer : older;
}

// The sum of two headers; its base is not set yet.
RowHeader resolve(const RowHeader& older, const RowHeader& newer) {
  RowHeader sum;
  sum.deleted_us = std::max(older.deleted_us, newer.deleted_us);
  for (const RowHeader* header : {&older, &newer}) {
    if (!header->live || header->live_us <= sum.deleted_us) continue;
    const auto rank = [](const RowHeader& row) {
      return std::tuple(row.live_us, expires(row.live_expiry), row.live_expiry.expires_at_s,
                        row.live_expiry.ttl_s);
    };
    if (sum.live && rank(*header) <= rank(sum)) continue;
    sum.live = true;
    sum.live_us = header->live_us;
    sum.live_expiry = header->live_expiry;
  }
  return sum;
}

// Walks the cells of two rows by column.
class Merge {
 public:
  Merge(ByteView older, ByteView newer) : older_(older), newer_(newer) {
    older_header_ = read_row_header(older_);
    newer_header_ = read_row_header(newer_);
    sum_ = resolve(older_header_, newer_header_);
  }

  bool run(std::vector<Cell>& cells);
  RowHeader header(const std::vector<Cell>& cells) const;

 private:
  void keep(Cell cell, bool is_before_newer, std::vector<Cell>& cells) const;

  PartReader older_;
  PartReader newer_;
  RowHeader older_header_;
  RowHeader newer_header_;
  RowHeader sum_;
};

bool Merge::run(std::vector<Cell>& cells) {
  if (!older_.ok() || !newer_.ok()) return false;
  CellReader older_cells(older_.rest(), older_header_.base_us);
  CellReader newer_cells(newer_.rest(), newer_header_.base_us);
  Cell older;
  Cell newer;
  bool has_older = older_cells.next(older);
  bool has_newer = newer_cells.next(newer);
  while (has_older || has_newer) {
    const bool take_older = has_older && (!has_newer || older.column <= newer.column);
    const bool take_newer = has_newer && (!has_older || newer.column <= older.column);
    const bool reset = newer_header_.deleted_us != kNever;
    if (take_older && take_newer) {
      const bool forget = reset && older.is_counter();
      keep(forget ? newer : resolve(older, newer), false, cells);
    } else {
      keep(take_older ? older : newer, take_older, cells);
    }
    if (take_older) has_older = older_cells.next(older);
    if (take_newer) has_newer = newer_cells.next(newer);
  }
  return older_cells.ok() && newer_cells.ok();
}

void Merge::keep(Cell cell, bool is_before_newer, std::vector<Cell>& cells) const {
  if (cell.is_counter()) {
    if (is_before_newer && newer_header_.deleted_us != kNever) return;
    // What was before the row's deletion is gone anyway.
    if (sum_.deleted_us != kNever) cell.kind = CellKind::kCounter;
  } else if (cell.timestamp_us <= sum_.deleted_us) {
    return;
  }
  cells.push_back(cell);
}

// With the base that most of an inserted row's parts have.
RowHeader Merge::header(const std::vector<Cell>& cells) const {
  RowHeader header = sum_;
  header.base_us = header.live ? header.live_us : header.deleted_us;
  if (header.live) return header;
  for (const Cell& cell : cells) header.base_us = std::max(header.base_us, cell.timestamp_us);
  return header;
}

void append_header(core::Buffer& out, const RowHeader& header) {
  const bool deleted = header.deleted_us != kNever;
  const bool own_deletion = deleted && header.deleted_us != header.base_us;
  out.append_u8(static_cast<uint8_t>(
      (header.live ? kLive : 0) | (expires(header.live_expiry) ? kLiveExpires : 0) |
      (deleted ? kRowDeleted : 0) | (own_deletion ? kOwnDeletionTime : 0)));
  out.append_i64(header.base_us);
  if (expires(header.live_expiry)) {
    out.append_i32(header.live_expiry.ttl_s);
    out.append_i64(header.live_expiry.expires_at_s);
  }
  if (own_deletion) out.append_i64(header.deleted_us);
}

}  // namespace

core::Status merge_rows(ByteView older, ByteView newer, core::Buffer& out) {
  thread_local std::vector<Cell> cells;
  cells.clear();
  Merge merge(older, newer);
  if (!merge.run(cells)) return damaged_row("a row that cannot be merged");
  const RowHeader header = merge.header(cells);
  append_header(out, header);
  int column_before = -1;
  for (const Cell& cell : cells) {
    append_cell(out, header.base_us, column_before, cell);
    column_before = cell.column;
  }
  return {};
}

}  // namespace cqlperf::storage
