#pragma once

#include <cstdint>
#include <optional>

namespace cqlperf::bench {

// How many rows a page of a bulk read asks for, so that it brings about as many bytes as wanted:
// follows what pages really bring, halves after a failure, and grows back by doubling.
class PageSize {
 public:
  // The server's page size is an int, and one row is the least.
  static constexpr uint32_t kRowsMax = 100'000;

  // `row_bytes`: what a row is expected to take, before one was seen. With `fixed_rows` pages have
  // that many rows instead, but for failures.
  PageSize(uint64_t page_bytes, uint64_t row_bytes, std::optional<uint32_t> fixed_rows);

  int32_t rows() const { return static_cast<int32_t>(rows_); }
  // A page of `rows` rows has come, of `bytes` in all.
  void on_page(uint64_t rows, uint64_t bytes);
  // A page could not be had.
  void on_failure();

 private:
  uint32_t rows_for(uint64_t row_bytes) const;

  uint64_t page_bytes_;
  std::optional<uint32_t> fixed_rows_;
  uint32_t target_rows_;
  uint32_t rows_;
};

}  // namespace cqlperf::bench
