#include "server/write_encoder.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "protocol/values.h"
#include "server/index_key.h"
#include "storage/partition.h"
#include "storage/token.h"

namespace cqlperf::server {
namespace {

using Kind = protocol::Value::Kind;
using protocol::ByteView;

constexpr size_t kRoutingPartOverhead = 3;  // bytes: length and end-of-component

std::unexpected<protocol::ErrorMessage> key_too_long(size_t size) {
  return cql::invalid(
      fmt::format("Key length of {} is longer than maximum of {}", size, kKeySizeMax));
}

// Wraps, as Cassandra's counters do.
int64_t add(int64_t left, int64_t right) {
  return static_cast<int64_t>(static_cast<uint64_t>(left) + static_cast<uint64_t>(right));
}

int64_t counter_delta(ByteView value, bool is_subtraction) {
  const int64_t delta = protocol::decode_counter(value).value_or(0);
  return is_subtraction ? -delta : delta;
}

}  // namespace

cql::Status WriteEncoder::encode(const WritePlan& plan, const cql::Evaluation& evaluation,
                                 int64_t timestamp_us, StagedUpdates& out) {
  auto status = plan.is_direct_ ? evaluate_key(plan, evaluation)
                                : evaluate_targets(plan, evaluation, targets_);
  if (!status) return status;
  status = evaluate_cells(plan, evaluation);
  if (status) status = check_size(plan, out);
  if (!status || checks_only_) return status;
  if (plan.is_direct_) {
    encode_direct(plan, timestamp_us, out);
  } else {
    encode_targets(plan, timestamp_us, out);
  }
  return {};
}

// 0x2200 when a batch, or the rows of an IN, are more than memory should hold.
cql::Status WriteEncoder::check_size(const WritePlan& plan, const StagedUpdates& out) const {
  size_t size = 0;
  for (const protocol::Value& value : cell_values_) size += value.bytes.size();
  if (!plan.is_direct_) size *= targets_.partitions.size() * targets_.ranges.size();
  if (out.size_bytes() + size <= StagedUpdates::kSizeMax) return {};
  return cql::invalid(fmt::format("The statement writes {} bytes, at most {} are allowed: split it",
                                  out.size_bytes() + size, StagedUpdates::kSizeMax));
}

// Evaluates the terms of a direct plan into key_values_.
cql::Status WriteEncoder::evaluate_key(const WritePlan& plan, const cql::Evaluation& evaluation) {
  const std::vector<Column>& columns = plan.table_->columns;
  const size_t partition_size = plan.partition_terms_.size();
  key_values_.clear();
  size_t routing_size = 0;
  for (size_t index = 0; index < partition_size; ++index) {
    auto value = evaluate_key_value(plan.partition_terms_[index], evaluation, columns[index]);
    if (!value) return std::unexpected(std::move(value.error()));
    routing_size += value->size() + (partition_size > 1 ? kRoutingPartOverhead : 0);
    key_values_.push_back(*value);
  }
  if (routing_size == 0) return cql::invalid("Key may not be empty");
  if (routing_size > kKeySizeMax) return key_too_long(routing_size);
  for (size_t index = 0; index < plan.clustering_terms_.size(); ++index) {
    auto value = evaluate_key_value(plan.clustering_terms_[index], evaluation,
                                    columns[partition_size + index]);
    if (!value) return std::unexpected(std::move(value.error()));
    if (value->size() > kKeySizeMax) return key_too_long(value->size());
    key_values_.push_back(*value);
  }
  return {};
}

cql::Status WriteEncoder::evaluate_cells(const WritePlan& plan, const cql::Evaluation& evaluation) {
  expiry_ = {};
  if (plan.attributes_.has_ttl() || plan.table_->options.default_ttl_s != 0) {
    auto expiry = plan.attributes_.expiry(evaluation, *plan.table_);
    if (!expiry) return std::unexpected(std::move(expiry.error()));
    expiry_ = *expiry;
  }
  cell_values_.clear();
  for (const WritePlan::CellWrite& cell : plan.cells_) {
    auto value = cell.term.evaluate(evaluation);
    if (!value) return std::unexpected(std::move(value.error()));
    if (cell.kind >= WritePlan::CellWrite::Kind::kAdd) {
      if (auto status = evaluate_counter(cell, *value); !status) return status;
    }
    cell_values_.push_back(*value);
  }
  for (const WritePlan::IndexWrite& write : plan.index_writes_) {
    if (auto status = check_indexed(plan, write); !status) return status;
  }
  return {};
}

cql::Status WriteEncoder::evaluate_counter(const WritePlan::CellWrite& cell,
                                           const protocol::Value& value) const {
  const bool is_subtraction = cell.kind == WritePlan::CellWrite::Kind::kSubtract;
  if (value.kind == Kind::kUnset) return {};
  if (value.kind == Kind::kNull) {
    return cql::invalid(fmt::format("Invalid null value for counter {}",
                                    is_subtraction ? "decrement" : "increment"));
  }
  auto delta = protocol::decode_counter(value.bytes);
  if (!delta) {
    return cql::invalid(fmt::format("Invalid value for counter column {}: {}", cell.column->name,
                                    delta.error().message));
  }
  if (!is_subtraction || *delta != std::numeric_limits<int64_t>::min()) return {};
  return cql::invalid(
      fmt::format("The negation of {} overflows supported counter precision (signed 8 bytes "
                  "integer)",
                  *delta));
}

cql::Status WriteEncoder::check_indexed(const WritePlan& plan,
                                        const WritePlan::IndexWrite& write) const {
  const bool is_known = plan.is_direct_ || write.source == ColumnKind::kRegular;
  const ByteView* value = is_known ? indexed_value(plan, write) : nullptr;
  if (value == nullptr || value->size() < kKeySizeMax) return {};
  return cql::invalid(
      fmt::format("Cannot index value of size {} for index {} on {}.{}({}) (maximum allowed "
                  "size={})",
                  value->size(), write.index->name, plan.table_->keyspace, plan.table_->name,
                  write.index->column, kKeySizeMax));
}

// The value that the row at hand has for the index; nullptr when it has none.
const ByteView* WriteEncoder::indexed_value(const WritePlan& plan,
                                            const WritePlan::IndexWrite& write) const {
  switch (write.source) {
    case ColumnKind::kPartitionKey:
      return &key_values_[write.position];
    case ColumnKind::kClustering:
      return &key_values_[plan.table_->partition_key_size + write.position];
    case ColumnKind::kRegular:
      break;
  }
  const protocol::Value& value = cell_values_[write.position];
  return value.kind == Kind::kBytes ? &value.bytes : nullptr;
}

ByteView WriteEncoder::routing_of_key(const WritePlan& plan) {
  const size_t partition_size = plan.table_->partition_key_size;
  if (partition_size == 1) return key_values_.front();
  routing_.clear();
  for (size_t index = 0; index < partition_size; ++index) {
    append_routing_part(routing_, key_values_[index]);
  }
  return routing_.bytes();
}

void WriteEncoder::encode_direct(const WritePlan& plan, int64_t timestamp_us, StagedUpdates& out) {
  const ByteView routing = routing_of_key(plan);
  const int64_t token = storage::token_of(routing);
  const size_t partition_size = plan.table_->partition_key_size;
  out.begin();
  if (key_values_.size() < plan.table_->partition_key_size + plan.table_->clustering_key_size) {
    append_partition_key(out.bytes(), token, routing);
    out.begin_update();
    storage::append_partition_deletion(out.bytes(), timestamp_us);
    out.end(*plan.table_->store);
    return;
  }
  append_row_key(out.bytes(), token, routing, {});
  for (size_t index = partition_size; index < key_values_.size(); ++index) {
    storage::append_clustering_value(out.bytes(), plan.clustering_columns_[index - partition_size],
                                     key_values_[index]);
  }
  encode_row(plan, timestamp_us, out);
}

// The update of a row whose key was begun.
void WriteEncoder::encode_row(const WritePlan& plan, int64_t timestamp_us, StagedUpdates& out) {
  out.begin_update();
  if (!append_row(plan, timestamp_us, out.bytes())) {
    out.cancel();
    return;
  }
  out.end(*plan.table_->store);
  if (!plan.index_writes_.empty()) encode_index_entries(plan, timestamp_us, out);
}

// False when the execution writes nothing: all that it sets is unset. A row of a compact table is
// there by its cells alone.
bool WriteEncoder::append_row(const WritePlan& plan, int64_t timestamp_us,
                              core::Buffer& out) const {
  storage::RowWriter row(out, timestamp_us);
  const bool is_insert = plan.action_ == WritePlan::Action::kInsert && !plan.table_->is_compact;
  const bool is_deletion = plan.action_ == WritePlan::Action::kDeleteRows;
  if (is_insert) row.set_live(expiry_);
  if (is_deletion) row.delete_row();
  const bool has_cells = append_cells(plan, row);
  row.finish();
  return is_insert || is_deletion || has_cells;
}

bool WriteEncoder::append_cells(const WritePlan& plan, storage::RowWriter& row) const {
  using Write = WritePlan::CellWrite::Kind;
  bool has_cells = false;
  for (size_t index = 0; index < plan.cells_.size(); ++index) {
    const WritePlan::CellWrite& cell = plan.cells_[index];
    const protocol::Value& value = cell_values_[index];
    if (value.kind == Kind::kUnset) continue;
    has_cells = true;
    if (cell.kind == Write::kSet && value.kind == Kind::kBytes) {
      row.set_cell(cell.storage_id, value.bytes, expiry_);
    } else if (cell.kind <= Write::kDelete) {
      row.delete_cell(cell.storage_id);
    } else {
      int64_t delta = counter_delta(value.bytes, cell.kind == Write::kSubtract);
      while (index + 1 < plan.cells_.size() &&
             plan.cells_[index + 1].storage_id == cell.storage_id) {
        ++index;
        if (cell_values_[index].kind == Kind::kUnset) continue;
        delta = add(delta, counter_delta(cell_values_[index].bytes,
                                         plan.cells_[index].kind == Write::kSubtract));
      }
      row.add_to_counter(cell.storage_id, delta);
    }
  }
  return has_cells;
}

void WriteEncoder::encode_index_entries(const WritePlan& plan, int64_t timestamp_us,
                                        StagedUpdates& out) {
  index_row_key_.clear();
  index_row_key_.append(out.last_key());
  for (const WritePlan::IndexWrite& write : plan.index_writes_) {
    const ByteView* value = indexed_value(plan, write);
    if (value == nullptr) continue;
    out.begin();
    append_index_key(out.bytes(), write.column, *value, index_row_key_.bytes());
    out.begin_update();
    append_index_entry(out.bytes(), timestamp_us, expiry_);
    out.end(*write.index->store);
  }
}

cql::Status WriteEncoder::evaluate_targets(const WritePlan& plan, const cql::Evaluation& evaluation,
                                           Targets& targets) {
  if (!plan.is_direct_) {
    auto status = plan.partition_.evaluate(evaluation, targets.partitions);
    if (status) status = plan.clustering_.evaluate(evaluation, targets.ranges);
    if (!status) return status;
    if (targets.partitions.size() * targets.ranges.size() <= kKeyCombinationsMax) return {};
    return cql::invalid(
        fmt::format("The statement writes to {} partitions with {} rows each: at most {} rows are "
                    "allowed",
                    targets.partitions.size(), targets.ranges.size(), kKeyCombinationsMax));
  }
  if (auto status = evaluate_key(plan, evaluation); !status) return status;
  const ByteView routing = routing_of_key(plan);
  targets.partitions.assign(1, {storage::token_of(routing), protocol::to_bytes(routing)});
  core::Buffer clustering;
  for (size_t index = 0; index < plan.clustering_terms_.size(); ++index) {
    storage::append_clustering_value(clustering, plan.clustering_columns_[index],
                                     key_values_[plan.partition_terms_.size() + index]);
  }
  const bool is_row = plan.clustering_terms_.size() == plan.clustering_columns_.size();
  targets.ranges.assign(1, {protocol::to_bytes(clustering.bytes()), {}, is_row});
  return {};
}

void WriteEncoder::encode_targets(const WritePlan& plan, int64_t timestamp_us, StagedUpdates& out) {
  const bool is_partition = plan.action_ == WritePlan::Action::kDeleteRows &&
                            plan.clustering_.empty() && !plan.clustering_.selects_rows();
  for (const PartitionKey& key : targets_.partitions) {
    if (is_partition) {
      encode_range(plan, key, nullptr, timestamp_us, out);
      continue;
    }
    for (const ClusteringRange& range : targets_.ranges) {
      if (!range.is_row) {
        encode_range(plan, key, &range, timestamp_us, out);
        continue;
      }
      if (!plan.index_writes_.empty()) split_target(plan, key, range.begin);
      out.begin();
      append_row_key(out.bytes(), key.token, key.routing, range.begin);
      encode_row(plan, timestamp_us, out);
    }
  }
}

// Deletes a range of a partition's rows, or all of it.
void WriteEncoder::encode_range(const WritePlan& plan, const PartitionKey& key,
                                const ClusteringRange* range, int64_t timestamp_us,
                                StagedUpdates& out) {
  out.begin();
  append_partition_key(out.bytes(), key.token, key.routing);
  out.begin_update();
  if (range == nullptr) {
    storage::append_partition_deletion(out.bytes(), timestamp_us);
  } else {
    storage::append_range_deletion(out.bytes(), range->begin, range->end, timestamp_us);
  }
  out.end(*plan.table_->store);
}

// Fills key_values_ from a key that an IN gave, for indexes on its columns.
void WriteEncoder::split_target(const WritePlan& plan, const PartitionKey& key,
                                ByteView clustering) {
  key_values_ = split_routing_key(key.routing, plan.table_->partition_key_size);
  auto values = storage::read_clustering_values(clustering, plan.clustering_columns_);
  CQLPERF_CHECK(values.has_value(), "a clustering key that was encoded cannot be read");
  clustering_values_ = std::move(*values);
  key_values_.insert(key_values_.end(), clustering_values_.begin(), clustering_values_.end());
}

}  // namespace cqlperf::server
