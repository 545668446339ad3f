#include "cql/functions.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/byte_reader.h"
#include "core/check.h"
#include "cql/function_bodies.h"
#include "cql/literal_kind.h"
#include "cql/literal_time.h"

namespace cqlperf::cql {
namespace {

using protocol::ColumnType;
using protocol::TypeId;
using Registry = std::multimap<std::string, ScalarFunction, std::less<>>;

// All but blob itself.
constexpr TypeId kBlobFamily[] = {
    TypeId::kAscii,   TypeId::kBigint,   TypeId::kBoolean,  TypeId::kCounter,   TypeId::kDate,
    TypeId::kDecimal, TypeId::kDouble,   TypeId::kDuration, TypeId::kFloat,     TypeId::kInet,
    TypeId::kInt,     TypeId::kSmallint, TypeId::kTime,     TypeId::kTimestamp, TypeId::kTimeuuid,
    TypeId::kTinyint, TypeId::kUuid,     TypeId::kVarchar,  TypeId::kVarint,
};

std::string_view without_system(std::string_view name) {
  constexpr std::string_view kPrefix = "system.";
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

void add(Registry& registry, const char* name, std::vector<TypeId> arguments, TypeId result,
         ScalarFunction::Body body) {
  registry.emplace(name, ScalarFunction(name, std::move(arguments), result, body));
}

// Each under its name since 5.0 and under the one before.
void add_blob_family(Registry& registry, TypeId type, const std::string& name) {
  for (const std::string& to_blob : {name + "_as_blob", name + "asblob"}) {
    add(registry, to_blob.c_str(), {type}, TypeId::kBlob, functions::same_bytes);
  }
  for (const std::string& from_blob : {"blob_as_" + name, "blobas" + name}) {
    add(registry, from_blob.c_str(), {TypeId::kBlob}, type, functions::checked_bytes);
  }
}

void add_clocks(Registry& registry) {
  add(registry, "now", {}, TypeId::kTimeuuid, functions::now);
  add(registry, "uuid", {}, TypeId::kUuid, functions::uuid);
  for (const char* name : {"current_timeuuid", "currenttimeuuid"}) {
    add(registry, name, {}, TypeId::kTimeuuid, functions::now);
  }
  for (const char* name : {"current_timestamp", "currenttimestamp"}) {
    add(registry, name, {}, TypeId::kTimestamp, functions::current_timestamp);
  }
  for (const char* name : {"current_date", "currentdate"}) {
    add(registry, name, {}, TypeId::kDate, functions::current_date);
  }
  for (const char* name : {"current_time", "currenttime"}) {
    add(registry, name, {}, TypeId::kTime, functions::current_time);
  }
}

void add_conversions(Registry& registry) {
  for (const char* name : {"to_date", "todate"}) {
    add(registry, name, {TypeId::kTimeuuid}, TypeId::kDate, functions::to_date);
    add(registry, name, {TypeId::kTimestamp}, TypeId::kDate, functions::to_date);
  }
  for (const char* name : {"to_timestamp", "totimestamp"}) {
    add(registry, name, {TypeId::kDate}, TypeId::kTimestamp, functions::to_millis);
    add(registry, name, {TypeId::kTimeuuid}, TypeId::kTimestamp, functions::to_millis);
  }
  for (const char* name : {"to_unix_timestamp", "tounixtimestamp"}) {
    add(registry, name, {TypeId::kDate}, TypeId::kBigint, functions::to_millis);
    add(registry, name, {TypeId::kTimestamp}, TypeId::kBigint, functions::to_millis);
    add(registry, name, {TypeId::kTimeuuid}, TypeId::kBigint, functions::to_millis);
  }
  for (const char* name : {"min_timeuuid", "mintimeuuid"}) {
    add(registry, name, {TypeId::kTimestamp}, TypeId::kTimeuuid, functions::min_timeuuid);
  }
  for (const char* name : {"max_timeuuid", "maxtimeuuid"}) {
    add(registry, name, {TypeId::kTimestamp}, TypeId::kTimeuuid, functions::max_timeuuid);
  }
}

const Registry& registry() {
  static const Registry functions = [] {
    Registry all;
    add_clocks(all);
    add_conversions(all);
    for (const TypeId type : kBlobFamily) {
      add_blob_family(all, type, ColumnType::of(type).cql_name());
    }
    add_blob_family(all, TypeId::kVarchar, "varchar");
    return all;
  }();
  return functions;
}

enum class Fit : uint8_t { kNone, kWeak, kExact };

// The type that Cassandra takes a literal for when it may choose, if that decides between
// functions.
Fit literal_fit(const Term& literal, const ColumnType& type) {
  switch (literal.kind) {
    case Term::Kind::kMarker:
      return Fit::kWeak;
    case Term::Kind::kNull:
      return type.id == TypeId::kCounter ? Fit::kNone : Fit::kWeak;
    default:
      return literal_fits(literal.kind, type) ? Fit::kWeak : Fit::kNone;
  }
}

Fit argument_fit(const FunctionArgument& argument, const ColumnType& type) {
  if (!argument.type) return literal_fit(*argument.literal, type);
  if (*argument.type == type) return Fit::kExact;
  return is_value_compatible(type, *argument.type) ? Fit::kWeak : Fit::kNone;
}

Fit arguments_fit(const ScalarFunction& function, std::span<const FunctionArgument> arguments) {
  if (arguments.size() != function.argument_types().size()) return Fit::kNone;
  Fit fit = Fit::kExact;
  for (size_t i = 0; i < arguments.size(); ++i) {
    fit = std::min(fit, argument_fit(arguments[i], function.argument_types()[i]));
  }
  return fit;
}

// How an argument is called in an error.
std::string described(const FunctionArgument& argument) {
  if (argument.type) return fmt::format("a value of type {}", argument.type->cql_name());
  const Term& literal = *argument.literal;
  if (literal.kind == Term::Kind::kString) return fmt::format("'{}'", literal.text);
  if (literal.kind == Term::Kind::kBlob) return "0x" + literal.text;
  return literal.kind == Term::Kind::kNull ? "NULL" : literal.text;
}

Status check_arguments(const ScalarFunction& function,
                       std::span<const FunctionArgument> arguments) {
  const auto& types = function.argument_types();
  if (arguments.size() != types.size()) {
    return invalid(fmt::format(
        "Invalid number of arguments in call to function system.{}: {} required but {} provided",
        function.name(), types.size(), arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (argument_fit(arguments[i], types[i]) != Fit::kNone) continue;
    return invalid(fmt::format(
        "Type error: {} cannot be passed as argument {} of function system.{} of type {}",
        described(arguments[i]), i, function.name(), types[i].cql_name()));
  }
  return {};
}

std::string signatures(std::span<const ScalarFunction* const> functions) {
  std::vector<std::string> texts;
  for (const ScalarFunction* function : functions) texts.push_back(function->signature());
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Of the functions of one name that which fits exactly, or else the only one that fits.
Result<const ScalarFunction*> choose(std::span<const ScalarFunction* const> candidates,
                                     std::span<const FunctionArgument> arguments) {
  std::vector<const ScalarFunction*> fitting;
  for (const ScalarFunction* candidate : candidates) {
    const Fit fit = arguments_fit(*candidate, arguments);
    if (fit == Fit::kExact) return candidate;
    if (fit == Fit::kWeak) fitting.push_back(candidate);
  }
  if (fitting.size() == 1) return fitting.front();
  const std::string& name = candidates.front()->name();
  if (fitting.empty()) {
    return invalid(
        fmt::format("Invalid call to function {}, none of its type signatures match "
                    "(known type signatures: {})",
                    name, signatures(candidates)));
  }
  return invalid(
      fmt::format("Ambiguous call to function {} (can be matched by following "
                  "signatures: {}): use type casts to disambiguate",
                  name, signatures(fitting)));
}

}  // namespace

ScalarFunction::ScalarFunction(std::string name, std::vector<TypeId> argument_types,
                               TypeId result_type, Body body)
    : name_(std::move(name)), result_type_(ColumnType::of(result_type)), body_(body) {
  for (const TypeId id : argument_types) argument_types_.push_back(ColumnType::of(id));
}

std::string ScalarFunction::signature() const {
  std::vector<std::string> types;
  for (const ColumnType& type : argument_types_) types.push_back(type.cql_name());
  return fmt::format("system.{} : ({}) -> {}", name_, fmt::join(types, ", "),
                     result_type_.cql_name());
}

protocol::ColumnSpec ScalarFunction::argument_spec(size_t index) const {
  return {{}, {}, fmt::format("arg{}(system.{})", index, name_), argument_types_[index]};
}

Result<protocol::Value> ScalarFunction::call(Values arguments, const Evaluation& evaluation) const {
  CQLPERF_CHECK(arguments.size() == argument_types_.size(), "arguments of another function");
  for (const protocol::Value& argument : arguments) {
    if (argument.kind == protocol::Value::Kind::kUnset) {
      return invalid(fmt::format("Invalid unset value for argument in call to function {}", name_));
    }
  }
  return body_(*this, arguments, evaluation);
}

bool is_scalar_function(std::string_view name) { return registry().contains(without_system(name)); }

Result<const ScalarFunction*> resolve_function(std::string_view name,
                                               std::span<const FunctionArgument> arguments) {
  const auto [begin, end] = registry().equal_range(without_system(name));
  std::vector<const ScalarFunction*> candidates;
  for (auto it = begin; it != end; ++it) candidates.push_back(&it->second);
  if (candidates.empty()) return invalid(fmt::format("Unknown function '{}'", name));
  if (candidates.size() > 1) return choose(candidates, arguments);
  if (auto status = check_arguments(*candidates.front(), arguments); !status) {
    return std::unexpected(std::move(status.error()));
  }
  return candidates.front();
}

bool is_value_compatible(const ColumnType& to, const ColumnType& from) {
  if (to == from) return true;
  switch (to.id) {
    case TypeId::kBlob:
      return true;
    case TypeId::kVarchar:
      return from.id == TypeId::kAscii;
    case TypeId::kBigint:
      return from.id == TypeId::kTimestamp;
    case TypeId::kTimestamp:
    case TypeId::kTime:
      return from.id == TypeId::kBigint;
    case TypeId::kVarint:
      return from.id == TypeId::kInt || from.id == TypeId::kBigint || from.id == TypeId::kTimestamp;
    case TypeId::kDate:
      return from.id == TypeId::kInt;
    case TypeId::kUuid:
      return from.id == TypeId::kTimeuuid;
    default:
      return false;
  }
}

}  // namespace cqlperf::cql
