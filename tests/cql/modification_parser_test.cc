#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "parse_helpers.h"

namespace cqlperf::cql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> shown(const std::vector<Term>& terms) {
  std::vector<std::string> out;
  for (const Term& term : terms) out.push_back(show(term));
  return out;
}

std::string value(const std::string& text) {
  const auto insert = parse_as<Insert>("INSERT INTO t (a) VALUES (" + text + ")");
  return insert.values.size() == 1 ? show(insert.values[0]) : "none";
}

std::string assignment(const std::string& text) {
  const auto update = parse_as<Update>("UPDATE t SET " + text + " WHERE k = 0");
  if (update.assignments.size() != 1) return "none";
  const Assignment& only = update.assignments[0];
  const std::string sign = only.kind == Assignment::Kind::kSet   ? " = "
                           : only.kind == Assignment::Kind::kAdd ? " += "
                                                                 : " -= ";
  return only.column + sign + show(only.value);
}

TEST(InsertParser, ReadsAllParts) {
  const auto insert = parse_as<Insert>(
      "INSERT INTO ks.t(a, \"B\") VALUES(?, 'x') IF NOT EXISTS USING TTL 5 AND TIMESTAMP :ts;");
  EXPECT_EQ(insert.table.keyspace, "ks");
  EXPECT_EQ(insert.table.table, "t");
  EXPECT_THAT(insert.columns, ElementsAre("a", "B"));
  EXPECT_THAT(shown(insert.values), ElementsAre("?0", "'x"));
  EXPECT_EQ(insert.condition, Condition::kIfNotExists);
  EXPECT_EQ(show(*insert.attributes.ttl), "5");
  EXPECT_EQ(show(*insert.attributes.timestamp), "?1");
  EXPECT_FALSE(insert.json);
}

TEST(InsertParser, ReadsJson) {
  const auto text = parse_as<Insert>("insert into t json '{\"a\": 1}' default unset using ttl ?");
  EXPECT_EQ(show(*text.json), "'{\"a\": 1}");
  EXPECT_TRUE(text.default_unset);
  EXPECT_TRUE(text.attributes.ttl);
  EXPECT_THAT(text.columns, IsEmpty());
  const auto marker = parse_as<Insert>("insert into json json :x default null if not exists");
  EXPECT_EQ(show(*marker.json), "?0");
  EXPECT_FALSE(marker.default_unset);
  EXPECT_EQ(marker.condition, Condition::kIfNotExists);
  for (const char* text_of_bad :
       {"insert into t json 5", "insert into t json null", "insert into t json '{}' default",
        "insert into t json '{}' default 5"})
    EXPECT_THAT(error_of(text_of_bad), StartsWith("2000 line 1:")) << text_of_bad;
}

