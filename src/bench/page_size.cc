#include "bench/page_size.h"

#include <algorithm>

namespace cqlperf::bench {

PageSize::PageSize(uint64_t page_bytes, uint64_t row_bytes, std::optional<uint32_t> fixed_rows)
    : page_bytes_(page_bytes),
      fixed_rows_(fixed_rows),
      target_rows_(fixed_rows.value_or(rows_for(row_bytes))),
      rows_(target_rows_) {}

uint32_t PageSize::rows_for(uint64_t row_bytes) const {
  const uint64_t rows = page_bytes_ / std::max<uint64_t>(row_bytes, 1);
  return static_cast<uint32_t>(std::clamp<uint64_t>(rows, 1, kRowsMax));
}

void PageSize::on_page(uint64_t rows, uint64_t bytes) {
  if (!fixed_rows_ && rows > 0) target_rows_ = rows_for(bytes / rows);
  rows_ = std::min<uint64_t>(target_rows_, uint64_t{rows_} * 2);
}

void PageSize::on_failure() { rows_ = std::max(1u, rows_ / 2); }

}  // namespace cqlperf::bench
