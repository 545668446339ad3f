#include "server/write_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cql/json.h"
#include "protocol/values.h"

namespace cqlperf::server {
namespace {

using protocol::ErrorCode;

cql::Result<TablePtr> find_table(const Schema& schema, const std::string& connection_keyspace,
                                 const cql::TableName& name) {
  const std::string& keyspace_name = name.keyspace.empty() ? connection_keyspace : name.keyspace;
  if (keyspace_name.empty()) {
    return cql::invalid(
        "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
  }
  const Keyspace* keyspace = schema.find_keyspace(keyspace_name);
  if (keyspace == nullptr) {
    return cql::invalid(fmt::format("keyspace {} does not exist", keyspace_name));
  }
  TablePtr table = schema.find_table(keyspace_name, name.table);
  if (!table) return cql::invalid(fmt::format("table {} does not exist", name.table));
  if (keyspace->is_virtual) {
    return cql::invalid(
        fmt::format("Modification is not supported by table {}.{}", keyspace_name, name.table));
  }
  if (keyspace->is_system || !table->store) {
    return cql::fail(
        ErrorCode::kUnauthorized,
        fmt::format("{}.{} is a system table: it cannot be modified", keyspace_name, name.table));
  }
  return table;
}

cql::Result<const Column*> find_column(const Table& table, const std::string& name) {
  if (const Column* column = table.find(name)) return column;
  return cql::invalid(
      fmt::format("Undefined column name {} in table {}.{}", name, table.keyspace, table.name));
}

// The names of the key columns that have no term: `a, b`.
std::string missing_names(std::span<const Column> columns,
                          std::span<const std::optional<cql::TypedTerm>> terms) {
  std::string names;
  for (size_t index = 0; index < columns.size(); ++index) {
    if (terms[index]) continue;
    if (!names.empty()) names += ", ";
    names += columns[index].name;
  }
  return names;
}

const char* statement_name(bool is_update) { return is_update ? "UPDATE" : "DELETE"; }

}  // namespace

// Makes plans: one object for each.
class WritePlanner {
 public:
  WritePlanner(TablePtr table, cql::MarkerSpecs& markers) : markers_(markers) {
    plan_.table_ = std::move(table);
    plan_.clustering_columns_ = clustering_columns(this->table());
  }
  explicit WritePlanner(WritePlan plan, cql::MarkerSpecs& markers)
      : plan_(std::move(plan)), markers_(markers) {}

  cql::Status plan(const cql::Insert& statement);
  cql::Status plan(const cql::Update& statement);
  cql::Status plan(const cql::Delete& statement);
  cql::Status add_json_row(std::span<const cql::JsonColumn> row);
  WritePlan take() { return std::move(plan_); }

 private:
  using Action = WritePlan::Action;
  using CellWrite = WritePlan::CellWrite;

  const Table& table() const { return *plan_.table_; }

  cql::Status bind_attributes(const cql::Using& attributes, cql::Condition condition);
  cql::Status add_value(const Column& column, cql::TypedTerm term);
  cql::Status finish_keys();
  cql::Status add_assignment(const cql::Assignment& assignment);
  cql::Status check_assignment(const cql::Assignment& assignment, const Column& column) const;
  cql::Status add_deleted_column(const std::string& name);
  cql::Status bind_where(std::span<const cql::Relation> where, bool is_update);
  cql::Status check_where(const SplitWhere& split, bool is_update) const;
  cql::Status check_rows(bool is_update) const;
  cql::Status check_condition(bool is_update) const;
  void make_direct();
  void finish_cells();

