#include <utility>

#include "core/buffer.h"
#include "protocol/strings.h"
#include "server/row_source.h"

namespace cqlperf::server {
namespace {

class MemorySource final : public RowSource {
 public:
  MemorySource(const Table& table, std::vector<SystemRow> rows, uint64_t first)
      : table_(table), rows_(std::move(rows)), next_(first) {}

  core::Result<Step> next() override {
    if (next_ >= rows_.size()) return Step::kEnd;
    set_partition(rows_[next_++]);
    if (skip_ && partition_ == skipped_) return Step::kNothing;
    skip_ = false;
    return Step::kRow;
  }
  core::Status load(RowValues& out) override {
    const SystemRow& row = rows_[next_ - 1];
    for (size_t index = 0; index < row.size(); ++index) {
      out.columns[index] =
          row[index] ? std::optional<protocol::ByteView>(*row[index]) : std::nullopt;
    }
    return {};
  }
  protocol::ByteView partition() const override { return partition_; }
  protocol::ByteView clustering() const override { return {}; }
  void save_position(PagingState& out) const override {
    out.ordinal = next_;
    out.key = partition_;
  }
  void skip_partition() override {
    skip_ = true;
    skipped_ = partition_;
  }
  bool may_have_more(bool) const override { return next_ < rows_.size(); }

 private:
  void set_partition(const SystemRow& row) {
    core::Buffer bytes;
    for (size_t index = 0; index < table_.partition_key_size; ++index) {
      protocol::append_owned_bytes(bytes, row[index]);
    }
    partition_ = protocol::to_bytes(bytes.bytes());
  }

  const Table& table_;
  std::vector<SystemRow> rows_;
  uint64_t next_;
  protocol::Bytes partition_ = {};
  protocol::Bytes skipped_ = {};
  bool skip_ = false;
};

}  // namespace

std::unique_ptr<RowSource> make_memory_source(const Table& table, std::vector<SystemRow> rows,
                                              uint64_t first) {
  return std::make_unique<MemorySource>(table, std::move(rows), first);
}

}  // namespace cqlperf::server
