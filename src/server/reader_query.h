#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cql/error.h"
#include "cql/typed_term.h"
#include "protocol/consistency.h"
#include "protocol/query_parameters.h"
#include "protocol/strings.h"
#include "server/catalog.h"
#include "server/paging_state.h"
#include "server/request.h"
#include "server/row_source.h"
#include "server/select_filter.h"
#include "server/select_plan.h"
#include "storage/engine.h"

namespace cqlperf::server {

// One execution of a SELECT: the plan with its values, which it owns, and its rows.
struct Query {
  std::shared_ptr<const SelectPlan> plan;
  ReplyTo to = {};
  protocol::Consistency consistency = protocol::Consistency::kOne;
  MetadataForm metadata = MetadataForm::kFull;
  protocol::Bytes metadata_id = {};
  std::optional<int32_t> page_size = {};
  int64_t now_us = 0;
  // By marker; only when the selection needs them. They view `value_bytes`.
  std::vector<protocol::Value> values = {};
  std::vector<protocol::Bytes> value_bytes = {};
  std::vector<BoundFilter> filters = {};
  std::optional<uint64_t> limit = {};
  std::optional<uint64_t> partition_limit = {};
  // Columns by which rows of several partitions are sorted; 0: they come as they are.
  size_t sort_columns = 0;
  std::optional<PagingState> resumed = {};
  std::unique_ptr<RowSource> source = {};
};

// Evaluates the plan's terms. Errors: 0x2200 as Cassandra's; 0x000A for a paging state that is not
// of this statement; 0x1300 for an index that is not built yet.
cql::Result<Query> make_query(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
                              const cql::Evaluation& evaluation, const ReplyTo& to,
                              storage::Engine& engine, const Catalog& catalog);

}  // namespace cqlperf::server
