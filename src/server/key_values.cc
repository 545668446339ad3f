#include "server/key_values.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/byte_reader.h"
#include "cql/values.h"
#include "protocol/types.h"
#include "protocol/values.h"
#include "storage/token.h"

namespace cqlperf::server {
namespace {

using cql::Relation;
using cql::RelationOperator;

bool is_in_or_equal(const Relation& relation) {
  return relation.op == RelationOperator::kEqual || relation.op == RelationOperator::kIn;
}

std::string names_of(std::span<const Column> columns, std::string_view separator) {
  std::vector<std::string_view> names;
  for (const Column& column : columns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, separator));
}

cql::Result<const Column*> find_column(const Table& table, const std::string& name) {
  if (const Column* column = table.find(name)) return column;
  return cql::invalid(
      fmt::format("Undefined column name {} in table {}.{}", name, table.keyspace, table.name));
}

// The columns of (a, b): clustering columns that follow each other.
cql::Status check_tuple(const Table& table, const Relation& relation) {
  const Column* previous = nullptr;
  for (const std::string& name : relation.columns) {
    auto column = find_column(table, name);
    if (!column) return std::unexpected(std::move(column.error()));
    if ((*column)->kind != ColumnKind::kClustering) {
      return cql::invalid(fmt::format(
          "Multi-column relations can only be applied to clustering columns but was applied to: {}",
          name));
    }
    if (std::ranges::count(relation.columns, name) > 1) {
      return cql::invalid(fmt::format("Column \"{}\" appeared twice in a relation: ({}) {} ...",
                                      name, fmt::join(relation.columns, ", "),
                                      cql::relation_operator_name(relation.op)));
    }
    if (previous != nullptr && (*column)->position != previous->position + 1) {
      return cql::invalid(fmt::format(
          "Clustering columns must appear in the PRIMARY KEY order in multi-column relations: "
          "({}) {} ...",
          fmt::join(relation.columns, ", "), cql::relation_operator_name(relation.op)));
    }
    previous = *column;
  }
  return {};
}

cql::Status add_to(SplitWhere& split, const Table& table, const Relation& relation) {
  if (relation.left == Relation::Left::kTuple) {
    if (auto status = check_tuple(table, relation); !status) return status;
    split.clustering.push_back(&relation);
    return {};
  }
  Relations* into = &split.others;
  for (const std::string& name : relation.columns) {
    auto column = find_column(table, name);
    if (!column) return std::unexpected(std::move(column.error()));
    if (relation.left == Relation::Left::kToken) continue;
    if ((*column)->kind == ColumnKind::kPartitionKey) into = &split.partition_key;
    if ((*column)->kind == ColumnKind::kClustering) into = &split.clustering;
  }
  into->push_back(&relation);
  return {};
}

// The type and name of a marker that stands for a whole tuple.
protocol::ColumnSpec tuple_receiver(const Table& table, std::span<const Column> columns) {
  std::vector<protocol::ColumnType> types;
  for (const Column& column : columns) types.push_back(column.type);
  return {table.keyspace, table.name, fmt::format("({})", names_of(columns, ",")),
          protocol::ColumnType::tuple_of(std::move(types))};
}

// The same for the marker of IN ?.
protocol::ColumnSpec in_receiver(const Table& table, std::span<const Column> columns,
                                 bool is_tuple) {
  protocol::ColumnSpec element =
      is_tuple ? tuple_receiver(table, columns) : receiver_of(table, columns.front());
  return {table.keyspace, table.name, fmt::format("in({})", names_of(columns, ",")),
          protocol::ColumnType::list_of(std::move(element.type))};
}

cql::Result<protocol::ByteView> check_bound(const protocol::Value& value,
                                            std::span<const Column> columns) {
  using Kind = protocol::Value::Kind;
  if (value.kind == Kind::kBytes) return value.bytes;
  return cql::invalid(
      fmt::format("Invalid {} value for {} {}", value.kind == Kind::kUnset ? "unset" : "null",
                  columns.size() > 1 ? "columns" : "column", names_of(columns, ", ")));
}

cql::Status add_element(const std::optional<protocol::ByteView>& element, const Column& column,
                        std::vector<protocol::ByteView>& out) {
  if (!element) {
    return cql::invalid(fmt::format("Invalid null value in condition for column {}", column.name));
  }
  out.push_back(*element);
  return cql::check_value(column.type, *element, column.name);
}

// The elements of a tuple value. Those that are left out at its end are null.
cql::Status add_tuple(protocol::ByteView tuple, std::span<const Column> columns,
                      std::vector<protocol::ByteView>& out) {
  core::ByteReader in(tuple);
  for (const Column& column : columns) {
    std::optional<protocol::ByteView> element;
    if (in.remaining() > 0) element = protocol::read_bytes(in);
    if (!in.ok()) break;
    if (auto status = add_element(element, column, out); !status) return status;
  }
  if (in.finished()) return {};
  return cql::invalid(fmt::format("Expected a tuple of {} values for ({}), its {} bytes are none",
                                  columns.size(), names_of(columns, ", "), tuple.size()));
}

cql::Result<std::vector<cql::TypedTerm>> bind_tuple(const Table& table,
                                                    std::span<const Column> columns,
                                                    std::span<const cql::Term> items,
                                                    cql::MarkerSpecs& markers) {
  if (items.size() != columns.size()) {
    return cql::invalid(fmt::format("Expected {} elements in value tuple, but got {}",
                                    columns.size(), items.size()));
  }
  std::vector<cql::TypedTerm> terms;
  for (size_t index = 0; index < items.size(); ++index) {
    auto term = cql::TypedTerm::bind(items[index], receiver_of(table, columns[index]), markers);
    if (!term) return std::unexpected(std::move(term.error()));
    terms.push_back(std::move(*term));
  }
  return terms;
}

std::unexpected<protocol::ErrorMessage> too_many_combinations() {
  return cql::invalid(fmt::format(
      "The IN restrictions of this statement select more than {} keys: use fewer values",
      kKeyCombinationsMax));
}

std::unexpected<protocol::ErrorMessage> restricted_twice(const Column& column,
                                                         const Relation& relation) {
  return cql::invalid(
      fmt::format("{} cannot be restricted by more than one relation if it includes {}",
                  column.name, relation.op == RelationOperator::kIn ? "a IN" : "an Equal"));
}

}  // namespace

