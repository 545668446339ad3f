#include "server/select_relations.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cqlperf::server {
namespace {

using cql::Relation;
using cql::RelationOperator;
using protocol::TypeId;

bool is_slice(const Relation& relation) {
  return relation.op >= RelationOperator::kLess && relation.op <= RelationOperator::kGreaterEqual;
}

bool is_start(const Relation& relation) {
  return relation.op == RelationOperator::kGreater ||
         relation.op == RelationOperator::kGreaterEqual;
}

// `k`, `(a, b)`, `token(a, b)`.
std::string left_text(const Relation& relation) {
  const std::string names = fmt::format("{}", fmt::join(relation.columns, ", "));
  switch (relation.left) {
    case Relation::Left::kColumn:
      return names;
    case Relation::Left::kToken:
      return fmt::format("token({})", names);
    case Relation::Left::kTuple:
      break;
  }
  return fmt::format("({})", names);
}

cql::Status check_contains(const Table& table, const Relation& relation) {
  const Column& column = *table.find(relation.columns.front());
  const bool is_map = column.type.id == TypeId::kMap;
  if (relation.op == RelationOperator::kContainsKey && !is_map) {
    return cql::invalid(fmt::format("Cannot use CONTAINS KEY on non-map column {}", column.name));
  }
  if (!is_map && column.type.id != TypeId::kList && column.type.id != TypeId::kSet) {
    return cql::invalid(
        fmt::format("Cannot use CONTAINS on non-collection column {}", column.name));
  }
  return cql::unsupported(relation.position, "CONTAINS");
}

cql::Status check_operator(const Table& table, const Relation& relation) {
  switch (relation.op) {
    case RelationOperator::kNotEqual:
      return cql::invalid(fmt::format("Unsupported \"!=\" relation: {} != …", left_text(relation)));
    case RelationOperator::kIsNotNull:
      return cql::invalid(
          fmt::format("Unsupported restriction: {} IS NOT NULL", left_text(relation)));
    case RelationOperator::kLike:
      return cql::invalid(fmt::format(
          "LIKE restriction is only supported on properly indexed columns. {} LIKE … is "
          "not valid.",
          left_text(relation)));
    case RelationOperator::kContains:
    case RelationOperator::kContainsKey:
      return check_contains(table, relation);
    default:
      return {};
  }
}

// `first` comes first in the text, and both are on `column`.
cql::Status check_pair(const Relation& first, const Relation& second, const std::string& column) {
  if (!is_slice(first)) {
    return cql::invalid(fmt::format(
        "{} cannot be restricted by more than one relation if it includes an Equal", column));
  }
  if (!is_slice(second)) {
    return cql::invalid(fmt::format(
        "Column \"{}\" cannot be restricted by both an equality and an inequality relation",
        column));
  }
  if (is_start(first) == is_start(second)) {
    return cql::invalid(fmt::format("More than one restriction was found for the {} bound on {}",
                                    is_start(first) ? "start" : "end", column));
  }
  return {};
}

}  // namespace

std::vector<Relation> simplify_relations(std::span<const Relation> where) {
  std::vector<Relation> relations(where.begin(), where.end());
  for (Relation& relation : relations) {
    const bool is_one_value =
        relation.op == RelationOperator::kIn && !relation.in_marker && relation.values.size() == 1;
    if (is_one_value) relation.op = RelationOperator::kEqual;
  }
  return relations;
}

cql::Status check_relations(const Table& table, std::span<const Relation> where) {
  for (size_t index = 0; index < where.size(); ++index) {
    const Relation& relation = where[index];
    if (auto status = check_operator(table, relation); !status) return status;
    if (relation.left == Relation::Left::kToken) continue;
    for (const Relation& earlier : where.first(index)) {
      if (earlier.left == Relation::Left::kToken) continue;
      for (const std::string& column : relation.columns) {
        if (std::ranges::find(earlier.columns, column) == earlier.columns.end()) continue;
        if (auto status = check_pair(earlier, relation, column); !status) return status;
      }
    }
  }
  return {};
}

std::vector<uint16_t> partition_key_markers(const Table& table, std::span<const Relation> where) {
  std::vector<uint16_t> markers;
  for (const Column& column : table.partition_key()) {
    const auto relation = std::ranges::find_if(where, [&](const Relation& candidate) {
      return candidate.left == Relation::Left::kColumn &&
             candidate.op == RelationOperator::kEqual && candidate.columns.front() == column.name &&
             candidate.values.front().kind == cql::Term::Kind::kMarker;
    });
    if (relation == where.end()) return {};
    markers.push_back(relation->values.front().marker);
  }
  return markers;
}

}  // namespace cqlperf::server
