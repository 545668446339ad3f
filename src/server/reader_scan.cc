#include "server/reader_scan.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace cqlperf::server {
namespace {

// Steps between two looks at the clock.
constexpr int kStepsPerLook = 16;

}  // namespace

Scan::Scan(Query query)
    : query_(std::move(query)),
      values_(query_.plan->table()->columns.size()),
      evaluation_{query_.values, query_.now_us, &arena_},
      limit_left_(query_.limit) {
  if (query_.plan->selection().is_aggregate()) {
    aggregation_.emplace(query_.plan->selection());
    limit_left_.reset();  // it counts rows of the result
    query_.page_size.reset();
  }
  if (query_.sort_columns > 0 && !aggregation_) {
    sorter_.emplace(query_.plan->layout(), query_.sort_columns, query_.plan->order().is_reversed);
  }
  if (!query_.resumed) return;
  if (limit_left_ && query_.resumed->limit_left) limit_left_ = query_.resumed->limit_left;
}

bool Scan::run(const core::Clock& clock, int64_t deadline_ns) {
  do {
    for (int count = 0; count < kStepsPerLook; ++count) {
      if (step() == State::kAnswered) return true;
    }
  } while (clock.now_ns() < deadline_ns);
  return false;
}

Scan::State Scan::step() {
  auto step = query_.source->next();
  if (!step) return fail(read_failure(query_.consistency, step.error()));
  switch (*step) {
    case RowSource::Step::kRow:
      return take_row();
    case RowSource::Step::kNothing:
      return State::kGoesOn;
    case RowSource::Step::kEnd:
      break;
  }
  return finish(false);
}

Scan::State Scan::take_row() {
  const RowParts& parts = query_.plan->parts();
  if (parts.partition_key || parts.clustering || parts.cells) {
    if (auto status = query_.source->load(values_); !status) {
      return fail(read_failure(query_.consistency, status.error()));
    }
  }
  if (!is_selected() || !enter_partition()) return State::kGoesOn;
  if (auto status = add_row(); !status) return fail(status.error());
  return end_row();
}

bool Scan::is_selected() const {
  return std::ranges::all_of(query_.filters,
                             [&](const BoundFilter& filter) { return filter.matches(values_); });
}

bool Scan::enter_partition() {
  if (!query_.partition_limit) return true;
  const protocol::ByteView partition = query_.source->partition();
  if (!has_partition_ || !std::ranges::equal(partition, partition_)) {
    // The first row may be in the partition that the page before ended in.
    const bool is_resumed =
        !has_partition_ && query_.resumed && query_.resumed->partition_limit_left &&
        query_.resumed->key.size() >= partition.size() &&
        std::ranges::equal(partition, std::span(query_.resumed->key).first(partition.size()));
    partition_left_ = is_resumed ? *query_.resumed->partition_limit_left : *query_.partition_limit;
    partition_ = protocol::to_bytes(partition);
    has_partition_ = true;
  }
  if (partition_left_ > 0) return true;
  query_.source->skip_partition();
  return false;
}

cql::Status Scan::add_row() {
  arena_.clear();
  const Selection& selection = query_.plan->selection();
  if (aggregation_) return aggregation_->add(values_, evaluation_);
  const size_t start = rows_.size();
  if (selection.needs_evaluation()) {
    if (auto status = selection.append_row(rows_, values_, evaluation_); !status) return status;
  } else {
    selection.append_plain_row(rows_, values_, query_.now_us / 1'000'000);
  }
  ++row_count_;
  if (rows_.size() > kResultBytesMax) return std::unexpected(result_too_large());
  if (!sorter_) return {};
  auto status = sorter_->add(query_.source->clustering(), rows_.size() - start);
  if (status) return {};
  return std::unexpected(read_failure(query_.consistency, status.error()));
}

Scan::State Scan::end_row() {
  if (query_.partition_limit) --partition_left_;
  const bool is_partition_done = query_.partition_limit && partition_left_ == 0;
  if (limit_left_ && !sorter_ && --*limit_left_ == 0) return finish(false);
  const bool is_page_full =
      query_.page_size &&
      (row_count_ >= static_cast<uint64_t>(*query_.page_size) || rows_.size() >= kPageBytesMax);
  if (is_page_full) return finish(query_.source->may_have_more(is_partition_done));
  if (is_partition_done) query_.source->skip_partition();
  return State::kGoesOn;
}

Scan::State Scan::finish(bool has_more) {
  protocol::Bytes paging_state;
  if (has_more) {
    PagingState state;
    state.fingerprint = query_.plan->fingerprint();
    state.limit_left = limit_left_;
    if (query_.partition_limit) state.partition_limit_left = partition_left_;
    query_.source->save_position(state);
    paging_state = encode_paging_state(state);
  }
  if (aggregation_) {
    aggregation_->append_row(rows_);
    row_count_ = 1;
  }
  if (sorter_) {
    core::Buffer sorted(rows_.size());
    row_count_ = sorter_->sort(rows_.bytes(), limit_left_.value_or(row_count_), sorted);
    rows_ = std::move(sorted);
  }
  reply_rows(*query_.plan, query_.to, {query_.metadata, query_.metadata_id},
             has_more ? std::optional<protocol::ByteView>(paging_state) : std::nullopt,
             static_cast<int32_t>(row_count_), rows_.bytes());
  return State::kAnswered;
}

Scan::State Scan::fail(const protocol::ErrorMessage& error) {
  reply_error(query_.to, error);
  return State::kAnswered;
}

}  // namespace cqlperf::server
