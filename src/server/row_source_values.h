#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/strings.h"

namespace cqlperf::server {

// When a cell was written and when it expires (storage/row.h).
struct CellTimes {
  int64_t written_us = 0;
  int64_t expires_at_s = 0;  // seconds since 1970; 0: never
};

// The values of one row, by the position of their columns in the table; std::nullopt is null. Kept
// for reuse from row to row. Views bytes of whoever filled it in. Key columns are filled in only
// when the statement needs them.
struct RowValues {
  std::vector<std::optional<protocol::ByteView>> columns = {};
  std::vector<CellTimes> times = {};  // of regular columns that are not null

  explicit RowValues(size_t column_count) : columns(column_count), times(column_count) {}
};

}  // namespace cqlperf::server
