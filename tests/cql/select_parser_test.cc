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

std::vector<std::string> where(const std::string& conditions) {
  std::vector<std::string> shown;
  for (const Relation& relation : parse_as<Select>("SELECT * FROM t WHERE " + conditions).where)
    shown.push_back(show(relation));
  return shown;
}

std::vector<std::string> columns(const std::string& selection) {
  std::vector<std::string> texts;
  for (const Selector& selector : parse_as<Select>("SELECT " + selection + " FROM t").selectors)
    texts.push_back(selector.alias.empty() ? selector.text : selector.alias);
  return texts;
}

TEST(SelectParser, ReadsAllParts) {
  const auto select = parse_as<Select>(
      "SELECT DISTINCT a, \"B\" AS c FROM Ks.\"T\" WHERE a = 1 AND b > ? GROUP BY a, b "
      "ORDER BY b DESC, c PER PARTITION LIMIT 2 LIMIT ? ALLOW FILTERING;");
  EXPECT_EQ(select.table.keyspace, "ks");
  EXPECT_EQ(select.table.table, "T");
  EXPECT_TRUE(select.distinct);
  EXPECT_FALSE(select.json);
  ASSERT_EQ(select.selectors.size(), 2U);
  EXPECT_EQ(show(select.selectors[1].expression), "column:B");
  EXPECT_EQ(select.selectors[1].alias, "c");
  EXPECT_EQ(select.where.size(), 2U);
  EXPECT_THAT(select.group_by, ElementsAre("a", "b"));
  ASSERT_EQ(select.order_by.size(), 2U);
  EXPECT_EQ(select.order_by[0].column, "b");
  EXPECT_TRUE(select.order_by[0].descending);
  EXPECT_FALSE(select.order_by[1].descending);
  EXPECT_EQ(show(*select.per_partition_limit), "2");
  EXPECT_EQ(show(*select.limit), "?1");
  EXPECT_TRUE(select.allow_filtering);
}

TEST(SelectParser, AStarIsNoSelectors) {
  const auto select = parse_as<Select>("select * from system.local where key = 'local'");
  EXPECT_THAT(select.selectors, IsEmpty());
  EXPECT_EQ(select.table.keyspace, "system");
  EXPECT_EQ(show(select.where.at(0)), "key = 'local");
  EXPECT_FALSE(select.limit || select.allow_filtering || select.distinct);
}

TEST(SelectParser, NamesColumnsAsCassandraDoes) {
  EXPECT_THAT(columns("count(*), COUNT(1), Count ( * )"), ElementsAre("count", "count", "count"));
  EXPECT_THAT(columns("count(a), writetime(v), TTL(\"Q\"), maxwritetime(v)"),
              ElementsAre("system.count(a)", "writetime(v)", "ttl(Q)", "maxwritetime(v)"));
  EXPECT_THAT(columns("token(a, b), now(), system.uuid(), toDate(now())"),
              ElementsAre("system.token(a, b)", "system.now()", "system.uuid()",
                          "system.todate(system.now())"));
  EXPECT_THAT(
      columns("system.token(a), system.now(), SYSTEM.Token(a, b), \"system\".token(a)"),
      ElementsAre("system.token(a)", "system.now()", "system.token(a, b)", "system.token(a)"));
  EXPECT_THAT(columns("\"Q\", a AS \"X y\", min(a)"), ElementsAre("Q", "X y", "system.min(a)"));
  EXPECT_THAT(columns("f('a''b', 0xAB, -5, - 5, nan, null, ?, :x, 1.50)"),
              ElementsAre("system.f('a'b', 0xAB, -5, -5, NaN, NULL, ?, :x, 1.50)"));
}

