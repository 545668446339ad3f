#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/strings.h"
#include "server/row_source_stored.h"

namespace cqlperf::server {

// ORDER BY over several partitions: collects the rows and gives them sorted by their first
// clustering columns; equal ones stay in their order. Not for pages. One owner.
class RowSorter {
 public:
  // The layout outlives it.
  RowSorter(const RowLayout& layout, size_t columns, bool is_reversed)
      : layout_(layout), columns_(columns), is_reversed_(is_reversed) {}

  // A row whose cells are `size` bytes; they are given to sort() one after the other. kIo when the
  // clustering is none.
  core::Status add(protocol::ByteView clustering, size_t size);
  // Appends the first `limit` rows of `rows`, which holds the cells of all rows that were added;
  // returns how many there were.
  uint64_t sort(protocol::ByteView rows, uint64_t limit, core::Buffer& out);

 private:
  struct Row {
    protocol::Bytes key;
    size_t at;
    size_t size;
  };

  const RowLayout& layout_;
  const size_t columns_;
  const bool is_reversed_;
  std::vector<Row> rows_ = {};
  size_t end_ = 0;
};

}  // namespace cqlperf::server
