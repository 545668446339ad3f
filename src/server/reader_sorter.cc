#include "server/reader_sorter.h"

#include <algorithm>
#include <utility>

#include "storage/key.h"

namespace cqlperf::server {

core::Status RowSorter::add(protocol::ByteView clustering, size_t size) {
  auto values = storage::read_clustering_values(clustering, layout_.clustering());
  if (!values) return std::unexpected(std::move(values.error()));
  core::Buffer key;
  for (size_t column = 0; column < columns_; ++column) {
    storage::append_clustering_value(key, layout_.clustering()[column], (*values)[column]);
  }
  rows_.push_back({protocol::to_bytes(key.bytes()), end_, size});
  end_ += size;
  return {};
}

uint64_t RowSorter::sort(protocol::ByteView rows, uint64_t limit, core::Buffer& out) {
  std::ranges::stable_sort(rows_, [&](const Row& left, const Row& right) {
    return is_reversed_ ? right.key < left.key : left.key < right.key;
  });
  const uint64_t count = std::min<uint64_t>(limit, rows_.size());
  for (const Row& row : std::span(rows_).first(count)) out.append(rows.subspan(row.at, row.size));
  return count;
}

}  // namespace cqlperf::server
