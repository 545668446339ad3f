#include "cql/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cql/values.h"
#include "value_helpers.h"

namespace cqlperf::cql {
namespace {

using protocol::ColumnType;
using protocol::TypeId;
using testing::HasSubstr;
using Kind = JsonValue::Kind;

// `name=text`, one after the other; or the error.
std::string show(std::string_view document) {
  const auto columns = parse_json_row(document);
  if (!columns) return to_code(columns.error());
  std::string text;
  for (const JsonColumn& column : *columns) {
    if (!text.empty()) text += ' ';
    text += column.name + '=' + (column.value.kind == Kind::kNull ? "null" : column.value.text);
  }
  return text;
}

TEST(JsonValues, AreReadAsCassandraDoes) {
  expect_as_cassandra("json_values.txt", [](const ColumnType& type, const std::string& json) {
    return outcome(json_to_bytes(json, type, "v"));
  });
}

TEST(JsonValues, ErrorsNameTheColumn) {
  const auto message = [](TypeId id, const char* json) {
    const auto bytes = json_to_bytes(json, ColumnType::of(id), "v");
    return bytes ? "stored" : bytes.error().message;
  };
  EXPECT_EQ(message(TypeId::kAscii, "1.5"),
            "Error decoding JSON value for v: Expected an ascii string, but got a Double: 1.5");
  EXPECT_EQ(message(TypeId::kBigint, "\"a\""),
            "Error decoding JSON value for v: Unable to make long from 'a'");
  EXPECT_THAT(message(TypeId::kTimestamp, "1"), HasSubstr("but got a Integer: 1"));
  EXPECT_THAT(message(TypeId::kUuid, "9223372036854775808"), HasSubstr("but got a BigInteger"));
  EXPECT_THAT(message(TypeId::kInt, "[1]"), HasSubstr("but got a ArrayList"));
  EXPECT_THAT(message(TypeId::kInt, "1 2"), HasSubstr("Could not decode JSON string"));
  EXPECT_THAT(message(TypeId::kInt, "null"), HasSubstr("Error decoding JSON value for v"));
  EXPECT_THAT(message(TypeId::kInt, ""), HasSubstr("Could not decode JSON string"));
}

// What Cassandra 5.0.8 does with these documents.
TEST(JsonRows, NamesAreFoldedUnlessQuoted) {
  EXPECT_EQ(show(R"({"k":1})"), "k=1");
  EXPECT_EQ(show(R"({"K":1,"V":2})"), "k=1 v=2");
  EXPECT_EQ(show(R"({"\"k\"":1,"\"C0\"":2})"), "k=1 C0=2");
  EXPECT_EQ(show(R"({"\u006b":1,"k ":2,"":3,"\"\"":4})"), "k=1 k =2 =4");
  EXPECT_EQ(show(R"({"\"k":1,"k\"":2})"), "\"k=1 k\"=2");
  EXPECT_EQ(show(R"({"\"":1})"), "\"=1");
}

TEST(JsonRows, OfEqualNamesTheLastCounts) {
  EXPECT_EQ(show(R"({"k":1,"v":5,"k":2})"), "k=2 v=5");
  EXPECT_EQ(show(R"({"k":1,"K":2,"\"k\"":3})"), "k=3");
}

TEST(JsonRows, KeepEveryKindOfValue) {
  const auto columns =
      parse_json_row(R"( {"a":null,"b":true,"c":-12345678901234567890123,"d":1.50,"e":"x\n\u00e9",)"
                     R"("f":[1,{"z":2}],"g":{"h":{"i":1}},"j":18446744073709551615} )");
  ASSERT_TRUE(columns) << columns.error().message;
  const std::vector<JsonValue> wanted = {{Kind::kNull, ""},
                                         {Kind::kBoolean, "true"},
                                         {Kind::kInteger, "-12345678901234567890123"},
                                         {Kind::kFloat, "1.50"},
                                         {Kind::kString, "x\n\xc3\xa9"},
                                         {Kind::kArray, ""},
                                         {Kind::kObject, ""},
                                         {Kind::kInteger, "18446744073709551615"}};
  ASSERT_EQ(columns->size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ((*columns)[i].value, wanted[i]) << i;
}

TEST(JsonRows, WhatFollowsTheObjectIsIgnored) {
  EXPECT_EQ(show(R"({"k":1} x)"), "k=1");
  EXPECT_EQ(show(R"({"k":1}{)"), "k=1");
  EXPECT_EQ(show("{}"), "");
}

TEST(JsonRows, EverythingElseIsAnError) {
  for (const char* document : {"",
                               " ",
                               "null",
                               "[]",
                               "1",
                               "\"k\"",
                               "{",
                               R"({"k":1,})",
                               "{k:1}",
                               "{'k':1}",
                               R"({"k":})",
                               R"({"k":/*c*/1})",
                               R"({"k":NaN})",
                               R"({"k":01})",
                               R"({"k":+1})",
                               R"({"k":.5})",
                               "{\"k\":\"a\nb\"}",
                               R"({"k":"\x"})",
                               R"({"k")",
                               R"({"k":1)",
                               "{\"k\":\"\xff\"}"}) {
    EXPECT_EQ(show(document), "E2200") << document;
  }
  EXPECT_EQ(parse_json_row("null").error().message, "Got null for INSERT JSON values");
  EXPECT_THAT(parse_json_row("[1]").error().message, HasSubstr("it is a ArrayList"));
}

TEST(JsonRows, NestingIsBounded) {
  const auto nested = [](size_t depth) {
    return "{\"k\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(show(nested(63)), "k=");
  EXPECT_EQ(show(nested(64)), "E2200");
  EXPECT_THAT(parse_json_row(std::string(1'000'000, '[')).error().message, HasSubstr("nesting"));
}

}  // namespace
}  // namespace cqlperf::cql