cql::Result<SplitWhere> split_where(const Table& table, std::span<const Relation> where) {
  SplitWhere split;
  for (const Relation& relation : where) {
    if (auto status = add_to(split, table, relation); !status) {
      return std::unexpected(std::move(status.error()));
    }
  }
  return split;
}

cql::Result<KeyChoice> KeyChoice::bind(const Table& table, std::span<const Column> columns,
                                       const Relation& relation, cql::MarkerSpecs& markers) {
  KeyChoice choice;
  choice.columns_ = columns;
  choice.is_single_ = relation.op != RelationOperator::kIn;
  choice.is_tuple_ = relation.left == Relation::Left::kTuple;
  if (relation.in_marker) {
    choice.marker_ = relation.values.front().marker;
    markers.declare(*choice.marker_, in_receiver(table, columns, choice.is_tuple_));
    return choice;
  }
  for (const cql::Term& value : relation.values) {
    if (choice.is_tuple_ && value.kind == cql::Term::Kind::kMarker) {
      markers.declare(value.marker, tuple_receiver(table, columns));
      choice.tuple_markers_.emplace_back(value.marker);
      choice.alternatives_.emplace_back();
      continue;
    }
    const bool has_items = choice.is_tuple_ && value.kind == cql::Term::Kind::kTuple;
    auto terms = bind_tuple(
        table, columns,
        has_items ? std::span<const cql::Term>(value.items) : std::span<const cql::Term>(&value, 1),
        markers);
    if (!terms) return std::unexpected(std::move(terms.error()));
    choice.tuple_markers_.emplace_back();
    choice.alternatives_.push_back(std::move(*terms));
  }
  return choice;
}

const cql::TypedTerm* KeyChoice::single_term(size_t column) const {
  if (!is_single_ || marker_ || tuple_markers_.front()) return nullptr;
  return &alternatives_.front()[column];
}

cql::Status KeyChoice::evaluate(const cql::Evaluation& evaluation,
                                std::vector<protocol::ByteView>& out) const {
  if (marker_) return evaluate_marker(evaluation, out);
  for (size_t index = 0; index < alternatives_.size(); ++index) {
    if (tuple_markers_[index]) {
      auto tuple = check_bound(evaluation.values[*tuple_markers_[index]], columns_);
      if (!tuple) return std::unexpected(std::move(tuple.error()));
      if (auto status = add_tuple(*tuple, columns_, out); !status) return status;
      continue;
    }
    for (size_t column = 0; column < columns_.size(); ++column) {
      auto value = evaluate_key_value(alternatives_[index][column], evaluation, columns_[column]);
      if (!value) return std::unexpected(std::move(value.error()));
      out.push_back(*value);
    }
  }
  return {};
}

