#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/buffer.h"
#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/metadata.h"
#include "server/row_source_values.h"
#include "server/schema.h"
#include "server/selection_expression.h"

namespace cqlperf::server {

// What SELECT names: how a row becomes cells of the result. Immutable; threads may share it.
class Selection {
 public:
  // Errors (0x2200) as Cassandra's, and for aggregates other than count.
  static cql::Result<Selection> make(const cql::Select& statement, const Table& table,
                                     cql::MarkerSpecs& markers);

  const std::vector<protocol::ColumnSpec>& specs() const { return specs_; }
  // With count() there is one row of result for all rows.
  bool is_aggregate() const { return is_aggregate_; }
  // False when append_row() cannot fail and needs no bound values.
  bool needs_evaluation() const { return needs_evaluation_; }
  // Whether it reads the column at that position of the table.
  bool reads(size_t column) const { return reads_[column]; }

  // Appends the cells of one row. Only when neither is_aggregate() nor needs_evaluation().
  void append_plain_row(core::Buffer& out, const RowValues& row, int64_t now_s) const {
    for (const Output& output : outputs_) output.expression->append(out, row, now_s);
  }
  // The same for any selection that is no aggregate. On an error `out` is as it was.
  cql::Status append_row(core::Buffer& out, const RowValues& row,
                         const cql::Evaluation& evaluation) const;

 private:
  friend class Aggregation;
  struct Output {
    bool is_count = false;
    std::optional<SelectionExpression> expression = {};  // none: count(*)
  };

  static cql::Result<Output> bind_output(const cql::Selector& selector, const Table& table,
                                         cql::MarkerSpecs& markers);
  void select_all(const Table& table);
  void summarize(const Table& table);

  std::vector<protocol::ColumnSpec> specs_ = {};
  std::vector<Output> outputs_ = {};
  std::vector<bool> reads_ = {};
  bool is_aggregate_ = false;
  bool needs_evaluation_ = false;
};

// The one row of an aggregate while its rows go by. What is not counted is that of the first row,
// as in Cassandra. One owner.
class Aggregation {
 public:
  // The selection outlives it.
  explicit Aggregation(const Selection& selection);

  cql::Status add(const RowValues& row, const cql::Evaluation& evaluation);
  void append_row(core::Buffer& out) const;

 private:
  struct State {
    int64_t count = 0;
    std::optional<protocol::Bytes> first = {};
  };

  const Selection& selection_;
  std::vector<State> states_;  // by output
  bool has_row_ = false;
};

}  // namespace cqlperf::server
