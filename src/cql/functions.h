#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "cql/typed_term.h"
#include "protocol/metadata.h"
#include "protocol/query_parameters.h"
#include "protocol/types.h"

namespace cqlperf::cql {

// The native scalar functions of Cassandra 5.0 that need nothing but their arguments: now() and the
// other clocks, uuid(), conversions between times, min_timeuuid() and max_timeuuid(), and the
// families int_as_blob() and blob_as_int(). token(), writetime(), ttl() and the aggregates belong
// to whoever knows the row.
class ScalarFunction {
 public:
  using Values = std::span<const protocol::Value>;
  using Body = Result<protocol::Value> (*)(const ScalarFunction&, Values, const Evaluation&);

  ScalarFunction(std::string name, std::vector<protocol::TypeId> argument_types,
                 protocol::TypeId result_type, Body body);

  // `to_date`, without `system.`.
  const std::string& name() const { return name_; }
  const std::vector<protocol::ColumnType>& argument_types() const { return argument_types_; }
  const protocol::ColumnType& result_type() const { return result_type_; }
  // `system.to_date : (timeuuid) -> date`.
  std::string signature() const;

  // What an argument is bound as: its type, and its name for markers and errors,
  // `arg0(system.to_date)`.
  protocol::ColumnSpec argument_spec(size_t index) const;

  // Calls it with as many values as it has arguments, each null or valid for its type. The result
  // views an argument or evaluation.arena. Errors: 0x2200 for an unset value, for bytes that
  // blob_as_… cannot take, for a time that a timeuuid cannot hold.
  Result<protocol::Value> call(Values arguments, const Evaluation& evaluation) const;

 private:
  std::string name_;
  std::vector<protocol::ColumnType> argument_types_;
  protocol::ColumnType result_type_;
  Body body_;
};

// What is known of an argument when its function is chosen: the type of a column or of another
// function's result, or else the literal or marker.
struct FunctionArgument {
  std::optional<protocol::ColumnType> type = {};
  const Term* literal = nullptr;  // used when there is no type

  static FunctionArgument of(protocol::ColumnType type) { return {std::move(type), nullptr}; }
  static FunctionArgument of(const Term& literal) { return {std::nullopt, &literal}; }
};

// Whether there is a scalar function of that (folded) name, `system.` in front or not.
bool is_scalar_function(std::string_view name);

// The function that takes the arguments; it lives as long as the program. Errors, all 0x2200 and
// with Cassandra's texts: no such function; no signature that fits; more than one that does.
Result<const ScalarFunction*> resolve_function(std::string_view name,
                                               std::span<const FunctionArgument> arguments);

// Whether a value of type `from` is a value of type `to` as it is: text takes ascii, bigint and
// timestamp take each other, varint takes int, uuid takes timeuuid, blob takes everything.
bool is_value_compatible(const protocol::ColumnType& to, const protocol::ColumnType& from);

}  // namespace cqlperf::cql
