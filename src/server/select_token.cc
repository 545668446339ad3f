#include "server/select_token.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/buffer.h"
#include "protocol/values.h"
#include "server/row_key.h"
#include "server/selection_expression.h"
#include "storage/key.h"
#include "storage/token.h"

namespace cqlperf::server {
namespace {

using cql::RelationOperator;
using Limits = std::numeric_limits<int64_t>;

bool is_start(RelationOperator op) {
  return op == RelationOperator::kGreater || op == RelationOperator::kGreaterEqual;
}

std::string key_names(const Table& table) {
  std::vector<std::string_view> names;
  for (const Column& column : table.partition_key()) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

cql::Status check_columns(const Table& table, const cql::Relation& relation) {
  std::vector<std::string> key;
  for (const Column& column : table.partition_key()) key.push_back(column.name);
  if (relation.columns == key) return {};
  if (std::ranges::is_permutation(relation.columns, key)) {
    return cql::invalid(fmt::format(
        "The token function arguments must be in the partition key order: {}", key_names(table)));
  }
  return cql::invalid(
      "The token() function must be applied to all partition key components or none of them");
}

cql::Status check_operator(const cql::Relation& relation) {
  if (relation.op <= RelationOperator::kGreaterEqual && relation.op != RelationOperator::kNotEqual)
    return {};
  return cql::invalid(fmt::format("{} cannot be used with the token function",
                                  cql::relation_operator_name(relation.op)));
}

}  // namespace

storage::ScanRange TokenRange::keys() const {
  storage::ScanRange range;
  core::Buffer key;
  if (first != Limits::min()) {
    storage::append_token_start(key, first);
    range.lower = protocol::to_bytes(key.bytes());
    key.clear();
  }
  if (storage::append_token_end(key, last)) range.upper = protocol::to_bytes(key.bytes());
  return range;
}

cql::Result<TokenRestrictions> TokenRestrictions::bind(
    const Table& table, const std::vector<const cql::Relation*>& relations,
    cql::MarkerSpecs& markers) {
  TokenRestrictions restrictions;
  for (const cql::Relation* relation : relations) {
    if (auto status = restrictions.add(table, *relation, markers); !status) {
      return std::unexpected(std::move(status.error()));
    }
  }
  return restrictions;
}

cql::Status TokenRestrictions::add(const Table& table, const cql::Relation& relation,
                                   cql::MarkerSpecs& markers) {
  if (auto status = check_columns(table, relation); !status) return status;
  if (auto status = check_operator(relation); !status) return status;
  for (const Bound& bound : bounds_) {
    if (bound.op == RelationOperator::kEqual || relation.op == RelationOperator::kEqual) {
      return cql::invalid(fmt::format(
          "Columns \"{}\" cannot be restricted by both an equality and an inequality relation",
          key_names(table)));
    }
    if (is_start(bound.op) == is_start(relation.op)) {
      return cql::invalid(fmt::format("More than one restriction was found for the {} bound on {}",
                                      is_start(bound.op) ? "start" : "end", key_names(table)));
    }
  }
  auto bound = bind_value(table, relation.values.front(), markers);
  if (!bound) return std::unexpected(std::move(bound.error()));
  bound->op = relation.op;
  bounds_.push_back(std::move(*bound));
  return {};
}

cql::Result<TokenRestrictions::Bound> TokenRestrictions::bind_value(const Table& table,
                                                                    const cql::Term& value,
                                                                    cql::MarkerSpecs& markers) {
  Bound bound;
  if (value.kind != cql::Term::Kind::kFunction || function_name(value.text) != "token") {
    auto token = cql::TypedTerm::bind(value,
                                      {table.keyspace, table.name, "partition key token",
                                       protocol::ColumnType::of(protocol::TypeId::kBigint)},
                                      markers);
    if (!token) return std::unexpected(std::move(token.error()));
    bound.token = std::move(*token);
    return bound;
  }
  auto status = check_argument_count("token", table.partition_key_size, value.items.size());
  if (!status) return std::unexpected(std::move(status.error()));
  for (size_t index = 0; index < value.items.size(); ++index) {
    auto term =
        cql::TypedTerm::bind(value.items[index],
                             {table.keyspace, table.name, fmt::format("arg{}(system.token)", index),
                              table.columns[index].type},
                             markers);
    if (!term) return std::unexpected(std::move(term.error()));
    bound.key.push_back(std::move(*term));
  }
  return bound;
}

cql::Result<int64_t> TokenRestrictions::evaluate_bound(const Bound& bound,
                                                       const cql::Evaluation& evaluation) {
  const std::span<const cql::TypedTerm> terms(bound.key.empty() ? &bound.token : bound.key.data(),
                                              bound.key.empty() ? 1 : bound.key.size());
  core::Buffer routing;
  for (const cql::TypedTerm& term : terms) {
    auto value = term.evaluate(evaluation);
    if (!value) return std::unexpected(std::move(value.error()));
    if (value->kind == protocol::Value::Kind::kNull)
      return cql::invalid("Invalid null token value");
    if (value->kind == protocol::Value::Kind::kUnset) {
      return cql::invalid("Invalid unset value for token");
    }
    if (value->bytes.size() > kKeySizeMax) return cql::invalid("token() of a key that is too long");
    if (terms.size() > 1) {
      append_routing_part(routing, value->bytes);
    } else {
      routing.append(value->bytes);
    }
  }
  if (!bound.key.empty()) return storage::token_of(routing.bytes());
  auto token = protocol::decode_bigint(routing.bytes());
  if (!token) return cql::invalid("Invalid null token value");
  return *token;
}

cql::Result<TokenRange> TokenRestrictions::evaluate(const cql::Evaluation& evaluation) const {
  constexpr TokenRange kEmpty{1, 0};
  TokenRange range;
  for (const Bound& bound : bounds_) {
    auto token = evaluate_bound(bound, evaluation);
    if (!token) return std::unexpected(std::move(token.error()));
    if (bound.op == RelationOperator::kEqual) return TokenRange{*token, *token};
    if (is_start(bound.op)) {
      const bool is_strict = bound.op == RelationOperator::kGreater;
      if (is_strict && *token == Limits::max()) return kEmpty;
      range.first = *token + (is_strict ? 1 : 0);
    } else if (*token != Limits::min()) {
      range.last = *token - (bound.op == RelationOperator::kLess ? 1 : 0);
    }
  }
  return range;
}

}  // namespace cqlperf::server
