#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "server/schema.h"
#include "storage/engine.h"

namespace cqlperf::server {

// Tokens from first to last, both included; empty when first is above last.
struct TokenRange {
  int64_t first = std::numeric_limits<int64_t>::min();
  int64_t last = std::numeric_limits<int64_t>::max();

  bool is_empty() const { return first > last; }
  bool contains(int64_t token) const { return first <= token && token <= last; }
  // The keys of a table's store that have such tokens. Not for an empty range.
  storage::ScanRange keys() const;
};

// token(a, b) > ? AND token(a, b) <= ?. Immutable.
class TokenRestrictions {
 public:
  // Errors (0x2200) as Cassandra's. Without relations it is empty().
  static cql::Result<TokenRestrictions> bind(const Table& table,
                                             const std::vector<const cql::Relation*>& relations,
                                             cql::MarkerSpecs& markers);

  bool empty() const { return bounds_.empty(); }
  // Errors (0x2200): null and unset values. An upper bound of the smallest token is none, as in
  // Cassandra.
  cql::Result<TokenRange> evaluate(const cql::Evaluation& evaluation) const;

 private:
  struct Bound {
    cql::RelationOperator op = cql::RelationOperator::kEqual;
    cql::TypedTerm token = {};             // a bigint, or
    std::vector<cql::TypedTerm> key = {};  // token(…) of these values
  };

  cql::Status add(const Table& table, const cql::Relation& relation, cql::MarkerSpecs& markers);
  static cql::Result<Bound> bind_value(const Table& table, const cql::Term& value,
                                       cql::MarkerSpecs& markers);
  static cql::Result<int64_t> evaluate_bound(const Bound& bound, const cql::Evaluation& evaluation);

  std::vector<Bound> bounds_ = {};
};

}  // namespace cqlperf::server
