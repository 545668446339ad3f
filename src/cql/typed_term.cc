#include "cql/typed_term.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "cql/functions.h"
#include "cql/values.h"

namespace cqlperf::cql {
namespace {

using protocol::Value;

// No function has more arguments.
constexpr size_t kArgumentsMax = 4;

std::unexpected<protocol::ErrorMessage> not_a_term(const Term& term) {
  return syntax_error(term.position, fmt::format("no viable alternative at input '{}'", term.text));
}

Result<const ScalarFunction*> resolve(const Term& call);

// What is known of the argument of a call. The parser bounds how deep calls are nested.
Result<FunctionArgument> argument_of(const Term& term) {
  if (term.kind == Term::Kind::kColumn) return not_a_term(term);
  if (term.kind != Term::Kind::kFunction) return FunctionArgument::of(term);
  auto inner = resolve(term);
  if (!inner) return std::unexpected(std::move(inner.error()));
  return FunctionArgument::of((*inner)->result_type());
}

Result<const ScalarFunction*> resolve(const Term& call) {
  if (!is_scalar_function(call.text)) {
    return invalid(fmt::format("Unknown function {} called", call.text));
  }
  std::vector<FunctionArgument> arguments;
  for (const Term& item : call.items) {
    auto argument = argument_of(item);
    if (!argument) return std::unexpected(std::move(argument.error()));
    arguments.push_back(std::move(*argument));
  }
  return resolve_function(call.text, arguments);
}

}  // namespace

protocol::ByteView Arena::keep(protocol::Bytes bytes) {
  kept_.push_back(std::make_unique<protocol::Bytes>(std::move(bytes)));
  return *kept_.back();
}

MarkerSpecs::MarkerSpecs(const std::vector<Marker>& markers)
    : markers_(markers), specs_(markers.size()) {}

void MarkerSpecs::declare(uint16_t marker, protocol::ColumnSpec spec) {
  CQLPERF_CHECK(marker < specs_.size(), "a marker that the statement does not have");
  if (!markers_[marker].name.empty()) spec.name = markers_[marker].name;
  specs_[marker] = std::move(spec);
}

TypedTerm TypedTerm::constant(protocol::Bytes bytes) {
  TypedTerm term;
  term.constant_ = std::move(bytes);
  return term;
}

Result<TypedTerm> TypedTerm::bind(const Term& term, const protocol::ColumnSpec& receiver,
                                  MarkerSpecs& markers) {
  switch (term.kind) {
    case Term::Kind::kNull:
      if (receiver.type.id != protocol::TypeId::kCounter) return null();
      return invalid("Invalid null value for counter increment/decrement");
    case Term::Kind::kMarker: {
      markers.declare(term.marker, receiver);
      TypedTerm bound;
      bound.kind_ = Kind::kMarker;
      bound.marker_ = term.marker;
      bound.type_ = receiver.type;
      bound.receiver_ = receiver.name;
      return bound;
    }
    case Term::Kind::kFunction:
      return bind_function(term, receiver, markers);
    case Term::Kind::kColumn:
      return not_a_term(term);
    default:
      break;
  }
  // `(1)` is 1.
  if (term.kind == Term::Kind::kTuple && term.items.size() == 1) {
    return bind(term.items.front(), receiver, markers);
  }
  auto bytes = literal_to_bytes(term, receiver.type, receiver.name);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return constant(std::move(*bytes));
}

Result<TypedTerm> TypedTerm::bind_function(const Term& term, const protocol::ColumnSpec& receiver,
                                           MarkerSpecs& markers) {
  auto function = resolve(term);
  if (!function) return std::unexpected(std::move(function.error()));
  if (!is_value_compatible(receiver.type, (*function)->result_type())) {
    return invalid(fmt::format(
        "Type error: cannot assign result of function system.{} (type {}) to {} (type {})",
        (*function)->name(), (*function)->result_type().cql_name(), receiver.name,
        receiver.type.cql_name()));
  }
  TypedTerm bound;
  bound.kind_ = Kind::kFunction;
  bound.function_ = *function;
  bound.type_ = receiver.type;
  bound.receiver_ = receiver.name;
  for (size_t i = 0; i < term.items.size(); ++i) {
    auto argument = bind(term.items[i], (*function)->argument_spec(i), markers);
    if (!argument) return std::unexpected(std::move(argument.error()));
    bound.arguments_.push_back(std::move(*argument));
  }
  return bound;
}

Result<Value> TypedTerm::evaluate(const Evaluation& evaluation) const {
  switch (kind_) {
    case Kind::kMarker:
      return evaluate_marker(evaluation);
    case Kind::kFunction:
      return evaluate_function(evaluation);
    case Kind::kConstant:
      break;
  }
  return constant_ ? Value::of(*constant_) : Value::null();
}

Result<Value> TypedTerm::evaluate_marker(const Evaluation& evaluation) const {
  if (marker_ >= evaluation.values.size()) return invalid("Invalid amount of bind variables");
  const Value& value = evaluation.values[marker_];
  if (value.kind == Value::Kind::kBytes) {
    if (auto status = check_value(type_, value.bytes, receiver_); !status) [[unlikely]] {
      return std::unexpected(std::move(status.error()));
    }
  }
  return value;
}

Result<Value> TypedTerm::evaluate_function(const Evaluation& evaluation) const {
  CQLPERF_CHECK(arguments_.size() <= kArgumentsMax, "a function of so many arguments");
  std::array<Value, kArgumentsMax> values;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    auto value = arguments_[i].evaluate(evaluation);
    if (!value) return value;
    values[i] = *value;
  }
  auto result =
      function_->call(ScalarFunction::Values(values).first(arguments_.size()), evaluation);
  // A type that takes the values of another may not take its empty one: date and int.
  const bool must_check =
      result && result->kind == Value::Kind::kBytes && type_ != function_->result_type();
  if (!must_check) return result;
  if (auto status = check_value(type_, result->bytes, receiver_); !status)
    return std::unexpected(std::move(status.error()));
  return result;
}

}  // namespace cqlperf::cql
