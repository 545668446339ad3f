#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/buffer.h"
#include "core/clock.h"
#include "cql/error.h"
#include "cql/typed_term.h"
#include "protocol/strings.h"
#include "server/paging_state.h"
#include "server/reader_query.h"
#include "server/reader_reply.h"
#include "server/reader_sorter.h"
#include "server/request.h"
#include "server/row_source.h"
#include "server/row_source_values.h"
#include "server/select_plan.h"
#include "server/selection.h"

namespace cqlperf::server {

// A page of a paged result ends when its rows reach this, in bytes.
inline constexpr size_t kPageBytesMax = size_t{1} << 20;

// One SELECT that is more than the read of one row: it goes through its source step by step and
// holds what it found until its page is full. One owner thread.
class Scan {
 public:
  explicit Scan(Query query);

  // Goes on until the answer is given, which is true, or the time is over.
  bool run(const core::Clock& clock, int64_t deadline_ns);
  const ReplyTarget* target() const { return query_.to.target; }
  // Of the answer that is not whole yet.
  size_t held_bytes() const { return rows_.size(); }

 private:
  enum class State : uint8_t { kGoesOn, kAnswered };

  State step();
  State take_row();
  cql::Status add_row();
  bool is_selected() const;
  // Counts the row for the partition's limit; false when the partition has had its rows.
  bool enter_partition();
  // After a row was added: whether the page or the result ends with it.
  State end_row();
  State finish(bool has_more);
  State fail(const protocol::ErrorMessage& error);

  Query query_;
  RowValues values_;
  cql::Arena arena_ = {};
  cql::Evaluation evaluation_ = {};
  std::optional<uint64_t> limit_left_ = {};
  uint64_t partition_left_ = 0;  // with query_.partition_limit
  protocol::Bytes partition_ = {};
  bool has_partition_ = false;
  std::optional<Aggregation> aggregation_ = {};
  std::optional<RowSorter> sorter_ = {};
  core::Buffer rows_ = {};
  uint64_t row_count_ = 0;
};

}  // namespace cqlperf::server
