#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/strings.h"
#include "server/key_values.h"
#include "server/row_source_values.h"
#include "server/schema.h"

namespace cqlperf::server {

// A filter with the values of one execution, which it owns. The table outlives it.
class BoundFilter {
 public:
  // Null never matches.
  bool matches(const RowValues& row) const;

 private:
  friend class RowFilter;
  bool matches_one(const RowValues& row, std::span<const protocol::Bytes> values) const;

  std::span<const Column> columns_;
  size_t first_column_ = 0;  // position in the table
  cql::RelationOperator op_ = cql::RelationOperator::kEqual;
  std::vector<protocol::Bytes> values_ = {};  // for each alternative one for each column
};

// A condition of WHERE that no key and no index answers: it is judged row by row. Immutable.
class RowFilter {
 public:
  // `relation` is on one column of any kind or on a tuple of clustering columns, with =, IN or a
  // slice. Errors (0x2200) as Cassandra's. The table outlives it.
  static cql::Result<RowFilter> bind(const Table& table, const cql::Relation& relation,
                                     cql::MarkerSpecs& markers);

  // Errors (0x2200): null and unset values; null inside of an IN is ignored.
  cql::Result<BoundFilter> evaluate(const cql::Evaluation& evaluation) const;
  // Calls `visit` with the position in the table of each column that it reads.
  template <class Visit>
  void visit_columns(Visit visit) const {
    for (size_t index = 0; index < columns_.size(); ++index) visit(first_column_ + index);
  }

 private:
  cql::Status bind_values(const Table& table, const cql::Relation& relation,
                          cql::MarkerSpecs& markers);
  cql::Status evaluate_tuple(const cql::Evaluation& evaluation, BoundFilter& out) const;
  cql::Status evaluate_list(const cql::Evaluation& evaluation, BoundFilter& out) const;

  std::span<const Column> columns_;
  size_t first_column_ = 0;
  cql::RelationOperator op_ = cql::RelationOperator::kEqual;
  std::optional<KeyChoice> tuple_ = {};
  std::optional<uint16_t> in_marker_ = {};
  std::vector<cql::TypedTerm> terms_ = {};
};

}  // namespace cqlperf::server
