#include "server/select_filter.h"

#include <algorithm>
#include <compare>
#include <utility>

#include <fmt/format.h>

#include "cql/values.h"
#include "protocol/values.h"

namespace cqlperf::server {
namespace {

using cql::RelationOperator;
using protocol::Value;

bool holds(RelationOperator op, std::strong_ordering order) {
  switch (op) {
    case RelationOperator::kLess:
      return order < 0;
    case RelationOperator::kLessEqual:
      return order <= 0;
    case RelationOperator::kGreater:
      return order > 0;
    case RelationOperator::kGreaterEqual:
      return order >= 0;
    default:
      return order == 0;
  }
}

bool is_slice(RelationOperator op) {
  return op != RelationOperator::kEqual && op != RelationOperator::kIn;
}

cql::Status check_type(const Column& column, RelationOperator op) {
  if (!cql::is_scalar(column.type)) {
    return cql::invalid(
        fmt::format("Collection column '{}' ({}) cannot be restricted by a '{}' relation",
                    column.name, column.cql_type, cql::relation_operator_name(op)));
  }
  if (is_slice(op) && column.type.id == protocol::TypeId::kDuration) {
    return cql::invalid("Slice restrictions are not supported on duration columns");
  }
  return {};
}

std::unexpected<protocol::ErrorMessage> bad_value(const Value& value, const Column& column) {
  return cql::invalid(fmt::format("Unsupported {} value for column {}",
                                  value.kind == Value::Kind::kUnset ? "unset" : "null",
                                  column.name));
}

}  // namespace

bool BoundFilter::matches(const RowValues& row) const {
  const std::span<const protocol::Bytes> values(values_);
  for (size_t start = 0; start < values.size(); start += columns_.size()) {
    if (matches_one(row, values.subspan(start, columns_.size()))) return true;
  }
  return false;
}

bool BoundFilter::matches_one(const RowValues& row, std::span<const protocol::Bytes> values) const {
  auto order = std::strong_ordering::equal;
  for (size_t index = 0; index < columns_.size(); ++index) {
    const auto& cell = row.columns[first_column_ + index];
    if (!cell) return false;
    if (order == 0) order = cql::compare_values(columns_[index].type, *cell, values[index]);
  }
  return holds(op_, order);
}

cql::Result<RowFilter> RowFilter::bind(const Table& table, const cql::Relation& relation,
                                       cql::MarkerSpecs& markers) {
  RowFilter filter;
  const Column* first = table.find(relation.columns.front());
  filter.columns_ = {first, relation.columns.size()};
  filter.first_column_ = static_cast<size_t>(first - table.columns.data());
  filter.op_ = relation.op;
  for (const Column& column : filter.columns_) {
    if (auto status = check_type(column, relation.op); !status) {
      return std::unexpected(std::move(status.error()));
    }
  }
  if (auto status = filter.bind_values(table, relation, markers); !status) {
    return std::unexpected(std::move(status.error()));
  }
  return filter;
}

cql::Status RowFilter::bind_values(const Table& table, const cql::Relation& relation,
                                   cql::MarkerSpecs& markers) {
  if (relation.left == cql::Relation::Left::kTuple) {
    auto choice = KeyChoice::bind(table, columns_, relation, markers);
    if (!choice) return std::unexpected(std::move(choice.error()));
    tuple_ = std::move(*choice);
    return {};
  }
  const Column& column = columns_.front();
  if (relation.in_marker) {
    in_marker_ = relation.values.front().marker;
    markers.declare(*in_marker_, {table.keyspace, table.name, fmt::format("in({})", column.name),
                                  protocol::ColumnType::list_of(column.type)});
    return {};
  }
  for (const cql::Term& value : relation.values) {
    auto term = cql::TypedTerm::bind(value, receiver_of(table, column), markers);
    if (!term) return std::unexpected(std::move(term.error()));
    terms_.push_back(std::move(*term));
  }
  return {};
}

cql::Result<BoundFilter> RowFilter::evaluate(const cql::Evaluation& evaluation) const {
  BoundFilter bound;
  bound.columns_ = columns_;
  bound.first_column_ = first_column_;
  bound.op_ = op_;
  cql::Status status;
  if (tuple_) {
    status = evaluate_tuple(evaluation, bound);
  } else if (in_marker_) {
    status = evaluate_list(evaluation, bound);
  } else {
    for (const cql::TypedTerm& term : terms_) {
      auto value = term.evaluate(evaluation);
      if (!value) return std::unexpected(std::move(value.error()));
      if (value->kind == Value::Kind::kBytes) {
        bound.values_.push_back(protocol::to_bytes(value->bytes));
      } else if (op_ != RelationOperator::kIn || value->kind == Value::Kind::kUnset) {
        return bad_value(*value, columns_.front());
      }
    }
  }
  if (!status) return std::unexpected(std::move(status.error()));
  return bound;
}

cql::Status RowFilter::evaluate_tuple(const cql::Evaluation& evaluation, BoundFilter& out) const {
  std::vector<protocol::ByteView> values;
  if (auto status = tuple_->evaluate(evaluation, values); !status) return status;
  for (const protocol::ByteView value : values) out.values_.push_back(protocol::to_bytes(value));
  return {};
}

cql::Status RowFilter::evaluate_list(const cql::Evaluation& evaluation, BoundFilter& out) const {
  const Value& bound = evaluation.values[*in_marker_];
  const Column& column = columns_.front();
  if (bound.kind != Value::Kind::kBytes) return bad_value(bound, column);
  auto elements = protocol::decode_list(bound.bytes);
  if (!elements) return cql::invalid(std::move(elements.error().message));
  for (const auto& element : *elements) {
    if (!element) continue;
    if (auto status = cql::check_value(column.type, *element, column.name); !status) return status;
    out.values_.push_back(protocol::to_bytes(*element));
  }
  return {};
}

}  // namespace cqlperf::server
