#include "server/reader_query.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cql/values.h"
#include "server/row_key.h"
#include "server/select_token.h"
#include "server/system_tables.h"
#include "storage/token.h"

namespace cqlperf::server {
namespace {

using protocol::ByteView;
using protocol::Value;

// Whether the values of the columns on the left come before those on the right.
template <class Values>
bool is_before(std::span<const Column> columns, const Values& left, const Values& right) {
  for (size_t index = 0; index < columns.size(); ++index) {
    const auto order = cql::compare_values(columns[index].type, left[index], right[index]);
    if (order != 0) return order < 0;
  }
  return false;
}

// Partitions of an IN come in the order of their values.
void sort_by_values(const Table& table, std::vector<PartitionKey>& keys) {
  if (keys.size() < 2) return;
  std::ranges::sort(keys, [&](const PartitionKey& left, const PartitionKey& right) {
    return is_before(table.partition_key(),
                     split_routing_key(left.routing, table.partition_key_size),
                     split_routing_key(right.routing, table.partition_key_size));
  });
}

std::vector<ByteView> key_values(const Table& table, const SystemRow& row) {
  std::vector<ByteView> values;
  for (size_t index = 0; index < table.partition_key_size; ++index) {
    values.push_back(row[index] ? ByteView(*row[index]) : ByteView());
  }
  return values;
}

int64_t token_of_row(const Table& table, const SystemRow& row) {
  core::Buffer routing;
  for (const ByteView value : key_values(table, row)) {
    if (table.partition_key_size == 1) {
      routing.append(value);
    } else {
      append_routing_part(routing, value);
    }
  }
  return storage::token_of(routing.bytes());
}

protocol::ErrorMessage index_not_built(const Index& index, protocol::Consistency consistency) {
  return {
      static_cast<int32_t>(protocol::ErrorCode::kReadFailure),
      fmt::format("Operation failed - the secondary index '{}' is not yet available", index.name),
      protocol::ReadFailureDetails{consistency, 0, 1, 1, false}};
}

// Makes one query; the parts that can fail one after the other.
class QueryMaker {
 public:
  QueryMaker(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
             const cql::Evaluation& evaluation, const ReplyTo& to, storage::Engine& engine,
             const Catalog& catalog)
      : plan_(*plan),
        table_(*plan->table()),
        arguments_(arguments),
        evaluation_(evaluation),
        engine_(engine),
        catalog_(catalog) {
    query_.plan = std::move(plan);
    query_.to = to;
    query_.consistency = arguments.consistency;
    query_.metadata = arguments.metadata;
    if (query_.metadata == MetadataForm::kChanged) {
      query_.metadata_id = protocol::to_bytes(arguments.metadata_id);
    }
    query_.page_size = arguments.page_size;
    query_.now_us = arguments.now_us;
    if (plan_.selection().needs_evaluation()) keep_values();
  }

  cql::Status make();
  Query take() { return std::move(query_); }

 private:
  void keep_values();
  cql::Status evaluate_limits();
  cql::Status evaluate_filters();
  cql::Status make_source();
  void make_system_source();
  cql::Result<RowRanges> make_ranges();
  cql::Result<RowRanges> make_partition_ranges();
  cql::Status check_order(size_t partitions);
  cql::Status make_index(const SourceSettings& settings, RowRanges ranges);

