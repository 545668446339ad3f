#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "core/buffer.h"
#include "storage/row.h"

namespace cqlperf::storage {

// The bytes of a row (row.h), all integers big-endian:
//
//   1   which of the following parts there are (kLive to kOwnDeletionTime), kRowTag
//   8   base timestamp, that of the insert if there is one
//   12  expiry of the insert: int ttl_s, bigint expires_at_s
//   8   timestamp of the row's deletion, when it is not the base
//   and each cell, in ascending order of the columns:
//   1   kind, which parts follow, and how far the column is from the one before (15: 2 bytes say)
//   8   timestamp, when it is not the base
//   12  expiry
//   1-5 length, and the value; 8 bytes for a counter; nothing for a deleted cell
//
// The usual insert is one byte, the timestamp, and two bytes and the value for each cell.
//
// Of a partition's entry (partition.h) the first byte has kPartitionTag, so the two can be told
// apart when they are merged.

inline constexpr uint8_t kLive = 0x01;
inline constexpr uint8_t kLiveExpires = 0x02;
inline constexpr uint8_t kRowDeleted = 0x04;
inline constexpr uint8_t kOwnDeletionTime = 0x08;
inline constexpr uint8_t kRowFlags = 0x0F;
inline constexpr uint8_t kPartitionTag = 0x80;

enum class CellKind : uint8_t {
  kValue = 0x00,
  kDeleted = 0x40,
  kCounter = 0x80,       // to be added to what there was
  kCounterReset = 0xC0,  // what there was before was deleted
};
inline constexpr uint8_t kCellKind = 0xC0;
inline constexpr uint8_t kOwnCellTime = 0x20;
inline constexpr uint8_t kCellExpires = 0x10;
inline constexpr uint8_t kColumnStep = 0x0F;

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

inline uint64_t load_u64(const uint8_t* at) {
  uint64_t wire = 0;
  std::memcpy(&wire, at, sizeof wire);
  return __builtin_bswap64(wire);
}
inline void store_u64(uint8_t* at, uint64_t value) {
  const uint64_t wire = __builtin_bswap64(value);
  std::memcpy(at, &wire, sizeof wire);
}

// Lengths: seven bits a byte, lowest first, at most five bytes.
void append_length(core::Buffer& out, size_t length);

// Reads the parts of a row or an entry from bytes that may be anything: what is beyond the end
// reads as zero and makes ok() false for good.
class PartReader {
 public:
  explicit PartReader(protocol::ByteView bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }
  protocol::ByteView rest() const { return {at_, end_}; }
  void set_failed() {
    ok_ = false;
    at_ = end_;
  }

  uint8_t read_u8() { return take(1) ? at_[-1] : 0; }
  uint16_t read_u16() { return take(2) ? static_cast<uint16_t>(at_[-2] << 8 | at_[-1]) : 0; }
  int64_t read_i64() { return take(8) ? static_cast<int64_t>(load_u64(at_ - 8)) : 0; }
  int32_t read_i32() {
    const uint32_t high = read_u16();
    return static_cast<int32_t>(high << 16 | read_u16());
  }
  Expiry read_expiry() {
    Expiry expiry;
    expiry.ttl_s = read_i32();
    expiry.expires_at_s = read_i64();
    return expiry;
  }
  size_t read_length() {
    const uint8_t first = read_u8();
    return first < 0x80 ? first : read_long_length(first);
  }
  protocol::ByteView read_bytes(size_t count) {
    return take(count) ? protocol::ByteView(at_ - count, count) : protocol::ByteView();
  }

 private:
  bool take(size_t count) {
    if (static_cast<size_t>(end_ - at_) < count) [[unlikely]] {
      set_failed();
      return false;
    }
    at_ += count;
    return true;
  }
  size_t read_long_length(uint8_t first);

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

// What comes before the cells.
struct RowHeader {
  int64_t base_us = 0;
  bool live = false;
  int64_t live_us = kNever;
  Expiry live_expiry = {};
  int64_t deleted_us = kNever;  // kNever: not deleted
};
RowHeader read_row_header(PartReader& in);

struct Cell {
  uint16_t column = 0;
  CellKind kind = CellKind::kValue;
  int64_t timestamp_us = 0;
  Expiry expiry = {};
  protocol::ByteView value = {};  // also of a counter, as it was read
  uint64_t counter = 0;           // sums wrap, as in Cassandra

  bool is_counter() const { return kind >= CellKind::kCounter; }
  bool is_live(int64_t now_s) const {
    return kind != CellKind::kDeleted && (expiry.expires_at_s == 0 || expiry.expires_at_s > now_s);
  }
};

// Walks all cells of a row, live or not.
class CellReader {
 public:
  CellReader(protocol::ByteView rest, int64_t base_us, int column_before = -1)
      : in_(rest), base_us_(base_us), column_(column_before) {}

  // False at the end, and when the bytes are no cell: then ok() is false.
  bool next(Cell& cell);
  bool ok() const { return in_.ok(); }
  protocol::ByteView rest() const { return in_.rest(); }

 private:
  void step_column(uint8_t step);

  PartReader in_;
  int64_t base_us_;
  int column_;
};

// Appends a cell; `column` follows column_before.
void append_cell(core::Buffer& out, int64_t base_us, int column_before, const Cell& cell);

std::unexpected<core::Error> damaged_row(const char* what);

}  // namespace cqlperf::storage
