#include "server/selection.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "protocol/values.h"

namespace cqlperf::server {
namespace {

using cql::Term;
using protocol::Value;

bool is_count(const cql::Selector& selector) {
  return selector.expression.kind == Term::Kind::kFunction &&
         function_name(selector.expression.text) == "count";
}

// count(*), count(1): any number counts rows.
bool is_star(const cql::Selector& selector) {
  const auto& items = selector.expression.items;
  return selector.star || (items.size() == 1 && items.front().kind == Term::Kind::kInteger);
}

}  // namespace

cql::Result<Selection> Selection::make(const cql::Select& statement, const Table& table,
                                       cql::MarkerSpecs& markers) {
  Selection selection;
  for (const cql::Selector& selector : statement.selectors) {
    auto output = bind_output(selector, table, markers);
    if (!output) return std::unexpected(std::move(output.error()));
    const auto bigint = protocol::ColumnType::of(protocol::TypeId::kBigint);
    selection.specs_.push_back({table.keyspace, table.name,
                                selector.alias.empty() ? selector.text : selector.alias,
                                output->is_count ? bigint : output->expression->type()});
    selection.outputs_.push_back(std::move(*output));
  }
  if (statement.selectors.empty()) selection.select_all(table);
  selection.summarize(table);
  return selection;
}

void Selection::select_all(const Table& table) {
  for (size_t index = 0; index < table.columns.size(); ++index) {
    const Column& column = table.columns[index];
    outputs_.push_back({false, SelectionExpression::of_column(table, index)});
    specs_.push_back({table.keyspace, table.name, column.name, column.type});
  }
}

cql::Result<Selection::Output> Selection::bind_output(const cql::Selector& selector,
                                                      const Table& table,
                                                      cql::MarkerSpecs& markers) {
  Output output;
  output.is_count = is_count(selector);
  if (output.is_count && is_star(selector)) return output;
  const Term* term = &selector.expression;
  if (output.is_count) {
    if (auto status = check_argument_count("count", 1, term->items.size()); !status) {
      return std::unexpected(std::move(status.error()));
    }
    term = &term->items.front();
  }
  auto expression = SelectionExpression::bind(*term, table, markers);
  if (!expression) return std::unexpected(std::move(expression.error()));
  output.expression = std::move(*expression);
  return output;
}

void Selection::summarize(const Table& table) {
  reads_.resize(table.columns.size());
  for (const Output& output : outputs_) {
    is_aggregate_ |= output.is_count;
    if (!output.expression) continue;
    needs_evaluation_ |= output.expression->needs_evaluation();
    output.expression->visit_columns([&](uint16_t column) { reads_[column] = true; });
  }
}

cql::Status Selection::append_row(core::Buffer& out, const RowValues& row,
                                  const cql::Evaluation& evaluation) const {
  const size_t start = out.size();
  for (const Output& output : outputs_) {
    if (!output.expression->needs_evaluation()) {
      output.expression->append(out, row, evaluation.now_us / 1'000'000);
      continue;
    }
    auto value = output.expression->evaluate(row, evaluation);
    if (!value) {
      out.truncate(start);
      return std::unexpected(std::move(value.error()));
    }
    if (value->kind == Value::Kind::kBytes) {
      protocol::append_blob(out, value->bytes);
    } else {
      protocol::append_null(out);
    }
  }
  return {};
}

Aggregation::Aggregation(const Selection& selection)
    : selection_(selection), states_(selection.outputs_.size()) {}

cql::Status Aggregation::add(const RowValues& row, const cql::Evaluation& evaluation) {
  for (size_t index = 0; index < states_.size(); ++index) {
    const Selection::Output& output = selection_.outputs_[index];
    State& state = states_[index];
    if (!output.expression) {
      ++state.count;
      continue;
    }
    if (!output.is_count && has_row_) continue;
    auto value = output.expression->evaluate(row, evaluation);
    if (!value) return std::unexpected(std::move(value.error()));
    if (value->kind != Value::Kind::kBytes) continue;
    if (output.is_count) {
      ++state.count;
    } else {
      state.first = protocol::to_bytes(value->bytes);
    }
  }
  has_row_ = true;
  return {};
}

void Aggregation::append_row(core::Buffer& out) const {
  for (size_t index = 0; index < states_.size(); ++index) {
    const State& state = states_[index];
    if (selection_.outputs_[index].is_count) {
      protocol::append_bigint(out, state.count);
    } else if (state.first) {
      protocol::append_blob(out, *state.first);
    } else {
      protocol::append_null(out);
    }
  }
}

}  // namespace cqlperf::server