  const SelectPlan& plan_;
  const Table& table_;
  const Arguments& arguments_;
  const cql::Evaluation& evaluation_;
  storage::Engine& engine_;
  const Catalog& catalog_;
  TokenRange tokens_ = {};
  Query query_ = {};
};

void QueryMaker::keep_values() {
  query_.values.reserve(arguments_.values.size());
  for (const Value& value : arguments_.values) {
    query_.value_bytes.push_back(protocol::to_bytes(value.bytes));
    query_.values.push_back({value.kind, query_.value_bytes.back()});
  }
}

cql::Status QueryMaker::make() {
  if (auto status = evaluate_limits(); !status) return status;
  if (auto status = evaluate_filters(); !status) return status;
  auto tokens = plan_.where().tokens.evaluate(evaluation_);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  tokens_ = *tokens;
  const bool is_resumed = arguments_.paging_state && !arguments_.paging_state->empty();
  if (is_resumed) {
    auto state = decode_paging_state(*arguments_.paging_state, plan_.fingerprint());
    if (!state) return std::unexpected(std::move(state.error()));
    query_.resumed = std::move(*state);
  }
  return make_source();
}

cql::Status QueryMaker::evaluate_limits() {
  auto limit = plan_.evaluate_limit(evaluation_);
  if (!limit) return std::unexpected(std::move(limit.error()));
  query_.limit = *limit;
  auto partition_limit = plan_.evaluate_partition_limit(evaluation_);
  if (!partition_limit) return std::unexpected(std::move(partition_limit.error()));
  query_.partition_limit = *partition_limit;
  return {};
}

cql::Status QueryMaker::evaluate_filters() {
  for (const RowFilter& filter : plan_.where().filters) {
    auto bound = filter.evaluate(evaluation_);
    if (!bound) return std::unexpected(std::move(bound.error()));
    query_.filters.push_back(std::move(*bound));
  }
  return {};
}

cql::Status QueryMaker::make_source() {
  if (table_.system != SystemTable::kNone) {
    make_system_source();
    return {};
  }
  auto ranges = make_ranges();
  if (!ranges) return std::unexpected(std::move(ranges.error()));
  if (query_.resumed && !ranges->resume(query_.resumed->ordinal, query_.resumed->key)) {
    return bad_paging_state();
  }
  if (engine_.keeps_nothing()) *ranges = RowRanges();
  const SourceSettings settings{engine_, plan_.layout(), plan_.parts(),
                                arguments_.now_us / 1'000'000};
  if (plan_.where().index != nullptr) return make_index(settings, std::move(*ranges));
  const bool is_points = plan_.where().keys && plan_.where().clustering->selects_rows();
  query_.source = is_points ? make_point_source(settings, std::move(*ranges))
                            : make_range_source(settings, std::move(*ranges));
  return {};
}

void QueryMaker::make_system_source() {
  std::vector<SystemRow> rows = system_rows(table_, *catalog_.schema(), catalog_.node());
  std::erase_if(rows, [&](const SystemRow& row) {
    return !plan_.where().tokens.empty() && !tokens_.contains(token_of_row(table_, row));
  });
  if (plan_.where().names_partitions) {
    std::ranges::stable_sort(rows, [&](const SystemRow& left, const SystemRow& right) {
      return is_before(table_.partition_key(), key_values(table_, left), key_values(table_, right));
    });
  }
  if (plan_.order().is_reversed) std::ranges::reverse(rows);
  const uint64_t first = query_.resumed ? query_.resumed->ordinal : 0;
  query_.source = make_memory_source(table_, std::move(rows), first);
}

cql::Result<RowRanges> QueryMaker::make_ranges() {
  if (plan_.where().keys) return make_partition_ranges();
  if (tokens_.is_empty()) return RowRanges();
  return RowRanges(tokens_.keys());
}

cql::Result<RowRanges> QueryMaker::make_partition_ranges() {
  const SelectWhere& where = plan_.where();
  std::vector<PartitionKey> keys;
  if (auto status = where.keys->evaluate(evaluation_, keys); !status) {
    return std::unexpected(std::move(status.error()));
  }
  std::vector<ClusteringRange> clustering;
  if (auto status = where.clustering->evaluate(evaluation_, clustering); !status) {
    return std::unexpected(std::move(status.error()));
  }
  sort_by_values(table_, keys);
  std::erase_if(keys, [&](const PartitionKey& key) { return !tokens_.contains(key.token); });
  if (auto status = check_order(keys.size()); !status) {
    return std::unexpected(std::move(status.error()));
  }
  return RowRanges(std::move(keys), std::move(clustering), plan_.order().is_reversed);
}

cql::Status QueryMaker::check_order(size_t partitions) {
  if (plan_.order().columns == 0 || plan_.where().keys->is_single()) return {};
  if (query_.page_size) {
    return cql::invalid(
        "Cannot page queries with both ORDER BY and a IN restriction on the partition key; you "
        "must either remove the ORDER BY or the IN and sort client side, or disable paging for "
        "this query");
  }
  if (partitions > 1) query_.sort_columns = plan_.order().columns;
  return {};
}

cql::Status QueryMaker::make_index(const SourceSettings& settings, RowRanges ranges) {
  const Index& index = *plan_.where().index;
  auto value = plan_.where().index_value.evaluate(evaluation_);
  if (!value) return std::unexpected(std::move(value.error()));
  if (value->kind != Value::Kind::kBytes) {
    return cql::invalid(fmt::format("Unsupported {} value for column {}",
                                    value->kind == Value::Kind::kUnset ? "unset" : "null",
                                    index.column));
  }
  if (!index.is_built) return std::unexpected(index_not_built(index, query_.consistency));
  query_.source = make_index_source(settings, index, value->bytes, std::move(ranges));
  return {};
}

}  // namespace

cql::Result<Query> make_query(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
                              const cql::Evaluation& evaluation, const ReplyTo& to,
                              storage::Engine& engine, const Catalog& catalog) {
  QueryMaker maker(std::move(plan), arguments, evaluation, to, engine, catalog);
  if (auto status = maker.make(); !status) return std::unexpected(std::move(status.error()));
  return maker.take();
}

}  // namespace cqlperf::server