  WritePlan plan_;
  cql::MarkerSpecs& markers_;
  std::vector<std::optional<cql::TypedTerm>> key_terms_;  // of INSERT, by key column
};

cql::Status WritePlanner::bind_attributes(const cql::Using& attributes, cql::Condition condition) {
  auto bound = WriteAttributes::bind(attributes, table(), markers_);
  if (!bound) return std::unexpected(std::move(bound.error()));
  plan_.attributes_ = std::move(*bound);
  plan_.condition_ = condition;
  const bool has_timestamp = plan_.attributes_.has_timestamp();
  if (table().is_counter && plan_.is_conditional()) {
    return cql::invalid("Conditional updates are not supported on counter tables");
  }
  if (table().is_counter && has_timestamp) {
    return cql::invalid("Cannot provide custom timestamp for counter updates");
  }
  if (table().is_counter && plan_.attributes_.has_ttl()) {
    return cql::invalid("Cannot provide custom TTL for counter updates");
  }
  if (plan_.is_conditional() && has_timestamp) {
    return cql::invalid("Cannot provide custom timestamp for conditional updates");
  }
  return {};
}

cql::Status WritePlanner::plan(const cql::Insert& statement) {
  plan_.action_ = Action::kInsert;
  if (table().is_counter) {
    return cql::invalid("INSERT statements are not allowed on counter tables, use UPDATE instead");
  }
  if (auto status = bind_attributes(statement.attributes, statement.condition); !status) {
    return status;
  }
  if (statement.json) {
    auto json = cql::TypedTerm::bind(*statement.json,
                                     {table().keyspace, table().name, "[json]",
                                      protocol::ColumnType::of(protocol::TypeId::kVarchar)},
                                     markers_);
    if (!json) return std::unexpected(std::move(json.error()));
    plan_.json_ = std::move(*json);
    plan_.json_keeps_missing_ = statement.default_unset;
    return {};
  }
  if (statement.columns.size() != statement.values.size()) {
    return cql::invalid("Unmatched column names/values");
  }
  key_terms_.resize(table().partition_key_size + table().clustering_key_size);
  for (size_t index = 0; index < statement.columns.size(); ++index) {
    auto column = find_column(table(), statement.columns[index]);
    if (!column) return std::unexpected(std::move(column.error()));
    if (std::ranges::count(statement.columns, statement.columns[index]) > 1) {
      return cql::invalid("The column names contains duplicates");
    }
    auto term =
        cql::TypedTerm::bind(statement.values[index], receiver_of(table(), **column), markers_);
    if (!term) return std::unexpected(std::move(term.error()));
    if (auto status = add_value(**column, std::move(*term)); !status) return status;
  }
  return finish_keys();
}

cql::Status WritePlanner::add_value(const Column& column, cql::TypedTerm term) {
  if (column.kind == ColumnKind::kRegular) {
    plan_.cells_.push_back({column.storage_id, CellWrite::Kind::kSet, &column, std::move(term)});
    return {};
  }
  const auto position = static_cast<size_t>(column.position);
  const bool is_partition = column.kind == ColumnKind::kPartitionKey;
  key_terms_[is_partition ? position : table().partition_key_size + position] = std::move(term);
  return {};
}

// An INSERT names every key column.
cql::Status WritePlanner::finish_keys() {
  const std::span<const std::optional<cql::TypedTerm>> terms(key_terms_);
  const size_t partition_size = table().partition_key_size;
  std::string missing = missing_names(table().partition_key(), terms.first(partition_size));
  if (!missing.empty()) {
    return cql::invalid(fmt::format("Some partition key parts are missing: {}", missing));
  }
  missing = missing_names(table().clustering_key(), terms.subspan(partition_size));
  if (!missing.empty()) {
    return cql::invalid(fmt::format("Some clustering keys are missing: {}", missing));
  }
  // Cassandra lays such a row out with a clustering column of this name.
  if (table().is_compact && plan_.cells_.empty())
    return cql::invalid("Some clustering keys are missing: column1");
  bool all_markers = true;
  for (size_t index = 0; index < key_terms_.size(); ++index) {
    cql::TypedTerm& term = *key_terms_[index];
    if (index >= partition_size) {
      plan_.clustering_terms_.push_back(std::move(term));
      continue;
    }
    all_markers = all_markers && term.is_marker();
    if (all_markers) plan_.partition_key_markers_.push_back(term.marker());
    plan_.partition_terms_.push_back(std::move(term));
  }
  if (!all_markers) plan_.partition_key_markers_.clear();
  plan_.is_direct_ = true;
  finish_cells();
  return {};
}

cql::Status WritePlanner::add_json_row(std::span<const cql::JsonColumn> row) {
  key_terms_.resize(table().partition_key_size + table().clustering_key_size);
  for (const cql::JsonColumn& given : row) {
    if (table().find(given.name) == nullptr) {
      return cql::invalid(
          fmt::format("JSON values map contains unrecognized column: {}", given.name));
    }
  }
  for (const Column& column : table().columns) {
    const auto given = std::ranges::find(row, column.name, &cql::JsonColumn::name);
    const bool is_key = column.kind != ColumnKind::kRegular;
    if (given == row.end() && plan_.json_keeps_missing_ && !is_key) continue;
    cql::TypedTerm term;
    if (given != row.end() && given->value.kind != cql::JsonValue::Kind::kNull) {
      auto bytes = cql::json_to_bytes(given->value, column.type, column.name);
      if (!bytes) return std::unexpected(std::move(bytes.error()));
      term = cql::TypedTerm::constant(std::move(*bytes));
    }
    if (auto status = add_value(column, std::move(term)); !status) return status;
  }
  return finish_keys();
}

cql::Status WritePlanner::plan(const cql::Update& statement) {
  plan_.action_ = Action::kUpdate;
  if (auto status = bind_attributes(statement.attributes, statement.condition); !status) {
    return status;
  }
  for (const cql::Assignment& assignment : statement.assignments) {
    if (auto status = add_assignment(assignment); !status) return status;
  }
  finish_cells();
  return bind_where(statement.where, true);
}

cql::Status WritePlanner::check_assignment(const cql::Assignment& assignment,
                                           const Column& column) const {
  if (column.kind != ColumnKind::kRegular) {
    return cql::invalid(fmt::format("PRIMARY KEY part {} found in SET part", column.name));
  }
  const bool is_set = assignment.kind == cql::Assignment::Kind::kSet;
  const bool is_counter = column.type.id == protocol::TypeId::kCounter;
  if (is_set && is_counter) {
    return cql::invalid(
        fmt::format("Cannot set the value of counter column {} (counters can only be "
                    "incremented/decremented, not set)",
                    column.name));
  }
  if (!is_set && !is_counter) {
    const char sign = assignment.kind == cql::Assignment::Kind::kAdd ? '+' : '-';
    return cql::invalid(fmt::format(
        "Invalid operation ({0} = {0} {1} ...) for non counter column {0}", column.name, sign));
  }
  return {};
}

cql::Status WritePlanner::add_assignment(const cql::Assignment& assignment) {
  auto found = find_column(table(), assignment.column);
  if (!found) return std::unexpected(std::move(found.error()));
  const Column& column = **found;
  if (auto status = check_assignment(assignment, column); !status) return status;
  auto term = cql::TypedTerm::bind(assignment.value, receiver_of(table(), column), markers_);
  if (!term) return std::unexpected(std::move(term.error()));
  CellWrite::Kind kind = CellWrite::Kind::kSet;
  if (assignment.kind == cql::Assignment::Kind::kAdd) kind = CellWrite::Kind::kAdd;
  if (assignment.kind == cql::Assignment::Kind::kSubtract) kind = CellWrite::Kind::kSubtract;
  plan_.cells_.push_back({column.storage_id, kind, &column, std::move(*term)});
  return {};
}

cql::Status WritePlanner::plan(const cql::Delete& statement) {
  plan_.action_ = statement.columns.empty() ? Action::kDeleteRows : Action::kDeleteCells;
  if (auto status = bind_attributes(statement.attributes, statement.condition); !status) {
    return status;
  }
  for (const std::string& name : statement.columns) {
    if (auto status = add_deleted_column(name); !status) return status;
  }
  finish_cells();
  return bind_where(statement.where, false);
}

cql::Status WritePlanner::add_deleted_column(const std::string& name) {
  auto column = find_column(table(), name);
  if (!column) return std::unexpected(std::move(column.error()));
  if ((*column)->kind != ColumnKind::kRegular) {
    return cql::invalid(
        fmt::format("Invalid identifier {} for deletion (should not be a PRIMARY KEY part)", name));
  }
  const bool is_again =
      std::ranges::find(plan_.cells_, *column, &CellWrite::column) != plan_.cells_.end();
  if (is_again) return {};
  plan_.cells_.push_back({(*column)->storage_id, CellWrite::Kind::kDelete, *column, {}});
  return {};
}

cql::Status WritePlanner::bind_where(std::span<const cql::Relation> where, bool is_update) {
  auto split = split_where(table(), where);
  if (!split) return std::unexpected(std::move(split.error()));
  auto partition = PartitionKeyRestrictions::bind(table(), split->partition_key, markers_);
  if (!partition) return std::unexpected(std::move(partition.error()));
  plan_.partition_ = std::move(*partition);
  if (auto status = check_where(*split, is_update); !status) return status;
  auto clustering = ClusteringRestrictions::bind(table(), split->clustering, markers_);
  if (!clustering) return std::unexpected(std::move(clustering.error()));
  plan_.clustering_ = std::move(*clustering);
  if (auto status = check_rows(is_update); !status) return status;
  if (auto status = check_condition(is_update); !status) return status;
  plan_.partition_key_markers_ = plan_.partition_.markers();
  make_direct();
  return {};
}

cql::Status WritePlanner::check_where(const SplitWhere& split, bool is_update) const {
  for (const cql::Relation* relation : split.others) {
    if (relation->left == cql::Relation::Left::kToken) {
      return cql::invalid(
          fmt::format("The token function cannot be used in WHERE clauses for {} statements",
                      statement_name(is_update)));
    }
  }
  const std::string missing = plan_.partition_.missing();
  if (!missing.empty()) {
    return cql::invalid(fmt::format("Some partition key parts are missing: {}", missing));
  }
  if (split.others.empty()) return {};
  return cql::invalid(fmt::format("Non PRIMARY KEY columns found in where clause: {} ",
                                  split.others.front()->columns.front()));
}

// UPDATE and the DELETE of columns name whole rows.
cql::Status WritePlanner::check_rows(bool is_update) const {
  if (plan_.action_ == Action::kDeleteRows || plan_.clustering_.selects_rows()) return {};
  if (!is_update && plan_.is_conditional()) return {};
  if (!is_update) return cql::invalid("Range deletions are not supported for specific columns");
  if (plan_.clustering_.has_slice()) {
    return cql::invalid(
        "Slice restrictions are not supported on the clustering columns in UPDATE statements");
  }
  return cql::invalid(
      fmt::format("Some clustering keys are missing: {}", plan_.clustering_.missing()));
}

cql::Status WritePlanner::check_condition(bool is_update) const {
  if (!plan_.is_conditional()) return {};
  const char* what = is_update ? "updates" : "deletions";
  if (!plan_.clustering_.selects_rows()) {
    return cql::invalid(
        "DELETE statements must restrict all PRIMARY KEY columns with equality relations in order "
        "to delete non static columns");
  }
  if (!plan_.partition_.is_single()) {
    return cql::invalid(
        fmt::format("IN on the partition key is not supported with conditional {}", what));
  }
  if (plan_.clustering_.has_in()) {
    return cql::invalid(
        fmt::format("IN on the clustering key columns is not supported with conditional {}", what));
  }
  return {};
}

void WritePlanner::make_direct() {
  if (!plan_.partition_.is_single()) return;
  std::vector<cql::TypedTerm> terms = plan_.clustering_.single_terms();
  const bool is_partition = plan_.action_ == Action::kDeleteRows && plan_.clustering_.empty();
  if (!is_partition && terms.size() != table().clustering_key_size) return;
  plan_.partition_terms_ = plan_.partition_.single_terms();
  plan_.clustering_terms_ = std::move(terms);
  plan_.is_direct_ = true;
}

void WritePlanner::finish_cells() {
  std::ranges::stable_sort(plan_.cells_, {}, &CellWrite::storage_id);
  if (plan_.action_ != Action::kInsert && plan_.action_ != Action::kUpdate) return;
  for (const Index& index : table().indexes) {
    const Column* column = table().find(index.column);
    WritePlan::IndexWrite write{&index, {column->type, false}, column->kind, 0};
    if (column->kind == ColumnKind::kRegular) {
      const auto cell = std::ranges::find(plan_.cells_, column, &CellWrite::column);
      if (cell == plan_.cells_.end()) continue;
      write.position = static_cast<size_t>(cell - plan_.cells_.begin());
    } else {
      write.position = static_cast<size_t>(column->position);
    }
    plan_.index_writes_.push_back(std::move(write));
  }
}

cql::Result<std::shared_ptr<const WritePlan>> WritePlan::make(const cql::Modification& statement,
                                                              const Schema& schema,
                                                              const std::string& keyspace,
                                                              cql::MarkerSpecs& markers) {
  const cql::TableName& name =
      std::visit([](const auto& one) -> const cql::TableName& { return one.table; }, statement);
  auto table = find_table(schema, keyspace, name);
  if (!table) return std::unexpected(std::move(table.error()));
  WritePlanner planner(std::move(*table), markers);
  auto status = std::visit([&](const auto& one) { return planner.plan(one); }, statement);
  if (!status) return std::unexpected(std::move(status.error()));
  WritePlan plan = planner.take();
  if (plan.json_ && plan.json_->is_constant()) {
    auto with_row = plan.with_json_row({});
    if (!with_row) return std::unexpected(std::move(with_row.error()));
    plan = std::move(*with_row);
  }
  return std::make_shared<const WritePlan>(std::move(plan));
}

cql::Result<WritePlan> WritePlan::with_json_row(const cql::Evaluation& evaluation) const {
  auto text = json_->evaluate(evaluation);
  if (!text) return std::unexpected(std::move(text.error()));
  if (text->kind == protocol::Value::Kind::kNull) {
    return cql::invalid("Got null for INSERT JSON values");
  }
  auto row = cql::parse_json_row(protocol::decode_text(text->bytes));
  if (!row) return std::unexpected(std::move(row.error()));
  const std::vector<cql::Marker> no_markers;
  cql::MarkerSpecs markers(no_markers);
  WritePlanner planner(*this, markers);
  if (auto status = planner.add_json_row(*row); !status) {
    return std::unexpected(std::move(status.error()));
  }
  WritePlan plan = planner.take();
  plan.json_.reset();
  return plan;
}

}  // namespace cqlperf::server
