#include "server/index_key.h"

#include "core/byte_reader.h"
#include "core/check.h"

namespace cqlperf::server {
namespace {

constexpr size_t kSizeBytes = 4;

}  // namespace

storage::ClusteringColumn index_column(const Table& table, const Index& index) {
  const Column* column = table.find(index.column);
  CQLPERF_CHECK(column != nullptr, "an index of a column that its table does not have");
  return {column->type, false};
}

void append_index_prefix(core::Buffer& out, const storage::ClusteringColumn& indexed,
                         protocol::ByteView value) {
  storage::append_clustering_value(out, indexed, value);
}

void append_index_key(core::Buffer& out, const storage::ClusteringColumn& indexed,
                      protocol::ByteView value, protocol::ByteView row_key) {
  append_index_prefix(out, indexed, value);
  out.append(row_key);
  out.append_i32(static_cast<int32_t>(row_key.size()));
}

core::Result<protocol::ByteView> read_index_row_key(protocol::ByteView index_key) {
  if (index_key.size() > kSizeBytes) {
    const size_t end = index_key.size() - kSizeBytes;
    core::ByteReader size_reader(index_key.subspan(end));
    const auto size = static_cast<uint32_t>(size_reader.read_i32());
    if (size > 0 && size < end) return index_key.subspan(end - size, size);
  }
  return core::fail(core::ErrorCode::kIo, "an index entry's key does not hold the key of a row");
}

void append_index_entry(core::Buffer& out, int64_t timestamp_us, storage::Expiry expiry) {
  storage::RowWriter row(out, timestamp_us);
  row.set_live(expiry);
  row.finish();
}

void append_index_removal(core::Buffer& out, int64_t timestamp_us) {
  storage::RowWriter row(out, timestamp_us);
  row.delete_row();
  row.finish();
}

}  // namespace cqlperf::server
