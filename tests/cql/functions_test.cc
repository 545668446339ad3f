#include "cql/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "value_helpers.h"

namespace cqlperf::cql {
namespace {

using protocol::Bytes;
using protocol::Value;
using testing::HasSubstr;

// As SELECT calls a function: of columns with these types.
Result<const ScalarFunction*> resolve(std::string_view name, std::vector<const char*> types) {
  std::vector<FunctionArgument> arguments;
  for (const char* type : types) arguments.push_back(FunctionArgument::of(type_of(type)));
  return resolve_function(name, arguments);
}

std::string signature(std::string_view name, std::vector<const char*> types) {
  const auto function = resolve(name, types);
  return function ? (*function)->signature() : function.error().message;
}

TEST(FunctionsOfColumns, AreChosenByType) {
  EXPECT_EQ(signature("to_date", {"timeuuid"}), "system.to_date : (timeuuid) -> date");
  EXPECT_EQ(signature("system.to_date", {"timestamp"}), "system.to_date : (timestamp) -> date");
  EXPECT_EQ(signature("to_unix_timestamp", {"date"}),
            "system.to_unix_timestamp : (date) -> bigint");
  EXPECT_EQ(signature("min_timeuuid", {"bigint"}), "system.min_timeuuid : (timestamp) -> timeuuid");
  EXPECT_EQ(signature("varint_as_blob", {"int"}), "system.varint_as_blob : (varint) -> blob");
  EXPECT_EQ(signature("text_as_blob", {"ascii"}), "system.text_as_blob : (text) -> blob");
  EXPECT_EQ(signature("now", {}), "system.now : () -> timeuuid");
  EXPECT_EQ(signature("blob_as_int", {"double"}), "system.blob_as_int : (blob) -> int");
}

TEST(FunctionsOfColumns, AreRefusedForOtherTypes) {
  EXPECT_EQ(signature("foo", {}), "Unknown function 'foo'");
  EXPECT_EQ(signature("token", {"int"}), "Unknown function 'token'");
  EXPECT_EQ(signature("to_date", {"date"}),
            "Invalid call to function to_date, none of its type signatures match (known type "
            "signatures: system.to_date : (timeuuid) -> date, system.to_date : (timestamp) -> "
            "date)");
  EXPECT_THAT(signature("to_date", {}), HasSubstr("none of its type signatures match"));
  EXPECT_EQ(signature("int_as_blob", {"bigint"}),
            "Type error: a value of type bigint cannot be passed as argument 0 of function "
            "system.int_as_blob of type int");
  EXPECT_THAT(signature("ascii_as_blob", {"text"}), HasSubstr("Type error"));
  EXPECT_THAT(signature("timeuuid_as_blob", {"uuid"}), HasSubstr("Type error"));
  EXPECT_THAT(signature("uuid", {"int"}), HasSubstr("0 required but 1 provided"));
  EXPECT_TRUE(is_scalar_function("system.todate"));
  EXPECT_FALSE(is_scalar_function("writetime"));
}

TEST(FunctionsOfColumns, TakeLiteralsToo) {
  const Term number{Term::Kind::kInteger, "1"};
  const auto function = resolve_function("to_date", std::vector{FunctionArgument::of(number)});
  ASSERT_TRUE(function);
  EXPECT_EQ((*function)->signature(), "system.to_date : (timestamp) -> date");
  EXPECT_EQ((*function)->argument_spec(0).name, "arg0(system.to_date)");
  EXPECT_EQ((*function)->argument_spec(0).type, type_of("timestamp"));
}

TEST(FunctionsOfColumns, AreCalledWithBytes) {
  Arena arena;
  const Evaluation evaluation{{}, 0, &arena};
  const auto to_date = resolve("to_date", {"timeuuid"});
  const Bytes time = from_hex("a747c0002c2911ea8080808080808080");
  const auto call = [&](Value value) {
    const auto result = (*to_date)->call(std::vector{value}, evaluation);
    if (!result) return to_code(result.error());
    return result->kind == Value::Kind::kBytes ? to_hex(result->bytes) : "null";
  };
  EXPECT_EQ(call(Value::of(time)), "80004756");
  EXPECT_EQ(call(Value::null()), "null");
  EXPECT_EQ(call(Value::of(Bytes())), "null");
  EXPECT_EQ(call(Value::unset()), "E2200");
}

// What Cassandra 5.0.8 lets a function's result be stored in.
TEST(ValueCompatibility, IsCassandras) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> takes = {
      {"ascii", {}},
      {"bigint", {"timestamp"}},
      {"boolean", {}},
      {"decimal", {}},
      {"double", {}},
      {"float", {}},
      {"inet", {}},
      {"int", {}},
      {"smallint", {}},
      {"text", {"ascii"}},
      {"timestamp", {"bigint"}},
      {"timeuuid", {}},
      {"tinyint", {}},
      {"uuid", {"timeuuid"}},
      {"varint", {"bigint", "int", "timestamp"}},
      {"date", {"int"}},
      {"time", {"bigint"}},
      {"duration", {}},
      {"counter", {}}};
  for (const auto& [to, others] : takes) {
    for (const auto& [from, unused] : takes) {
      const bool is_wanted = std::string(from) == to || std::ranges::count(others, from) > 0;
      EXPECT_EQ(is_value_compatible(type_of(to), type_of(from)), is_wanted) << to << ' ' << from;
    }
    EXPECT_TRUE(is_value_compatible(type_of("blob"), type_of(to))) << to;
  }
}

}  // namespace
}  // namespace cqlperf::cql