TEST(SelectParser, CountOfAllIsMarked) {
  const auto select = parse_as<Select>("SELECT count(*), count(1), count(2), count(a) FROM t");
  ASSERT_EQ(select.selectors.size(), 4U);
  EXPECT_TRUE(select.selectors[0].star && select.selectors[1].star);
  EXPECT_FALSE(select.selectors[2].star || select.selectors[3].star);
  EXPECT_EQ(show(select.selectors[0].expression), "count()");
  EXPECT_EQ(show(select.selectors[2].expression), "count(2)");
  EXPECT_EQ(show(select.selectors[3].expression), "count(column:a)");
}

TEST(SelectParser, KeywordsThatAreNotReservedAreNames) {
  EXPECT_THAT(columns("key, value, date, type, count, ttl, json, timestamp, int, text, writetime"),
              ElementsAre("key", "value", "date", "type", "count", "ttl", "json", "timestamp",
                          "int", "text", "writetime"));
  EXPECT_THAT(columns("json"), ElementsAre("json"));
  EXPECT_THAT(columns("distinct, as, per"), ElementsAre("distinct", "as", "per"));
  EXPECT_THAT(columns("json as x"), ElementsAre("x"));
  EXPECT_EQ(
      parse_as<Select>("select a from values.type where exists = 1 order by contains").table.table,
      "type");
  EXPECT_THAT(error_of("select token from t"), StartsWith("2000 line 1:7"));
  EXPECT_THAT(error_of("select a as select from t"), StartsWith("2000 line 1:12"));
}

TEST(SelectParser, JsonAndDistinctComeBeforeASelection) {
  EXPECT_TRUE(parse_as<Select>("select json * from t").json);
  EXPECT_TRUE(parse_as<Select>("select json json from t").json);
  const auto both = parse_as<Select>("select json distinct a from t");
  EXPECT_TRUE(both.json && both.distinct);
  EXPECT_FALSE(parse_as<Select>("select json, a from t").json);
  EXPECT_FALSE(parse_as<Select>("select distinct from t").distinct);
}

TEST(SelectParser, ReadsConditions) {
  EXPECT_THAT(where("a=1 AND b<2 and c<=3 and d>4 and e>=5 and f!=6"),
              ElementsAre("a = 1", "b < 2", "c <= 3", "d > 4", "e >= 5", "f != 6"));
  EXPECT_THAT(where("a IN (1, ?) AND b IN () AND c IN ? AND d in :x and e in (?)"),
              ElementsAre("a IN 1 ?0", "b IN", "c IN ?1 all", "d IN ?2 all", "e IN ?3"));
  EXPECT_THAT(where("a contains 1 and b contains key 'x' and c like 'y' and d is not null"),
              ElementsAre("a CONTAINS 1", "b CONTAINS KEY 'x", "c LIKE 'y", "d IS NOT NULL"));
  EXPECT_THAT(where("TOKEN(a, B) >= ? and token(a) <= token(5)"),
              ElementsAre("token(a b) >= ?0", "token(a) <= token(5)"));
  EXPECT_THAT(where("(a) = (1) and (a, b) > (1, ?) and (a,b) <= ?"),
              ElementsAre("(a) = (1)", "(a b) > (1 ?0)", "(a b) <= ?1"));
  EXPECT_THAT(where("(a,b) in ((1,2),(3,4)) and (a,b) in (?,:x) and (a,b) in ? and (a,b) in ()"),
              ElementsAre("(a b) IN (1 2) (3 4)", "(a b) IN ?0 ?1", "(a b) IN ?2 all", "(a b) IN"));
  EXPECT_THAT(where("((a = 1)) and (token(a) > 3) and ((a,b) = (1,2))"),
              ElementsAre("a = 1", "token(a) > 3", "(a b) = (1 2)"));
  EXPECT_THAT(where("a=:key and\"count\"=?"), ElementsAre("a = ?0", "count = ?1"));
}