TEST(InsertParser, WhatIsWrong) {
  EXPECT_THAT(error_of("insert into t (a,b) values (1)"),
              StartsWith("2200 Unmatched column names/values"));
  for (const char* text :
       {"insert into t () values ()", "insert into t values (1)", "insert into t (a) (1)",
        "insert into t (a) values (1) using ttl 5 if not exists", "insert t (a) values (1)",
        "insert into t (a) values (1) if exists", "insert into t (a) values (1) using",
        "insert into t (a) values (1) using ttl 'x'", "insert into t (a) values (1) using ttl null",
        "insert into t (a) values (1) using consistency one", "insert into t (a,) values (1)",
        "insert into t (a) values (1) using ttl 1 timestamp 2", "insert into t (a) values (b)",
        "insert into t (a) values (1,)", "insert into 't' (a) values (1)"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
}

TEST(InsertParser, TakesATimeout) {
  const auto insert = parse_as<Insert>("insert into t(a) values(1) using timeout 5s and ttl 7");
  EXPECT_EQ(show(*insert.attributes.ttl), "7");
  EXPECT_FALSE(insert.attributes.timestamp);
}

TEST(Terms, Literals) {
  EXPECT_EQ(value("'it''s'"), "'it's");
  EXPECT_EQ(value("$$it's$$"), "'it's");
  EXPECT_EQ(value("-12"), "-12");
  EXPECT_EQ(value("1.5e3"), "float:1.5e3");
  EXPECT_EQ(value("NAN"), "float:NaN");
  EXPECT_EQ(value("infinity"), "float:Infinity");
  EXPECT_EQ(value("-Infinity"), "float:-Infinity");
  EXPECT_EQ(value("- NaN"), "float:NaN");
  EXPECT_EQ(value("- 1"), "-1");
  EXPECT_EQ(value("- 1.5"), "float:-1.5");
  EXPECT_EQ(value("True"), "bool:true");
  EXPECT_EQ(value("FALSE"), "bool:false");
  EXPECT_EQ(value("NULL"), "null");
  EXPECT_EQ(value("0xCAFE"), "blob:CAFE");
  EXPECT_EQ(value("0x"), "blob:");
  EXPECT_EQ(value("01234567-0123-0123-0123-0123456789ab"),
            "uuid:01234567-0123-0123-0123-0123456789ab");
  EXPECT_EQ(value("12h30m"), "duration:12h30m");
  EXPECT_EQ(value("P1Y"), "duration:P1Y");
}

TEST(Terms, FunctionsAndCollections) {
  EXPECT_EQ(value("now()"), "now()");
  EXPECT_EQ(value("system . Now ( )"), "now()");
  EXPECT_EQ(value("\"intAsBlob\"(5)"), "intAsBlob(5)");
  EXPECT_EQ(value("toTimestamp(now())"), "totimestamp(now())");
  EXPECT_EQ(value("token(1, ?)"), "token(1 ?0)");
  EXPECT_EQ(value("[1, [2], ?]"), "[1 [2] ?0]");
  EXPECT_EQ(value("[]"), "[]");
  EXPECT_EQ(value("{1, 'a'}"), "set{1 'a}");
  EXPECT_EQ(value("{}"), "map{}");
  EXPECT_EQ(value("{'a': 1, :b : :c, ?:?}"), "map{'a 1 ?0 ?1 ?2 ?3}");
  EXPECT_EQ(value("{true: 1}"), "map{bool:true 1}");
  EXPECT_EQ(value("(1, 'x', (2, 3))"), "(1 'x (2 3))");
  EXPECT_EQ(value("(1)"), "1");
  EXPECT_EQ(value("((now()))"), "now()");
}

TEST(Terms, WhatIsNone) {
  for (const char* text :
       {"v",        "\"x\"",    "now",  "a.b.c()", "()",       "[1,]",         "{1,}",
        "{1:2,3}",  "{1,2:3}",  "+1",   ".5",      "token(a)", "writetime(a)", "ttl(5)",
        "count(*)", "select()", "now(", ":",       ":1",       ":limit",       "1 -1",
        "'a' 'b'",  "-",        "- ;",  "1 2"})
    EXPECT_THAT(error_of(std::string("INSERT INTO t (a) VALUES (") + text + ")"),
                StartsWith("2000 line 1:"))
        << text;
}

TEST(Terms, WhatTheServerHasNot) {
  for (const char* text :
       {"1+1", "1 - 1", "-(1)", "- -5", "?*2", "5 % 2", "(text)'x'", "(list<int>)[1]",
        "cast(1 as text)", "foo.bar(1)", "{a: 1}", "{\"A\": 1}"})
    EXPECT_THAT(error_of(std::string("INSERT INTO t (a) VALUES (") + text + ")"),
                AllOf(StartsWith("2200 line 1:"), HasSubstr("not supported")))
        << text;
}

TEST(UpdateParser, ReadsAllParts) {
  const auto update = parse_as<Update>(
      "UPDATE ks.\"T\" USING TIMESTAMP 5 AND TTL ? SET a = ?, \"C0\"=\"C0\"+? "
      "WHERE KEY = ? AND c IN (1,2) IF EXISTS;");
  EXPECT_EQ(update.table.table, "T");
  EXPECT_EQ(show(*update.attributes.timestamp), "5");
  EXPECT_EQ(show(*update.attributes.ttl), "?0");
  ASSERT_EQ(update.assignments.size(), 2U);
  EXPECT_EQ(show(update.assignments[0].value), "?1");
  EXPECT_EQ(update.assignments[1].column, "C0");
  EXPECT_EQ(update.assignments[1].kind, Assignment::Kind::kAdd);
  ASSERT_EQ(update.where.size(), 2U);
  EXPECT_EQ(show(update.where[0]), "key = ?3");
  EXPECT_EQ(update.condition, Condition::kIfExists);
}

TEST(UpdateParser, ReadsAssignments) {
  EXPECT_EQ(assignment("v = 'x'"), "v = 'x");
  EXPECT_EQ(assignment("v = now()"), "v = now()");
  EXPECT_EQ(assignment("v = system.now()"), "v = now()");
  EXPECT_EQ(assignment("v = v + 1"), "v += 1");
  EXPECT_EQ(assignment("v=v+?"), "v += ?0");
  EXPECT_EQ(assignment("v = v - 1"), "v -= 1");
  EXPECT_EQ(assignment("v = v -1"), "v += -1");
  EXPECT_EQ(assignment("v = v-1"), "v += -1");
  EXPECT_EQ(assignment("v = v + -1"), "v += -1");
  EXPECT_EQ(assignment("v += 2"), "v += 2");
  EXPECT_EQ(assignment("V -= :x"), "v -= ?0");
  EXPECT_EQ(assignment("\"V\" = \"V\" + 1"), "V += 1");
  EXPECT_EQ(assignment("v = v + {1}"), "v += set{1}");
}

TEST(UpdateParser, WhatIsWrong) {
  EXPECT_THAT(error_of("update t set v = b + 1 where k = 1"),
              AllOf(StartsWith("2000 line 1:17"), HasSubstr("X = X + <value>")));
  EXPECT_THAT(error_of("update t set v = \"V\" - 1 where k = 1"),
              AllOf(StartsWith("2000 line 1:17"), HasSubstr("X = X - <value>")));
  EXPECT_THAT(error_of("update t set v = 1, v = 2 where k = 1"),
              AllOf(StartsWith("2000 line 1:20"), HasSubstr("Multiple incompatible setting")));
  EXPECT_THAT(error_of("update t set v = v + 1, v = 2 where k = 1"), StartsWith("2000 line 1:24"));
  EXPECT_TRUE(parse_statement("update t set v = v + 1, v = v + 2 where k = 1"));
  for (const char* text :
       {"update t set v = 1", "update t set v = b where k = 1", "update t set where k = 1",
        "update t set v = (v + 1) where k = 1", "update t set v, w = 5 where k = 1",
        "update t set v = v * 2 where k = 1", "update t set v = v -1h where k = 1",
        "update t set v = 1 where k = 1 using ttl 5", "update t set v = 1 where k = 1 if",
        "update t set v = 1 where k = 1 if not exists", "update t set v 1 where k = 1"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
  for (const char* text :
       {"update t set v[1] = 2 where k = 1", "update t set v.x = 2 where k = 1",
        "update t set v = 'x' + v where k = 1", "update t set v = 1 where k = 1 if v = 2",
        "update t set v = 1 where k = 1 if v in (2)",
        "update t set v = 1 where k = 1 if exists = 1"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith("2200 line 1:"), HasSubstr("not supported")))
        << text;
}

TEST(DeleteParser, ReadsAllParts) {
  const auto rows = parse_as<Delete>("DELETE FROM t WHERE k = 1 AND c > 2");
  EXPECT_THAT(rows.columns, IsEmpty());
  EXPECT_EQ(rows.where.size(), 2U);
  EXPECT_EQ(rows.condition, Condition::kNone);
  const auto columns =
      parse_as<Delete>("delete a, \"B\" from ks.t using timestamp ? where k = ? if exists;");
  EXPECT_THAT(columns.columns, ElementsAre("a", "B"));
  EXPECT_EQ(columns.table.keyspace, "ks");
  EXPECT_EQ(show(*columns.attributes.timestamp), "?0");
  EXPECT_EQ(show(columns.where.at(0)), "k = ?1");
  EXPECT_EQ(columns.condition, Condition::kIfExists);
}

TEST(DeleteParser, WhatIsWrong) {
  for (const char* text :
       {"delete from t", "delete * from t where k = 1", "delete from t using ttl 5 where k = 1",
        "delete a, from t where k = 1", "delete from from where k = 1",
        "delete from t where k = 1 if not exists"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
  for (const char* text : {"delete v[1] from t where k = 1", "delete v.x from t where k = 1",
                           "delete from t where k = 1 if v = 3"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith("2200 line 1:"), HasSubstr("not supported")))
        << text;
}

TEST(BatchParser, ReadsItsStatements) {
  const auto batch = parse_as<Batch>(
      "BEGIN UNLOGGED BATCH USING TIMESTAMP 7\n"
      "INSERT INTO t (a) VALUES (?);\n"
      "UPDATE t SET b = ? WHERE a = ? IF EXISTS DELETE FROM t WHERE a = ?\n"
      "APPLY BATCH;");
  EXPECT_EQ(batch.kind, Batch::Kind::kUnlogged);
  EXPECT_EQ(show(*batch.attributes.timestamp), "7");
  ASSERT_EQ(batch.statements.size(), 3U);
  EXPECT_EQ(show(std::get<Insert>(batch.statements[0]).values.at(0)), "?0");
  EXPECT_EQ(std::get<Update>(batch.statements[1]).condition, Condition::kIfExists);
  EXPECT_EQ(show(std::get<Delete>(batch.statements[2]).where.at(0)), "a = ?3");
}

TEST(BatchParser, HasThreeKinds) {
  EXPECT_EQ(parse_as<Batch>("begin batch apply batch").kind, Batch::Kind::kLogged);
  EXPECT_EQ(parse_as<Batch>("begin counter batch apply batch;").kind, Batch::Kind::kCounter);
  for (const char* text : {"begin batch", "begin logged batch apply batch", "begin transaction",
                           "begin batch insert into t(a) values (1);; apply batch",
                           "begin batch select * from t; apply batch", "begin batch apply",
                           "begin batch insert into t(a) values (1)"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
  EXPECT_THAT(error_of("begin batch using ttl 5 apply batch"), StartsWith("2200 Global TTL"));
}

}  // namespace
}  // namespace cqlperf::cql
