#include "server/select_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "protocol/result.h"
#include "protocol/values.h"
#include "server/paging_state.h"
#include "server/select_relations.h"

namespace cqlperf::server {
namespace {

cql::Result<TablePtr> find_table(const cql::TableName& name, const Schema& schema,
                                 const std::string& keyspace) {
  const std::string& in = name.keyspace.empty() ? keyspace : name.keyspace;
  if (in.empty()) {
    return cql::invalid(
        "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
  }
  if (schema.find_keyspace(in) == nullptr) {
    return cql::invalid(fmt::format("keyspace {} does not exist", in));
  }
  if (TablePtr table = schema.find_table(in, name.table)) return table;
  return cql::invalid(fmt::format("table {} does not exist", name.table));
}

cql::Status check_supported(const cql::Select& statement) {
  if (statement.json) return cql::unsupported({}, "SELECT JSON");
  if (!statement.group_by.empty()) return cql::unsupported({}, "GROUP BY");
  return {};
}

cql::Result<cql::TypedTerm> bind_limit(const cql::Term& term, const Table& table, const char* name,
                                       cql::MarkerSpecs& markers) {
  return cql::TypedTerm::bind(
      term, {table.keyspace, table.name, name, protocol::ColumnType::of(protocol::TypeId::kInt)},
      markers);
}

cql::Result<std::optional<uint64_t>> evaluate_one_limit(const std::optional<cql::TypedTerm>& limit,
                                                        const cql::Evaluation& evaluation) {
  if (!limit) return std::nullopt;
  auto value = limit->evaluate(evaluation);
  if (!value) return std::unexpected(std::move(value.error()));
  if (value->kind == protocol::Value::Kind::kUnset) return std::nullopt;
  if (value->kind == protocol::Value::Kind::kNull) {
    return cql::invalid("Invalid null value of limit");
  }
  auto rows = protocol::decode_int(value->bytes);
  if (!rows) return cql::invalid("Invalid limit value");
  if (*rows <= 0) return cql::invalid("LIMIT must be strictly positive");
  return static_cast<uint64_t>(*rows);
}

}  // namespace

cql::Result<std::shared_ptr<const SelectPlan>> SelectPlan::make(const cql::Select& statement,
                                                                SchemaPtr schema,
                                                                const std::string& keyspace,
                                                                cql::MarkerSpecs& markers) {
  auto table = find_table(statement.table, *schema, keyspace);
  if (!table) return std::unexpected(std::move(table.error()));
  if (auto status = check_supported(statement); !status) {
    return std::unexpected(std::move(status.error()));
  }
  std::shared_ptr<SelectPlan> plan(new SelectPlan(std::move(*table), statement));
  if (auto status = plan->bind(statement, *schema, markers); !status) {
    return std::unexpected(std::move(status.error()));
  }
  return plan;
}

SelectPlan::SelectPlan(TablePtr table, const cql::Select& statement)
    : table_(std::move(table)), layout_(*table_), is_distinct_(statement.distinct) {}

cql::Status SelectPlan::bind(const cql::Select& statement, const Schema& schema,
                             cql::MarkerSpecs& markers) {
  auto selection = Selection::make(statement, *table_, markers);
  if (!selection) return std::unexpected(std::move(selection.error()));
  selection_ = std::move(*selection);
  if (auto status = check_distinct(); !status) return status;
  const bool is_virtual = schema.find_keyspace(table_->keyspace)->is_virtual;
  auto where = SelectWhere::bind(statement, *table_, is_virtual, markers);
  if (!where) return std::unexpected(std::move(where.error()));
  where_ = std::move(*where);
  partition_key_markers_ = server::partition_key_markers(*table_, statement.where);
  if (auto status = bind_limits(statement, markers); !status) return status;
  auto order = SelectOrder::make(statement.order_by, *table_, *where_);
  if (!order) return std::unexpected(std::move(order.error()));
  order_ = *order;
  find_parts();
  find_point_terms();
  metadata_ = protocol::RowsMetadata::of(selection_->specs());
  encode_metadata();
  fingerprint_ = make_fingerprint(statement);
  return {};
}

cql::Status SelectPlan::check_distinct() const {
  if (!is_distinct_) return {};
  for (size_t index = 0; index < table_->columns.size(); ++index) {
    const Column& column = table_->columns[index];
    const bool is_key = column.kind == ColumnKind::kPartitionKey;
    if (!is_key && selection_->reads(index)) {
      return cql::invalid(
          fmt::format("SELECT DISTINCT queries must only request partition key columns and/or "
                      "static columns (not {})",
                      column.name));
    }
  }
  for (size_t index = 0; index < table_->partition_key_size; ++index) {
    if (selection_->reads(index)) continue;
    return cql::invalid(fmt::format(
        "SELECT DISTINCT queries must request all the partition key columns (missing {})",
        table_->columns[index].name));
  }
  return {};
}

cql::Status SelectPlan::bind_limits(const cql::Select& statement, cql::MarkerSpecs& markers) {
  if (statement.per_partition_limit) {
    if (is_distinct_) {
      return cql::invalid("PER PARTITION LIMIT is not allowed with SELECT DISTINCT queries");
    }
    if (selection_->is_aggregate()) {
      return cql::invalid("PER PARTITION LIMIT is not allowed with aggregate queries.");
    }
    auto limit =
        bind_limit(*statement.per_partition_limit, *table_, "[per_partition_limit]", markers);
    if (!limit) return std::unexpected(std::move(limit.error()));
    partition_limit_ = std::move(*limit);
  }
  if (!statement.limit) return {};
  auto limit = bind_limit(*statement.limit, *table_, "[limit]", markers);
  if (!limit) return std::unexpected(std::move(limit.error()));
  limit_ = std::move(*limit);
  return {};
}

cql::Result<std::optional<uint64_t>> SelectPlan::evaluate_limit(
    const cql::Evaluation& evaluation) const {
  return evaluate_one_limit(limit_, evaluation);
}

cql::Result<std::optional<uint64_t>> SelectPlan::evaluate_partition_limit(
    const cql::Evaluation& evaluation) const {
  if (is_distinct_) return 1;
  return evaluate_one_limit(partition_limit_, evaluation);
}

void SelectPlan::find_parts() {
  std::vector<bool> reads(table_->columns.size());
  for (size_t index = 0; index < reads.size(); ++index) reads[index] = selection_->reads(index);
  for (const RowFilter& filter : where_->filters) {
    filter.visit_columns([&](size_t column) { reads[column] = true; });
  }
  const auto any = [&](size_t first, size_t count) {
    const auto begin = reads.begin() + static_cast<std::ptrdiff_t>(first);
    return std::find(begin, begin + static_cast<std::ptrdiff_t>(count), true) !=
           begin + static_cast<std::ptrdiff_t>(count);
  };
  const size_t key_size = table_->partition_key_size + table_->clustering_key_size;
  parts_.partition_key = any(0, table_->partition_key_size);
  parts_.clustering = any(table_->partition_key_size, table_->clustering_key_size);
  parts_.cells = any(key_size, reads.size() - key_size);
}

void SelectPlan::find_point_terms() {
  const bool is_plain = where_->keys && where_->keys->is_single() && where_->tokens.empty() &&
                        where_->index == nullptr && where_->filters.empty() &&
                        !selection_->is_aggregate() && !selection_->needs_evaluation();
  if (!is_plain) return;
  std::vector<cql::TypedTerm> clustering = where_->clustering->single_terms();
  if (clustering.size() != table_->clustering_key_size) return;
  point_terms_ = where_->keys->single_terms();
  std::ranges::move(clustering, std::back_inserter(point_terms_));
}

void SelectPlan::encode_metadata() {
  constexpr size_t kFlagsAndCount = 8;
  for (size_t index = 0; index < encoded_columns_.size(); ++index) {
    const auto version =
        static_cast<protocol::Version>(static_cast<size_t>(protocol::Version::kV3) + index);
    core::Buffer out;
    metadata_.encode(version, out);
    encoded_columns_[index] = protocol::to_bytes(out.bytes().subspan(kFlagsAndCount));
  }
}

void SelectPlan::append_head(core::Buffer& out, protocol::Version version, MetadataForm form,
                             protocol::ByteView metadata_id,
                             std::optional<protocol::ByteView> paging_state) const {
  int32_t flags =
      form == MetadataForm::kNone ? protocol::kMetadataNone : protocol::kMetadataGlobalSpec;
  if (form == MetadataForm::kChanged) flags |= protocol::kMetadataChanged;
  if (paging_state) flags |= protocol::kMetadataHasMorePages;
  out.append_i32(static_cast<int32_t>(protocol::ResultKind::kRows));
  out.append_i32(flags);
  out.append_i32(metadata_.column_count);
  if (paging_state) protocol::append_bytes(out, paging_state);
  if (form == MetadataForm::kChanged) protocol::append_short_bytes(out, metadata_id);
  if (form == MetadataForm::kNone) return;
  out.append(
      encoded_columns_[static_cast<size_t>(version) - static_cast<size_t>(protocol::Version::kV3)]);
}

uint64_t SelectPlan::make_fingerprint(const cql::Select& statement) const {
  Fingerprint fingerprint;
  fingerprint.add(protocol::ByteView(table_->id.bytes));
  fingerprint.add(where_->index != nullptr ? where_->index->name : std::string());
  fingerprint.add(static_cast<uint8_t>(order_.is_reversed));
  fingerprint.add(static_cast<uint8_t>(is_distinct_));
  for (const cql::Relation& relation : statement.where) {
    fingerprint.add(static_cast<uint8_t>(relation.left));
    fingerprint.add(static_cast<uint8_t>(relation.op));
    for (const std::string& column : relation.columns) fingerprint.add(column);
  }
  return fingerprint.value();
}

}  // namespace cqlperf::server