TEST(SelectParser, ConditionsThatAreNone) {
  for (const char* conditions : {"",
                                 "a",
                                 "a =",
                                 "a = 1 and",
                                 "and",
                                 "5 = a",
                                 "a == 5",
                                 "a <> 5",
                                 "a = b",
                                 "a = \"b\"",
                                 "a in 1",
                                 "a in (1,)",
                                 "a between 1 and 2",
                                 "a not in (1)",
                                 "a = 1 or b = 2",
                                 "a is null",
                                 "token() > 5",
                                 "token(a) in (1)",
                                 "(a,b) = 5",
                                 "(a,b) in (5)",
                                 "(a,b) in ((1,2), ?)",
                                 "(a,b) in (?, (1,2))",
                                 "a.b = 5",
                                 "(a = 1",
                                 "a like",
                                 "() = ()"})
    EXPECT_THAT(error_of(std::string("SELECT * FROM t WHERE ") + conditions),
                StartsWith("2000 line 1:"))
        << conditions;
}

TEST(SelectParser, RelationsKnowTheirPlace) {
  const auto select = parse_as<Select>("select * from t where a = 1 and\n (b, c) > (1, 2)");
  EXPECT_EQ(select.where.at(0).position, (Position{1, 22}));
  EXPECT_EQ(select.where.at(1).position, (Position{2, 1}));
}

TEST(SelectParser, MarkersAreNumberedInOrder) {
  const auto parsed = parse_statement(
      "SELECT f(?) FROM t WHERE a = :A AND b IN (?, :\"B b\") PER PARTITION LIMIT :l LIMIT : key");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  std::vector<std::string> names;
  for (const Marker& marker : parsed->markers) names.push_back(marker.name);
  EXPECT_THAT(names, ElementsAre("", "a", "", "B b", "l", "key"));
  EXPECT_EQ(parsed->markers[1].position, (Position{1, 29}));
}

TEST(SelectParser, TakesWhatScyllaToolsAppend) {
  EXPECT_TRUE(parse_statement("SELECT a FROM t LIMIT 5 BYPASS CACHE"));
  EXPECT_TRUE(parse_statement("SELECT a FROM t ALLOW FILTERING BYPASS CACHE USING TIMEOUT 5s;"));
  EXPECT_TRUE(parse_statement("select * from system.local USING TIMEOUT 30000ms"));
  EXPECT_THAT(error_of("SELECT a FROM t USING TTL 5"), StartsWith("2000 line 1:22"));
  EXPECT_THAT(error_of("SELECT a FROM t USING TIMEOUT 5"), StartsWith("2000 line 1:30"));
  EXPECT_THAT(error_of("SELECT a FROM t USING TIMEOUT ?"), StartsWith("2200 line 1:30"));
}

TEST(SelectParser, KeepsTheOrderOfItsParts) {
  for (const char* text :
       {"select a from t limit 1 per partition limit 1", "select a from t limit 1 order by a",
        "select a from t allow filtering limit 1", "select a from t order by a where b = 1",
        "select a from t order by a group by b"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
}

TEST(SelectParser, LimitsAreIntegersOrMarkers) {
  EXPECT_EQ(show(*parse_as<Select>("select a from t limit -1").limit), "-1");
  for (const char* limit : {"1.5", "'a'", "a", "", "null", "(1)"})
    EXPECT_THAT(error_of(std::string("select a from t limit ") + limit), StartsWith("2000"));
}

TEST(SelectParser, RefusesWhatTheServerHasNot) {
  EXPECT_THAT(error_of("select cast(a as text) from t"),
              AllOf(StartsWith("2200 line 1:7"), HasSubstr("CAST"), HasSubstr("not supported")));
  EXPECT_THAT(error_of("select a + 1 from t"),
              AllOf(StartsWith("2200 line 1:9"), HasSubstr("arithmetic")));
  for (const char* text :
       {"select a[1] from t", "select a.b from t", "select ks.f(a) from t", "select (a, b) from t",
        "select [a] from t", "select {a} from t", "select (int)1 from t", "select -a from t",
        "select a from t order by v ann of [1.0]", "select a from t group by floor(a)",
        "select a from t where m['x'] = 5"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith("2200 line 1:"), HasSubstr("not supported")))
        << text;
}

}  // namespace
}  // namespace cqlperf::cql
