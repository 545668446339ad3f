#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cql/error.h"
#include "cql/functions.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/query_parameters.h"
#include "server/row_source_values.h"
#include "server/schema.h"

namespace cqlperf::server {

// What a selector computes from a row: a column, its times, a token, a function of such. Immutable;
// threads may share it.
class SelectionExpression {
 public:
  // Errors (0x2200) as Cassandra's: unknown columns and functions, arguments that do not fit,
  // literals whose type nothing says, times of key columns, aggregates inside of other functions.
  static cql::Result<SelectionExpression> bind(const cql::Term& term, const Table& table,
                                               cql::MarkerSpecs& markers);

  // The column at that position of the table.
  static SelectionExpression of_column(const Table& table, size_t column);

  const protocol::ColumnType& type() const { return type_; }
  bool is_column() const { return kind_ == Kind::kColumn; }
  // The position in the table of the column that is_column() says, or whose times are taken.
  uint16_t column() const { return column_; }
  // False when it cannot fail and needs nothing of the execution but its time: columns and times.
  bool needs_evaluation() const;
  // Calls `visit` with the position in the table of each column that it reads.
  template <class Visit>
  void visit_columns(Visit visit) const {
    if (kind_ == Kind::kColumn || kind_ == Kind::kWriteTime || kind_ == Kind::kTtl) visit(column_);
    for (const SelectionExpression& argument : arguments_) argument.visit_columns(visit);
  }

  // Appends the [value] when !needs_evaluation().
  void append(core::Buffer& out, const RowValues& row, int64_t now_s) const;
  // The value for the row: bytes or null. Views the row, the arena or a constant.
  cql::Result<protocol::Value> evaluate(const RowValues& row,
                                        const cql::Evaluation& evaluation) const;

 private:
  enum class Kind : uint8_t { kColumn, kWriteTime, kTtl, kToken, kFunction, kTerm };

  static cql::Result<SelectionExpression> bind_column(const cql::Term& term, const Table& table);
  static cql::Result<SelectionExpression> bind_times(const cql::Term& term, const Table& table,
                                                     Kind kind);
  static cql::Result<SelectionExpression> bind_token(const cql::Term& term, const Table& table,
                                                     cql::MarkerSpecs& markers);
  static cql::Result<SelectionExpression> bind_function(const cql::Term& term, const Table& table,
                                                        cql::MarkerSpecs& markers);
  // An argument whose type is known: a column or function must fit it, else it is bound to it.
  static cql::Result<SelectionExpression> bind_argument(const cql::Term& term, const Table& table,
                                                        const protocol::ColumnType& type,
                                                        std::string_view place,
                                                        cql::MarkerSpecs& markers);
  cql::Result<protocol::Value> evaluate_token(const RowValues& row,
                                              const cql::Evaluation& evaluation) const;
  cql::Result<std::vector<protocol::Value>> evaluate_arguments(
      const RowValues& row, const cql::Evaluation& evaluation) const;

  Kind kind_ = Kind::kColumn;
  uint16_t column_ = 0;
  protocol::ColumnType type_ = {};
  const cql::ScalarFunction* function_ = nullptr;
  cql::TypedTerm term_ = {};
  std::vector<SelectionExpression> arguments_ = {};
};

// `name` without `system.` in front.
std::string_view function_name(std::string_view name);
// 0x2200 for a column that the table does not have.
cql::Result<const Column*> find_selected(const Table& table, std::string_view column);
// 0x2200 when a function is given another number of arguments.
cql::Status check_argument_count(std::string_view function, size_t required, size_t provided);

}  // namespace cqlperf::server
