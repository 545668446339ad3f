#include "server/selection_expression.h"

#include <utility>

#include <fmt/format.h>

#include "core/buffer.h"
#include "protocol/identifiers.h"
#include "protocol/values.h"
#include "server/row_key.h"
#include "storage/token.h"

namespace cqlperf::server {
namespace {

using cql::Term;
using protocol::Value;

// The value of a bigint or int in the arena.
Value keep_number(core::Buffer&& bytes, const cql::Evaluation& evaluation) {
  return Value::of(evaluation.arena->keep(protocol::to_bytes(bytes.bytes())));
}

Value value_of(const std::optional<protocol::ByteView>& cell) {
  return cell ? Value::of(*cell) : Value::null();
}

bool has_own_type(const Term& term) {
  return term.kind == Term::Kind::kColumn || term.kind == Term::Kind::kFunction;
}

bool is_aggregate_name(std::string_view name) {
  for (const char* aggregate : {"count", "min", "max", "sum", "avg"}) {
    if (name == aggregate) return true;
  }
  return false;
}

}  // namespace

std::string_view function_name(std::string_view name) {
  constexpr std::string_view kKeyspace = "system.";
  return name.starts_with(kKeyspace) ? name.substr(kKeyspace.size()) : name;
}

cql::Result<const Column*> find_selected(const Table& table, std::string_view column) {
  if (const Column* found = table.find(column)) return found;
  return cql::invalid(fmt::format("Undefined column name {} in table {}",
                                  protocol::identifier_to_cql(column),
                                  protocol::table_to_cql(table.keyspace, table.name)));
}

cql::Status check_argument_count(std::string_view function, size_t required, size_t provided) {
  if (required == provided) return {};
  return cql::invalid(fmt::format(
      "Invalid number of arguments in call to function system.{}: {} required but {} provided",
      function, required, provided));
}

cql::Result<SelectionExpression> SelectionExpression::bind(const Term& term, const Table& table,
                                                           cql::MarkerSpecs& markers) {
  if (term.kind == Term::Kind::kColumn) return bind_column(term, table);
  if (term.kind != Term::Kind::kFunction) {
    const std::string text = term.kind == Term::Kind::kMarker ? "?" : term.text;
    return cql::invalid(fmt::format(
        "Cannot infer type for term {} in selection clause (try using a cast to force a type)",
        text));
  }
  const std::string_view name = function_name(term.text);
  if (name == "writetime" || name == "maxwritetime") {
    return bind_times(term, table, Kind::kWriteTime);
  }
  if (name == "ttl") return bind_times(term, table, Kind::kTtl);
  if (name == "token") return bind_token(term, table, markers);
  if (is_aggregate_name(name)) {
    return cql::unsupported(term.position, fmt::format("the aggregate {}()", name));
  }
  return bind_function(term, table, markers);
}

cql::Result<SelectionExpression> SelectionExpression::bind_column(const Term& term,
                                                                  const Table& table) {
  auto column = find_selected(table, term.text);
  if (!column) return std::unexpected(std::move(column.error()));
  return of_column(table, static_cast<size_t>(*column - table.columns.data()));
}

SelectionExpression SelectionExpression::of_column(const Table& table, size_t column) {
  SelectionExpression expression;
  expression.column_ = static_cast<uint16_t>(column);
  expression.type_ = table.columns[column].type;
  return expression;
}

cql::Result<SelectionExpression> SelectionExpression::bind_times(const Term& term,
                                                                 const Table& table, Kind kind) {
  const std::string_view name = function_name(term.text);
  if (auto status = check_argument_count(name, 1, term.items.size()); !status) {
    return std::unexpected(std::move(status.error()));
  }
  if (term.items[0].kind != Term::Kind::kColumn) {
    return cql::invalid(fmt::format("{}() takes the name of a column", name));
  }
  auto expression = bind_column(term.items[0], table);
  if (!expression) return expression;
  const Column& column = table.columns[expression->column_];
  if (column.kind != ColumnKind::kRegular) {
    return cql::invalid(
        fmt::format("Cannot use selection function {} on PRIMARY KEY part {}", name, column.name));
  }
  if (table.system != SystemTable::kNone) {
    return cql::unsupported(term.position, fmt::format("{}() of a system table", name));
  }
  expression->kind_ = kind;
  expression->type_ = protocol::ColumnType::of(kind == Kind::kTtl ? protocol::TypeId::kInt
                                                                  : protocol::TypeId::kBigint);
  return expression;
}

cql::Result<SelectionExpression> SelectionExpression::bind_token(const Term& term,
                                                                 const Table& table,
                                                                 cql::MarkerSpecs& markers) {
  if (auto status = check_argument_count("token", table.partition_key_size, term.items.size());
      !status) {
    return std::unexpected(std::move(status.error()));
  }
  SelectionExpression expression;
  expression.kind_ = Kind::kToken;
  expression.type_ = protocol::ColumnType::of(protocol::TypeId::kBigint);
  for (size_t index = 0; index < term.items.size(); ++index) {
    auto argument =
        bind_argument(term.items[index], table, table.columns[index].type,
                      fmt::format("argument {} of function system.token", index), markers);
    if (!argument) return argument;
    expression.arguments_.push_back(std::move(*argument));
  }
  return expression;
}

cql::Result<SelectionExpression> SelectionExpression::bind_function(const Term& term,
                                                                    const Table& table,
                                                                    cql::MarkerSpecs& markers) {
  SelectionExpression expression;
  expression.kind_ = Kind::kFunction;
  std::vector<cql::FunctionArgument> known;
  for (const Term& item : term.items) {
    if (!has_own_type(item)) {
      known.push_back(cql::FunctionArgument::of(item));
      continue;
    }
    auto argument = bind(item, table, markers);
    if (!argument) return argument;
    known.push_back(cql::FunctionArgument::of(argument->type_));
  }
  auto function = cql::resolve_function(term.text, known);
  if (!function) return std::unexpected(std::move(function.error()));
  expression.function_ = *function;
  expression.type_ = (*function)->result_type();
  for (size_t index = 0; index < term.items.size(); ++index) {
    auto argument = bind_argument(
        term.items[index], table, (*function)->argument_types()[index],
        fmt::format("argument {} of function system.{}", index, (*function)->name()), markers);
    if (!argument) return argument;
    expression.arguments_.push_back(std::move(*argument));
  }
  return expression;
}

cql::Result<SelectionExpression> SelectionExpression::bind_argument(
    const Term& term, const Table& table, const protocol::ColumnType& type, std::string_view place,
    cql::MarkerSpecs& markers) {
  if (has_own_type(term)) {
    auto expression = bind(term, table, markers);
    if (!expression || cql::is_value_compatible(type, expression->type_)) return expression;
    return cql::invalid(fmt::format("Type error: {} cannot be passed as {} of type {}", term.text,
                                    place, type.cql_name()));
  }
  auto bound =
      cql::TypedTerm::bind(term, {table.keyspace, table.name, "[selection]", type}, markers);
  if (!bound) return std::unexpected(std::move(bound.error()));
  SelectionExpression expression;
  expression.kind_ = Kind::kTerm;
  expression.type_ = type;
  expression.term_ = std::move(*bound);
  return expression;
}

bool SelectionExpression::needs_evaluation() const {
  return kind_ == Kind::kToken || kind_ == Kind::kFunction || kind_ == Kind::kTerm;
}

void SelectionExpression::append(core::Buffer& out, const RowValues& row, int64_t now_s) const {
  const auto& cell = row.columns[column_];
  if (!cell) return protocol::append_null(out);
  const CellTimes& times = row.times[column_];
  switch (kind_) {
    case Kind::kWriteTime:
      return protocol::append_bigint(out, times.written_us);
    case Kind::kTtl:
      if (times.expires_at_s == 0) return protocol::append_null(out);
      return protocol::append_int(out, static_cast<int32_t>(times.expires_at_s - now_s));
    default:
      return protocol::append_blob(out, *cell);
  }
}

cql::Result<Value> SelectionExpression::evaluate(const RowValues& row,
                                                 const cql::Evaluation& evaluation) const {
  switch (kind_) {
    case Kind::kColumn:
      return value_of(row.columns[column_]);
    case Kind::kToken:
      return evaluate_token(row, evaluation);
    case Kind::kTerm:
      return term_.evaluate(evaluation);
    case Kind::kFunction: {
      auto arguments = evaluate_arguments(row, evaluation);
      if (!arguments) return std::unexpected(std::move(arguments.error()));
      return function_->call(*arguments, evaluation);
    }
    case Kind::kWriteTime:
    case Kind::kTtl:
      break;
  }
  const auto& cell = row.columns[column_];
  const CellTimes& times = row.times[column_];
  if (!cell || (kind_ == Kind::kTtl && times.expires_at_s == 0)) return Value::null();
  core::Buffer number;
  if (kind_ == Kind::kWriteTime) {
    number.append_i64(times.written_us);
  } else {
    number.append_i32(static_cast<int32_t>(times.expires_at_s - evaluation.now_us / 1'000'000));
  }
  return keep_number(std::move(number), evaluation);
}

cql::Result<std::vector<Value>> SelectionExpression::evaluate_arguments(
    const RowValues& row, const cql::Evaluation& evaluation) const {
  std::vector<Value> values;
  values.reserve(arguments_.size());
  for (const SelectionExpression& argument : arguments_) {
    auto value = argument.evaluate(row, evaluation);
    if (!value) return std::unexpected(std::move(value.error()));
    values.push_back(*value);
  }
  return values;
}

cql::Result<Value> SelectionExpression::evaluate_token(const RowValues& row,
                                                       const cql::Evaluation& evaluation) const {
  auto arguments = evaluate_arguments(row, evaluation);
  if (!arguments) return std::unexpected(std::move(arguments.error()));
  core::Buffer routing;
  for (const Value& value : *arguments) {
    if (value.kind != Value::Kind::kBytes) return Value::null();
    if (value.bytes.size() > kKeySizeMax) return cql::invalid("token() of a key that is too long");
    if (arguments->size() == 1) {
      routing.append(value.bytes);
    } else {
      append_routing_part(routing, value.bytes);
    }
  }
  core::Buffer number;
  number.append_i64(storage::token_of(routing.bytes()));
  return keep_number(std::move(number), evaluation);
}

}  // namespace cqlperf::server
