#include "cql/typed_term.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/uuid.h"
#include "value_helpers.h"

namespace cqlperf::cql {
namespace {

using protocol::Bytes;
using protocol::ColumnSpec;
using protocol::ColumnType;
using protocol::TypeId;
using protocol::Value;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kNowUs = 1'796'056'896'917'123;  // 2026-11-30T16:41:36.917123Z

// A term bound to a column `v`, and what it gives.
class Bound {
 public:
  Bound(const std::string& term, const char* type) : parsed_(parse_term(term)) {
    EXPECT_TRUE(parsed_) << term << ": " << (parsed_ ? "" : parsed_.error().message);
    markers_.emplace(parsed_->markers);
    term_ = TypedTerm::bind(term_of(*parsed_), {"ks", "t", "v", type_of(type)}, *markers_);
  }

  const Result<TypedTerm>& term() const { return term_; }
  const std::vector<ColumnSpec>& specs() const { return markers_->specs(); }

  // Hexadecimal digits, `null`, `unset` or the error's code.
  std::string value(std::vector<Value> values = {}) {
    if (!term_) return to_code(term_.error());
    const auto value = term_->evaluate({values, kNowUs, &arena_});
    if (!value) {
      message_ = value.error().message;
      return to_code(value.error());
    }
    if (value->kind == Value::Kind::kBytes) return to_hex(value->bytes);
    return value->kind == Value::Kind::kNull ? "null" : "unset";
  }
  // Of the error of bind() or of the last value().
  std::string message() const { return term_ ? message_ : term_.error().message; }