cql::Status KeyChoice::evaluate_marker(const cql::Evaluation& evaluation,
                                       std::vector<protocol::ByteView>& out) const {
  auto bound = check_bound(evaluation.values[*marker_], columns_);
  if (!bound) return std::unexpected(std::move(bound.error()));
  auto elements = protocol::decode_list(*bound);
  if (!elements) return cql::invalid(std::move(elements.error().message));
  for (const auto& element : *elements) {
    auto status = is_tuple_ && element ? add_tuple(*element, columns_, out)
                                       : add_element(element, columns_.front(), out);
    if (!status) return status;
  }
  return {};
}

cql::Result<PartitionKeyRestrictions> PartitionKeyRestrictions::bind(const Table& table,
                                                                     const Relations& relations,
                                                                     cql::MarkerSpecs& markers) {
  PartitionKeyRestrictions restrictions;
  restrictions.columns_ = table.partition_key();
  restrictions.choices_.resize(table.partition_key_size);
  for (const Relation* relation : relations) {
    const Column& column = *table.find(relation->columns.front());
    if (!is_in_or_equal(*relation)) {
      return cql::invalid(
          "Only EQ and IN relation are supported on the partition key (unless you use the token() "
          "function)");
    }
    auto& choice = restrictions.choices_[static_cast<size_t>(column.position)];
    if (choice) return restricted_twice(column, *relation);
    auto bound = KeyChoice::bind(table, std::span(&column, 1), *relation, markers);
    if (!bound) return std::unexpected(std::move(bound.error()));
    choice = std::move(*bound);
  }
  return restrictions;
}

std::string PartitionKeyRestrictions::missing() const {
  std::vector<std::string_view> names;
  for (size_t index = 0; index < choices_.size(); ++index) {
    if (!choices_[index]) names.push_back(columns_[index].name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool PartitionKeyRestrictions::is_single() const {
  return std::ranges::all_of(choices_,
                             [](const auto& choice) { return !choice || choice->is_single(); });
}

std::vector<cql::TypedTerm> PartitionKeyRestrictions::single_terms() const {
  std::vector<cql::TypedTerm> terms;
  for (const auto& choice : choices_) terms.push_back(*choice->single_term(0));
  return terms;
}

std::vector<uint16_t> PartitionKeyRestrictions::markers() const {
  std::vector<uint16_t> markers;
  for (const auto& choice : choices_) {
    const cql::TypedTerm* term = choice ? choice->single_term(0) : nullptr;
    if (term == nullptr || !term->is_marker()) return {};
    markers.push_back(term->marker());
  }
  return markers;
}

namespace {

// Appends to each of `keys` each of the values, as routing parts.
cql::Status multiply(std::vector<protocol::Bytes>& keys, std::span<const protocol::ByteView> values,
                     bool is_composite) {
  if (keys.size() * values.size() > kKeyCombinationsMax) return too_many_combinations();
  std::vector<protocol::Bytes> longer;
  core::Buffer key;
  for (const protocol::Bytes& prefix : keys) {
    for (const protocol::ByteView value : values) {
      if (value.size() > kKeySizeMax) return check_routing_key(value);
      key.clear();
      key.append(protocol::ByteView(prefix));
      if (is_composite) {
        append_routing_part(key, value);
      } else {
        key.append(value);
      }
      longer.push_back(protocol::to_bytes(key.bytes()));
    }
  }
  keys = std::move(longer);
  return {};
}

}  // namespace

cql::Status PartitionKeyRestrictions::evaluate(const cql::Evaluation& evaluation,
                                               std::vector<PartitionKey>& out) const {
  std::vector<protocol::Bytes> keys(1);
  std::vector<protocol::ByteView> values;
  for (const auto& choice : choices_) {
    values.clear();
    if (auto status = choice->evaluate(evaluation, values); !status) return status;
    if (auto status = multiply(keys, values, choices_.size() > 1); !status) return status;
  }
  out.clear();
  for (protocol::Bytes& key : keys) {
    if (auto status = check_routing_key(key); !status) return status;
    const int64_t token = storage::token_of(key);
    out.push_back({token, std::move(key)});
  }
  std::ranges::sort(out, [](const PartitionKey& left, const PartitionKey& right) {
    return std::tie(left.token, left.routing) < std::tie(right.token, right.routing);
  });
  out.erase(std::ranges::unique(out).begin(), out.end());
  return {};
}

}  // namespace cqlperf::server
