#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.h"
#include "cql/error.h"
#include "cql/typed_term.h"
#include "protocol/query_parameters.h"
#include "protocol/strings.h"
#include "server/key_values.h"
#include "server/row_key.h"
#include "server/staged_updates.h"
#include "server/write_plan.h"
#include "storage/row.h"

namespace cqlperf::server {

// Turns executions of write plans into updates of the store. It first evaluates and checks all that
// a statement has, then encodes, which cannot fail. One owner thread; kept, so that in the steady
// state it allocates nothing.
class WriteEncoder {
 public:
  // With `checks_only` nothing is encoded: for an engine that keeps nothing.
  explicit WriteEncoder(bool checks_only) : checks_only_(checks_only) {}

  // Appends the updates of one execution to `out`. After an error (0x2200) `out` may hold a part of
  // it. The plan has no json_ any more.
  cql::Status encode(const WritePlan& plan, const cql::Evaluation& evaluation, int64_t timestamp_us,
                     StagedUpdates& out);

  // The partitions that an execution writes to, and the rows or ranges in each of them.
  struct Targets {
    std::vector<PartitionKey> partitions = {};
    std::vector<ClusteringRange> ranges = {};
  };
  cql::Status evaluate_targets(const WritePlan& plan, const cql::Evaluation& evaluation,
                               Targets& targets);

 private:
  cql::Status evaluate_key(const WritePlan& plan, const cql::Evaluation& evaluation);
  cql::Status evaluate_cells(const WritePlan& plan, const cql::Evaluation& evaluation);
  cql::Status evaluate_counter(const WritePlan::CellWrite& cell,
                               const protocol::Value& value) const;
  cql::Status check_size(const WritePlan& plan, const StagedUpdates& out) const;
  cql::Status check_indexed(const WritePlan& plan, const WritePlan::IndexWrite& write) const;

  // The routing form of the key that was evaluated.
  protocol::ByteView routing_of_key(const WritePlan& plan);
  void encode_direct(const WritePlan& plan, int64_t timestamp_us, StagedUpdates& out);
  void encode_targets(const WritePlan& plan, int64_t timestamp_us, StagedUpdates& out);
  void encode_row(const WritePlan& plan, int64_t timestamp_us, StagedUpdates& out);
  bool append_row(const WritePlan& plan, int64_t timestamp_us, core::Buffer& out) const;
  bool append_cells(const WritePlan& plan, storage::RowWriter& row) const;
  void encode_index_entries(const WritePlan& plan, int64_t timestamp_us, StagedUpdates& out);
  void encode_range(const WritePlan& plan, const PartitionKey& key, const ClusteringRange* range,
                    int64_t timestamp_us, StagedUpdates& out);
  const protocol::ByteView* indexed_value(const WritePlan& plan,
                                          const WritePlan::IndexWrite& write) const;
  void split_target(const WritePlan& plan, const PartitionKey& key, protocol::ByteView clustering);

  const bool checks_only_;
  // Of the execution at hand; views of its values.
  std::vector<protocol::ByteView> key_values_;  // partition key, clustering key
  std::vector<protocol::Value> cell_values_;    // by the plan's cells_
  storage::Expiry expiry_;
  Targets targets_;
  std::vector<protocol::Bytes> clustering_values_;  // what key_values_ views for IN
  core::Buffer routing_;
  core::Buffer index_row_key_;
};

}  // namespace cqlperf::server