 private:
  Result<ParsedStatement> parsed_;
  std::optional<MarkerSpecs> markers_;
  Result<TypedTerm> term_;
  Arena arena_;
  std::string message_;
};

std::string value_of(const std::string& term, const char* type) {
  return Bound(term, type).value();
}
std::string error_of(const std::string& term, const char* type) {
  Bound bound(term, type);
  const std::string code = bound.value();
  return code + ": " + bound.message();
}

// int is assignable to date, and has a value of no bytes, which date has not.
TEST(TypedTerms, WhatAFunctionGivesIsAValueOfTheColumnToo) {
  EXPECT_EQ(value_of("blobAsInt(0x00000001)", "date"), "00000001");
  EXPECT_EQ(value_of("blobAsInt(0x)", "int"), "-");
  EXPECT_EQ(error_of("blobAsInt(0x)", "date"),
            "E2200: Expected 4 byte long for date (0), for column v");
  EXPECT_EQ(error_of("blobAsBigint(0x)", "time"),
            "E2200: Expected 8 byte long for time (0), for column v");
}

TEST(TypedTerms, ConstantsAreConvertedOnce) {
  Bound bound("7", "int");
  ASSERT_TRUE(bound.term());
  EXPECT_TRUE(bound.term()->is_constant());
  EXPECT_FALSE(bound.term()->is_marker());
  EXPECT_EQ(bound.value(), "00000007");
  EXPECT_EQ(value_of("(7)", "bigint"), "0000000000000007");
  EXPECT_EQ(value_of("null", "int"), "null");
  EXPECT_EQ(value_of("''", "text"), "-");
  EXPECT_EQ(error_of("null", "counter"),
            "E2200: Invalid null value for counter increment/decrement");
  EXPECT_EQ(error_of("'a'", "int"), "E2200: Invalid STRING constant (a) for \"v\" of type int");
  EXPECT_EQ(TypedTerm::constant(Bytes{1, 2}).evaluate({})->bytes.size(), 2u);
  EXPECT_EQ(TypedTerm().evaluate({})->kind, Value::Kind::kNull);
}

TEST(TypedTerms, CollectionsAreRefused) {
  for (const char* literal : {"[1]", "{1}", "{1: 2}", "(1, 2)", "[]", "{}"}) {
    EXPECT_EQ(value_of(literal, "int"), "E2200") << literal;
  }
}

TEST(TypedTerms, ColumnsAreNoValues) {
  MarkerSpecs markers({});
  Term column{Term::Kind::kColumn, "k"};
  const ColumnSpec receiver{"ks", "t", "v", type_of("bigint")};
  EXPECT_EQ(to_code(TypedTerm::bind(column, receiver, markers).error()), "E2000");
  Term call{Term::Kind::kFunction, "min_timeuuid", 0, {column}};
  EXPECT_EQ(to_code(TypedTerm::bind(call, receiver, markers).error()), "E2000");
}

TEST(TypedTerms, MarkersTakeWhatIsBound) {
  Bound bound("?", "int");
  ASSERT_TRUE(bound.term());
  EXPECT_TRUE(bound.term()->is_marker());
  EXPECT_EQ(bound.term()->marker(), 0);
  const Bytes five = {0, 0, 0, 5};
  EXPECT_EQ(bound.value({Value::of(five)}), "00000005");
  EXPECT_EQ(bound.value({Value::null()}), "null");
  EXPECT_EQ(bound.value({Value::unset()}), "unset");
  EXPECT_EQ(bound.value({Value::of(Bytes())}), "-");
  EXPECT_EQ(bound.value({Value::of(protocol::ByteView(five).first(3))}), "E2200");
  EXPECT_EQ(bound.message(), "Expected 4 or 0 byte int (3), for column v");
  EXPECT_EQ(bound.value({}), "E2200");
  EXPECT_EQ(bound.message(), "Invalid amount of bind variables");
}

// A marker's value is not copied.
TEST(TypedTerms, BoundBytesAreViewed) {
  Bound bound("?", "blob");
  const Bytes bytes = {1, 2, 3};
  const std::vector<Value> values = {Value::of(bytes)};
  Arena arena;
  EXPECT_EQ(bound.term()->evaluate({values, 0, &arena})->bytes.data(), bytes.data());
}

TEST(TypedTerms, MarkersAreNamedAfterWhatTheyStandFor) {
  EXPECT_THAT(Bound("?", "int").specs(), ElementsAre(ColumnSpec{"ks", "t", "v", type_of("int")}));
  EXPECT_THAT(Bound(":x", "int").specs(), ElementsAre(ColumnSpec{"ks", "t", "x", type_of("int")}));
  // As Cassandra 5.0.8 names them.
  const ColumnSpec argument = Bound("min_timeuuid(?)", "timeuuid").specs()[0];
  EXPECT_EQ(argument.name, "arg0(system.min_timeuuid)");
  EXPECT_EQ(argument.type.id, TypeId::kTimestamp);
  EXPECT_EQ(Bound("bigintAsBlob(:x)", "blob").specs()[0].name, "x");
}

// Each value is what Cassandra 5.0.8 stores for the same term.
TEST(Functions, ConvertTimes) {
  EXPECT_EQ(value_of("to_date('2020-01-01')", "date"), "80004756");
  EXPECT_EQ(value_of("to_date('2020-01-01T12:00')", "date"), "80004756");
  EXPECT_EQ(value_of("to_date('1969-12-31T23:59:59.999Z')", "date"), "7fffffff");
  EXPECT_EQ(value_of("to_timestamp('2020-01-01')", "timestamp"), "0000016f5e66e800");
  EXPECT_EQ(value_of("min_timeuuid('2020-01-01')", "timeuuid"), "a747c0002c2911ea8080808080808080");
  EXPECT_EQ(value_of("maxTimeuuid('2020-01-01')", "timeuuid"), "a747e70f2c2911ea7f7f7f7f7f7f7f7f");
  EXPECT_EQ(value_of("min_timeuuid('1969-12-31')", "timeuuid"), "e91780001d0811b28080808080808080");
  EXPECT_EQ(value_of("min_timeuuid(123)", "timeuuid"), "139404b01dd211b28080808080808080");
  EXPECT_EQ(value_of("toUnixTimestamp(min_timeuuid(123))", "bigint"), "000000000000007b");
  EXPECT_EQ(value_of("to_unix_timestamp(max_timeuuid(-1))", "bigint"), "ffffffffffffffff");
  EXPECT_EQ(value_of("min_timeuuid(null)", "timeuuid"), "null");
  EXPECT_EQ(value_of("min_timeuuid('')", "timeuuid"), "null");
  EXPECT_EQ(value_of("to_timestamp(to_date(0))", "timestamp"), "0000000000000000");
  EXPECT_EQ(error_of("to_timestamp('2020-01-01T12:00')", "timestamp"),
            "E2200: Unable to coerce '2020-01-01T12:00' to a formatted date (long)");
}

TEST(Functions, TimesBeyondTimeuuidsAreErrors) {
  EXPECT_EQ(value_of("min_timeuuid(-12219292800000)", "timeuuid"),
            "00000000000010008080808080808080");
  EXPECT_EQ(value_of("min_timeuuid(-12219292800001)", "timeuuid"), "E2200");
  EXPECT_EQ(value_of("max_timeuuid(103072857660683)", "timeuuid"),
            "ffffe4bfffff1fff7f7f7f7f7f7f7f7f");
  EXPECT_THAT(error_of("max_timeuuid(103072857660684)", "timeuuid"),
              HasSubstr("beyond what a timeuuid can hold"));
  EXPECT_EQ(value_of("min_timeuuid(9223372036854775807)", "timeuuid"), "E2200");
  EXPECT_EQ(value_of("min_timeuuid(-9223372036854775808)", "timeuuid"), "E2200");
}

TEST(Functions, ConvertToAndFromBlobs) {
  EXPECT_EQ(value_of("bigint_as_blob(1)", "blob"), "0000000000000001");
  EXPECT_EQ(value_of("intAsBlob(-1)", "blob"), "ffffffff");
  EXPECT_EQ(value_of("text_as_blob('a')", "blob"), "61");
  EXPECT_EQ(value_of("varcharAsBlob('a')", "blob"), "61");
  EXPECT_EQ(value_of("decimal_as_blob(1.5)", "blob"), "000000010f");
  EXPECT_EQ(value_of("boolean_as_blob(true)", "blob"), "01");
  EXPECT_EQ(value_of("duration_as_blob(1d)", "blob"), "000200");
  EXPECT_EQ(value_of("blob_as_int(0x00000001)", "int"), "00000001");
  EXPECT_EQ(value_of("blobAsText(0x61)", "text"), "61");
  EXPECT_EQ(value_of("blob_as_varchar(0x61)", "text"), "61");
  EXPECT_EQ(value_of("blob_as_int(int_as_blob(5))", "int"), "00000005");
  EXPECT_EQ(value_of("blob_as_int(0x)", "int"), "-");
  EXPECT_EQ(value_of("blob_as_int(null)", "int"), "null");
  EXPECT_EQ(error_of("blobAsInt(0x01)", "int"),
            "E2200: In call to function system.blobasint, value 0x01 is not a valid binary "
            "representation for type int");
  EXPECT_EQ(value_of("blob_as_tinyint(0x)", "tinyint"), "E2200");
  EXPECT_EQ(value_of("blob_as_timeuuid(0x00000000000040008000000000000000)", "timeuuid"), "E2200");
  EXPECT_EQ(error_of("blob_as_blob(0x61)", "blob"), "E2200: Unknown function blob_as_blob called");
}

TEST(Functions, EveryScalarTypeHasBothOfBothSpellings) {
  for (const char* type :
       {"ascii",     "bigint",   "boolean", "counter", "date",     "decimal", "double",
        "duration",  "float",    "inet",    "int",     "smallint", "text",    "time",
        "timestamp", "timeuuid", "tinyint", "uuid",    "varchar",  "varint"}) {
    EXPECT_EQ(value_of(fmt::format("{}_as_blob(?)", type), "blob"), "E2200") << "no value is bound";
    for (const std::string& call : {fmt::format("{0}_as_blob(blob_as_{0}(null))", type),
                                    fmt::format("{0}AsBlob(blobAs{0}(null))", type)}) {
      EXPECT_EQ(value_of(call, "blob"), "null") << call;
    }
  }
}

TEST(Functions, ClocksGiveTheInstantOfTheExecution) {
  EXPECT_EQ(value_of("current_timestamp()", "timestamp"), "000001a22d555595");
  EXPECT_EQ(value_of("currentTimestamp()", "timestamp"), "000001a22d555595");
  EXPECT_EQ(value_of("current_date()", "date"), "80005133");
  EXPECT_EQ(value_of("currentDate()", "date"), "80005133");
  EXPECT_EQ(value_of("current_time()", "time"), "000036a86765afb8");
  EXPECT_EQ(value_of("currentTime()", "time"), "000036a86765afb8");
  EXPECT_EQ(value_of("to_timestamp(now())", "timestamp"), "000001a22d555595");
  EXPECT_EQ(value_of("to_date(currentTimeUUID())", "date"), "80005133");
  EXPECT_EQ(value_of("toUnixTimestamp(current_timeuuid())", "bigint"), "000001a22d555595");
  EXPECT_EQ(value_of("to_unix_timestamp(current_date())", "bigint"), "000001a229c05400");
}

TEST(Functions, UuidsHaveTheirVersion) {
  const auto uuid_of = [](const char* term, const char* type) {
    protocol::Uuid uuid;
    const Bytes bytes = from_hex(value_of(term, type));
    EXPECT_EQ(bytes.size(), 16u) << term;
    std::copy(bytes.begin(), bytes.end(), uuid.bytes.begin());
    return uuid;
  };
  EXPECT_EQ(uuid_of("now()", "timeuuid").version(), 1);
  EXPECT_EQ(uuid_of("system.now()", "uuid").version(), 1);
  EXPECT_EQ(uuid_of("\"now\"()", "blob").version(), 1);
  EXPECT_EQ(uuid_of("uuid()", "uuid").version(), 4);
  EXPECT_EQ(uuid_of("uuid()", "uuid").bytes[8] & 0xc0, 0x80);
  EXPECT_NE(uuid_of("uuid()", "uuid"), uuid_of("uuid()", "uuid"));
}

// Calls of one execution differ too, as in Cassandra.
TEST(Functions, EveryNowIsAnother) {
  Bound bound("now()", "timeuuid");
  std::string last;
  for (int i = 0; i < 100; ++i) {
    const std::string next = bound.value();
    EXPECT_NE(next, last);
    last = next;
  }
}

TEST(Functions, ResultsMustFitTheColumn) {
  EXPECT_EQ(error_of("now()", "int"),
            "E2200: Type error: cannot assign result of function system.now (type timeuuid) to v "
            "(type int)");
  EXPECT_EQ(value_of("uuid()", "timeuuid"), "E2200");
  EXPECT_EQ(value_of("uuid()", "text"), "E2200");
  EXPECT_EQ(value_of("current_date()", "timestamp"), "E2200");
  EXPECT_EQ(value_of("blob_as_int(0x00000001)", "bigint"), "E2200");
  EXPECT_EQ(value_of("blob_as_text(0x61)", "ascii"), "E2200");
  EXPECT_EQ(value_of("to_unix_timestamp(now())", "int"), "E2200");
  // Types that take each other's bytes.
  EXPECT_EQ(value_of("current_timestamp()", "bigint"), "000001a22d555595");
  EXPECT_EQ(value_of("to_unix_timestamp(now())", "timestamp").size(), 16u);
  EXPECT_EQ(value_of("blob_as_int(0x00000001)", "varint"), "00000001");
  EXPECT_EQ(value_of("blob_as_int(0x00000001)", "date"), "00000001");
  EXPECT_EQ(value_of("blob_as_bigint(0x0000000000000001)", "time"), "0000000000000001");
  EXPECT_EQ(value_of("blob_as_ascii(0x61)", "text"), "61");
  EXPECT_EQ(value_of("blob_as_text(0x61)", "blob"), "61");
}

// The texts of Cassandra 5.0.8.
TEST(Functions, CallsAreCheckedWhenTheyAreBound) {
  EXPECT_EQ(error_of("foo()", "int"), "E2200: Unknown function foo called");
  EXPECT_EQ(error_of("\"NOW\"()", "timeuuid"), "E2200: Unknown function NOW called");
  EXPECT_EQ(error_of("dateof(now())", "timestamp"), "E2200: Unknown function dateof called");
  EXPECT_EQ(error_of("now(1)", "timeuuid"),
            "E2200: Invalid number of arguments in call to function system.now: 0 required but 1 "
            "provided");
  EXPECT_EQ(error_of("int_as_blob('a')", "blob"),
            "E2200: Type error: 'a' cannot be passed as argument 0 of function system.int_as_blob "
            "of type int");
  EXPECT_EQ(error_of("to_date(null)", "date"),
            "E2200: Ambiguous call to function to_date (can be matched by following signatures: "
            "system.to_date : (timeuuid) -> date, system.to_date : (timestamp) -> date): use type "
            "casts to disambiguate");
  EXPECT_EQ(error_of("to_timestamp(current_timestamp())", "timestamp"),
            "E2200: Invalid call to function to_timestamp, none of its type signatures match "
            "(known type signatures: system.to_timestamp : (date) -> timestamp, "
            "system.to_timestamp : (timeuuid) -> timestamp)");
  EXPECT_THAT(error_of("to_unix_timestamp('2020-01-01')", "bigint"), HasSubstr("Ambiguous call"));
  EXPECT_THAT(error_of("to_date(?)", "date"), HasSubstr("Ambiguous call"));
  EXPECT_EQ(error_of("min_timeuuid('x')", "timeuuid"),
            "E2200: Unable to parse a date/time from 'x'");
  EXPECT_EQ(error_of("min_timeuuid(foo())", "timeuuid"), "E2200: Unknown function foo called");
  EXPECT_EQ(value_of("max(1)", "int"), "E2200");
}

TEST(Functions, MarkersAreArguments) {
  Bound bound("min_timeuuid(?)", "timeuuid");
  const Bytes millis = from_hex("0000016f5e66e800");
  EXPECT_EQ(bound.value({Value::of(millis)}), "a747c0002c2911ea8080808080808080");
  EXPECT_EQ(bound.value({Value::null()}), "null");
  EXPECT_EQ(bound.value({Value::unset()}), "E2200");
  EXPECT_EQ(bound.message(), "Invalid unset value for argument in call to function min_timeuuid");
  EXPECT_EQ(bound.value({Value::of(protocol::ByteView(millis).first(4))}), "E2200");
}

}  // namespace
}  // namespace cqlperf::cql
