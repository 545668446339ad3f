#include "cql/parser.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "core/random.h"
#include "cql/parser_state.h"
#include "parse_helpers.h"

namespace cqlperf::cql {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string repeat(std::string_view text, size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Parser, SaysWhereAndAtWhat) {
  EXPECT_EQ(error_of("SELECT * FORM t"),
            "2000 line 1:9 mismatched input 'FORM' expecting FROM (SELECT * [FORM]...)");
  EXPECT_EQ(error_of("SELEC * FROM t"),
            "2000 line 1:0 no viable alternative at input 'SELEC' ([SELEC]...)");
  EXPECT_EQ(error_of("select a\nfrom t where x"),
            "2000 line 2:14 no viable alternative at input '<EOF>'");
  EXPECT_EQ(error_of("select a from t; x"),
            "2000 line 1:17 mismatched input 'x' expecting EOF (select a from t; [x])");
  EXPECT_EQ(error_of("select a, b, c, d, e, f, g, h from from t"),
            "2000 line 1:35 no viable alternative at input 'from' (..., c, d, e, f, g, h from "
            "[from]...)");
  EXPECT_EQ(error_of("select a from t where a = 'abc"),
            "2000 line 1:26 no viable alternative at input ''abc': the string has no closing '");
}

TEST(Parser, MessagesStayShortAndPrintable) {
  const std::string huge = "select " + repeat("'\u20ac'", 100'000) + " from t";
  EXPECT_LT(error_of(huge).size(), 400U);
  EXPECT_LT(error_of("select " + std::string(1'000'000, 'x') + " ? from t").size(), 400U);
  EXPECT_THAT(error_of(std::string_view("select \x1b\0", 9)), Not(HasSubstr("\x1b")));
}

TEST(Parser, SemicolonsMayFollow) {
  EXPECT_EQ(error_of("use k"), "parsed");
  EXPECT_EQ(error_of("use k ; ; -- the end"), "parsed");
  EXPECT_THAT(error_of("use k; use k"), StartsWith("2000 line 1:7"));
}

TEST(Parser, WhatIsNoStatement) {
  for (const char* text : {"", " ", ";", "-- nothing", "foo", "explain select * from t", "{}", "1",
                           "?", "'abc'", "create foo", "alter foo", "drop foo", "create", "copy t"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
}

TEST(Parser, NamesTheStatementsThatTheServerHasNot) {
  EXPECT_EQ(error_of(" create type tt (a int)"),
            "2200 line 1:1 CREATE TYPE is not supported by this server");
  for (const char* text : {"create or replace function f",
                           "create function f (a int)",
                           "create aggregate g",
                           "create materialized view v as select",
                           "create role r",
                           "create user u",
                           "drop type t",
                           "create trigger t",
                           "grant select on t to r",
                           "revoke select on t from r",
                           "list roles",
                           "describe tables",
                           "desc cluster",
                           "alter type t add x int",
                           "alter role r",
                           "drop user u",
                           "drop materialized view v",
                           "drop identity 'x'",
                           "add identity 'x' to role 'y'",
                           "alter table t drop c",
                           "alter table t rename a to b",
                           "alter table t alter c type int"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith("2200 line 1:"), EndsWith("is not supported by "
                                                                           "this server")))
        << text;
}

TEST(Parser, RefusesWhatIsNotUtf8) {
  EXPECT_THAT(error_of("use k\xff"), AllOf(StartsWith("2000 line 1:0"), HasSubstr("byte 5")));
  EXPECT_THAT(error_of("insert into t (a) values ('\xc3')"), StartsWith("2000"));
  EXPECT_EQ(error_of("insert into t (a) values ('\u00e9\U0001f600')"), "parsed");
}

TEST(Parser, TakesNulBytesAsCharacters) {
  const auto insert = parse_as<Insert>(std::string_view("insert into t (a) values ('a\0b')", 32));
  EXPECT_EQ(insert.values.at(0).text, std::string_view("a\0b", 3));
  EXPECT_THAT(error_of(std::string_view("use k\0", 6)),
              AllOf(StartsWith("2000 line 1:5"), HasSubstr("\\x00")));
}

TEST(Parser, NestingHasALimit) {
  const auto nested = [](int depth) {
    return "insert into t (a) values (" + repeat("[", depth) + repeat("]", depth) + ")";
  };
  EXPECT_EQ(error_of(nested(kNestingMax)), "parsed");
  EXPECT_THAT(error_of(nested(kNestingMax + 1)), AllOf(StartsWith("2200"), HasSubstr("nesting")));
  for (const char* opening : {"[", "{", "(", "-", "- ", "f(", "{1:"})
    EXPECT_THAT(error_of("insert into t (a) values (" + repeat(opening, 100'000)),
                AnyOf(StartsWith("2200 line 1:"), StartsWith("2000 line 1:")))
        << opening;
  EXPECT_THAT(error_of("select * from t where " + repeat("(", 100'000)), HasSubstr("nesting"));
  EXPECT_THAT(error_of("select " + repeat("f(", 100'000)), HasSubstr("nesting"));
  EXPECT_THAT(error_of("create table t (a " + repeat("list<", 100'000)), HasSubstr("nesting"));
  EXPECT_FALSE(parse_type(repeat("frozen<", 100'000)));
}

TEST(Parser, TheSizeHasALimit) {
  const std::string text(kStatementSizeMax + 1, ' ');
  EXPECT_THAT(error_of(text), AllOf(StartsWith("2200"), HasSubstr("bytes")));
}

TEST(Parser, TheCountOfTokensHasALimit) {
  const std::string many = "insert into t (a) values ([" + repeat("1,", kTokensMax / 2) + "1])";
  EXPECT_THAT(error_of(many), AllOf(StartsWith("2200 line 1:"), HasSubstr("words and signs")));
}

TEST(Parser, TheCountOfMarkersHasALimit) {
  const auto markers = [](size_t count) {
    return "select * from t where a in (" + repeat("?,", count - 1) + "?)";
  };
  EXPECT_EQ(error_of(markers(kMarkersMax)), "parsed");
  EXPECT_THAT(error_of(markers(kMarkersMax + 1)), AllOf(StartsWith("2200"), HasSubstr("markers")));
}

TEST(Parser, LongLiteralsAreKeptWhole) {
  constexpr size_t kDigits = size_t{4} << 20;
  const auto blob =
      parse_as<Insert>("insert into t (a) values (0x" + std::string(kDigits, 'a') + ")");
  EXPECT_EQ(blob.values.at(0).text.size(), kDigits);
  const auto text =
      parse_as<Insert>("insert into t (a) values ('" + repeat("''", kDigits / 2) + "')");
  EXPECT_EQ(text.values.at(0).text.size(), kDigits / 2);
}

// Pieces of CQL in any order, and damaged statements: an answer always comes, and errors have a
// place.
TEST(Parser, AnswersToAnything) {
  static constexpr std::string_view kPieces[] = {
      "select",  "*",     "from", "t",     "where", "a",      "=",     "?",      ":",      "(",
      ")",       "[",     "]",    "{",     "}",     ",",      ";",     ".",      "insert", "into",
      "values",  "1",     "-1",   "'x'",   "\"Q\"", "update", "set",   "+",      "-",      "token",
      "in",      "count", "json", "using", "ttl",   "begin",  "batch", "apply",  "create", "table",
      "primary", "key",   "int",  "list<", ">",     "with",   "and",   "if",     "not",    "exists",
      "limit",   "order", "by",   "index", "on",    "drop",   "cast",  "0x",     "nan",    "null",
      "delete",  "alter", "add",  "is",    "like",  "per",    "allow", "frozen", "'",      "/*"};
  core::Random random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (uint64_t i = random.below(16); i < 16; ++i) {
      text += kPieces[random.below(std::size(kPieces))];
      text += ' ';
    }
    EXPECT_THAT(error_of(text), AnyOf("parsed", StartsWith("2"))) << text;
  }
}

}  // namespace
}  // namespace cqlperf::cql
