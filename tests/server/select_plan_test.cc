#include "server/select_plan.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/result.h"
#include "select_fixture.h"

namespace cqlperf::server {
namespace {

using ::testing::HasSubstr;

class SelectPlanTest : public SelectFixture {
 protected:
  void SetUp() override {
    SelectFixture::SetUp();
    change("CREATE TABLE ks.a (k int PRIMARY KEY, v int, t text)");
    change("CREATE TABLE ks.b (p int, c int, d int, e text, v int, PRIMARY KEY (p, c, d, e))");
    change(
        "CREATE TABLE ks.r (p int, c int, d int, v int, PRIMARY KEY (p, c, d)) "
        "WITH CLUSTERING ORDER BY (c DESC, d ASC)");
    change("CREATE TABLE ks.m (p1 int, p2 text, c int, v int, PRIMARY KEY ((p1, p2), c))");
    change("CREATE INDEX a_v ON ks.a (v)");
    change("CREATE INDEX b_v ON ks.b (v)");
    change("CREATE INDEX b_d ON ks.b (d)");
  }
};

constexpr const char* kFiltering =
    "0x2200 Cannot execute this query as it might involve data filtering and thus may have "
    "unpredictable performance. If you want to execute this query despite the performance "
    "unpredictability, use ALLOW FILTERING";

TEST_F(SelectPlanTest, NamesOfTablesAndColumns) {
  EXPECT_EQ(select("SELECT * FROM nope.a"), "0x2200 keyspace nope does not exist");
  EXPECT_EQ(select("SELECT * FROM nope"), "0x2200 table nope does not exist");
  EXPECT_EQ(select("SELECT nope FROM a"), "0x2200 Undefined column name nope in table ks.a");
  EXPECT_EQ(select("SELECT \"V\" FROM a"), "0x2200 Undefined column name \"V\" in table ks.a");
  EXPECT_EQ(select("SELECT * FROM a WHERE k = 1 AND nope = 1"),
            "0x2200 Undefined column name nope in table ks.a");
  EXPECT_EQ(select("SELECT k AS kk FROM a WHERE kk = 1"),
            "0x2200 Undefined column name kk in table ks.a");
  const auto parsed = cql::parse_statement("SELECT * FROM a").value();
  cql::MarkerSpecs specs(parsed.markers);
  const auto plan =
      SelectPlan::make(std::get<cql::Select>(parsed.statement), catalog_->schema(), "", specs);
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().message, HasSubstr("No keyspace has been specified"));
}

TEST_F(SelectPlanTest, ColumnsOfTheResult) {
  EXPECT_EQ(columns("SELECT * FROM a"), "k int, t text, v int");
  EXPECT_EQ(columns("SELECT v AS x, v, \"k\" AS \"Q\" FROM a"), "x int, v int, Q int");
  EXPECT_EQ(columns("SELECT COUNT(*), count(1), count(v), count(*) AS n FROM a"),
            "count bigint, count bigint, system.count(v) bigint, n bigint");
  EXPECT_EQ(columns("SELECT writetime(v), ttl(v), token(k) FROM a"),
            "writetime(v) bigint, ttl(v) int, system.token(k) bigint");
  EXPECT_EQ(columns("SELECT token(p1, p2), now() FROM m"),
            "system.token(p1, p2) bigint, system.now() timeuuid");
}

TEST_F(SelectPlanTest, BindMarkers) {
  EXPECT_EQ(markers("SELECT k FROM a WHERE k = ? LIMIT ?"), "k int, [limit] int");
  EXPECT_EQ(markers("SELECT k FROM a WHERE k = :x LIMIT :y"), "x int, y int");
  EXPECT_EQ(markers("SELECT p FROM b WHERE p = ? PER PARTITION LIMIT ? LIMIT ?"),
            "p int, [per_partition_limit] int, [limit] int");
  EXPECT_EQ(markers("SELECT k FROM a WHERE k IN ?"), "in(k) list<int>");
  EXPECT_EQ(markers("SELECT k FROM a WHERE k IN (?, ?)"), "k int, k int");
  EXPECT_EQ(markers("SELECT c FROM b WHERE p = ? AND (c, d) >= (?, ?)"), "p int, c int, d int");
  EXPECT_EQ(markers("SELECT c FROM b WHERE p = 1 AND (c, d) >= ?"), "(c,d) tuple<int, int>");
  EXPECT_EQ(markers("SELECT c FROM b WHERE p = 1 AND (c, d) IN ?"),
            "in(c,d) list<tuple<int, int>>");
  EXPECT_EQ(markers("SELECT k FROM a WHERE token(k) > ? AND token(k) <= token(?)"),
            "partition key token bigint, arg0(system.token) int");
  EXPECT_EQ(markers("SELECT k FROM a WHERE v = ? AND t IN ? ALLOW FILTERING"),
            "v int, in(t) list<text>");
  EXPECT_EQ(markers("SELECT token(?) FROM a"), "[selection] int");
}

TEST_F(SelectPlanTest, MarkersOfThePartitionKey) {
  const auto indexes = [&](const std::string& cql) {
    return plan(cql).value()->partition_key_markers();
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(indexes("SELECT * FROM a WHERE k = ?"), ElementsAre(0));
  EXPECT_THAT(indexes("SELECT * FROM m WHERE p2 = ? AND c = ? AND p1 = ?"), ElementsAre(2, 0));
  EXPECT_THAT(indexes("SELECT * FROM m WHERE p1 = 1 AND p2 = ?"), ElementsAre());
  EXPECT_THAT(indexes("SELECT * FROM a WHERE k IN ?"), ElementsAre());
  EXPECT_THAT(indexes("SELECT * FROM a"), ElementsAre());
  EXPECT_THAT(indexes("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = ?"),
              ElementsAre(0));
}

TEST_F(SelectPlanTest, WhatNeedsFiltering) {
  for (const char* cql : {
           "SELECT * FROM r WHERE c = 1",
           "SELECT * FROM r WHERE v = 1",
           "SELECT * FROM r WHERE p > 1",
           "SELECT * FROM m WHERE p1 = 1",
           "SELECT * FROM m WHERE p1 = 1 AND token(p1, p2) > 0",
           "SELECT * FROM r WHERE token(p) > 0 AND c = 1",
           "SELECT * FROM r WHERE p = 1 AND c = 1 AND v = 1",
           "SELECT * FROM b WHERE (c, d) = (1, 1)",
           "SELECT * FROM a WHERE v > 1",
           "SELECT * FROM a WHERE v IN (0, 1)",
           "SELECT * FROM a WHERE v = 1 AND t = '1'",
           "SELECT * FROM b WHERE v = 1 AND c = 1",
           "SELECT * FROM b WHERE v = 1 AND d = 1",
           "SELECT * FROM b WHERE v = 1 AND p = 1 AND d = 1",
           "SELECT * FROM b WHERE d = 1 AND c = 1",
       }) {
    EXPECT_EQ(select(cql), kFiltering) << cql;
    EXPECT_EQ(select(std::string(cql) + " ALLOW FILTERING"), "") << cql;
  }
  for (const char* cql : {
           "SELECT * FROM a WHERE v = 1",
           "SELECT * FROM a WHERE v IN (1)",
           "SELECT * FROM a WHERE v = 1 AND k = 3",
           "SELECT * FROM b WHERE v = 1 AND p = 1",
           "SELECT * FROM b WHERE v = 1 AND p = 1 AND c > 0",
           "SELECT * FROM b WHERE v = 1 AND token(p) > 0",
           "SELECT * FROM b WHERE d = 1",
           "SELECT * FROM b WHERE d = 1 AND p = 1",
           "SELECT * FROM b WHERE p = 1 AND c IN (1, 2) AND v = 1",
       }) {
    EXPECT_EQ(select(cql), "") << cql;
  }
}

TEST_F(SelectPlanTest, ClusteringColumnsThatCannotBeRestricted) {
  EXPECT_EQ(select("SELECT * FROM r WHERE p = 1 AND d = 1"),
            "0x2200 PRIMARY KEY column \"d\" cannot be restricted as preceding column \"c\" is not "
            "restricted");
  EXPECT_EQ(select("SELECT * FROM b WHERE d > 0"),
            "0x2200 PRIMARY KEY column \"d\" cannot be restricted as preceding column \"c\" is not "
            "restricted");
  EXPECT_EQ(select("SELECT * FROM r WHERE p = 1 AND c > 0 AND d = 1"),
            "0x2200 Clustering column \"d\" cannot be restricted (preceding column \"c\" is "
            "restricted by a non-EQ relation)");
}

TEST_F(SelectPlanTest, ColumnsThatAreRestrictedTwice) {
  const std::string equal =
      "0x2200 {} cannot be restricted by more than one relation if it includes an Equal";
  EXPECT_EQ(select("SELECT * FROM a WHERE k = 1 AND k = 2"), fmt::format(fmt::runtime(equal), "k"));
  EXPECT_EQ(select("SELECT * FROM a WHERE v = 1 AND v = 0"), fmt::format(fmt::runtime(equal), "v"));
  EXPECT_EQ(select("SELECT * FROM a WHERE k IN (1, 2) AND k = 1"),
            fmt::format(fmt::runtime(equal), "k"));
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 AND c = 1 AND (c, d) > (0, 1)"),
            fmt::format(fmt::runtime(equal), "c"));
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 AND c > 1 AND c = 0"),
            "0x2200 Column \"c\" cannot be restricted by both an equality and an inequality "
            "relation");
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 AND c > 1 AND c > 0"),
            "0x2200 More than one restriction was found for the start bound on c");
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 AND (c, d) < (1, 1) AND c < 2"),
            "0x2200 More than one restriction was found for the end bound on c");
}

TEST_F(SelectPlanTest, OperatorsThatSelectHasNot) {
  EXPECT_THAT(select("SELECT * FROM a WHERE k != 1"), HasSubstr("0x2200 Unsupported \"!=\""));
  EXPECT_THAT(select("SELECT * FROM a WHERE k IS NOT NULL"), HasSubstr("k IS NOT NULL"));
  EXPECT_THAT(select("SELECT * FROM a WHERE t LIKE 'a'"), HasSubstr("LIKE restriction"));
  EXPECT_EQ(select("SELECT * FROM a WHERE t CONTAINS 'a'"),
            "0x2200 Cannot use CONTAINS on non-collection column t");
  EXPECT_THAT(select("SELECT JSON k FROM a"), HasSubstr("0x2200"));
  EXPECT_THAT(select("SELECT v FROM a GROUP BY k"), HasSubstr("0x2200"));
  EXPECT_THAT(select("SELECT max(v) FROM a"), HasSubstr("max"));
}

TEST_F(SelectPlanTest, Tokens) {
  EXPECT_EQ(select("SELECT * FROM m WHERE token(p2, p1) > 0"),
            "0x2200 The token function arguments must be in the partition key order: p1, p2");
  const std::string all =
      "0x2200 The token() function must be applied to all partition key components or none of them";
  EXPECT_EQ(select("SELECT * FROM m WHERE token(p1) > 0"), all);
  EXPECT_EQ(select("SELECT * FROM a WHERE token(v) > 0"), all);
  EXPECT_EQ(select("SELECT * FROM a WHERE token(k) > 1 AND token(k) > 2"),
            "0x2200 More than one restriction was found for the start bound on k");
  EXPECT_EQ(select("SELECT * FROM a WHERE token(k) > 1 AND token(k) = 2"),
            "0x2200 Columns \"k\" cannot be restricted by both an equality and an inequality "
            "relation");
  EXPECT_EQ(select("SELECT * FROM a WHERE token(k) > token(1, 2)"),
            "0x2200 Invalid number of arguments in call to function system.token: 1 required but 2 "
            "provided");
}

TEST_F(SelectPlanTest, OrderBy) {
  EXPECT_EQ(select("SELECT * FROM r ORDER BY c"),
            "0x2200 ORDER BY is only supported when the partition key is restricted by an EQ or an "
            "IN.");
  EXPECT_EQ(select("SELECT * FROM r WHERE p = 1 ORDER BY c ASC, d ASC"),
            "0x2200 Unsupported order by relation");
  const std::string order =
      "0x2200 Order by currently only supports the ordering of columns following their declared "
      "order in the PRIMARY KEY";
  EXPECT_EQ(select("SELECT * FROM r WHERE p = 1 ORDER BY d"), order);
  EXPECT_EQ(select("SELECT * FROM r WHERE p = 1 AND c IN (0, 2) ORDER BY d"), order);
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 ORDER BY d, c"), order);
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 ORDER BY c, e"), order);
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 AND c = 1 ORDER BY d DESC, e DESC"), "");
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 ORDER BY c ASC, c DESC"), "");
  const std::string clustered =
      "0x2200 Order by is currently only supported on the clustered columns of the PRIMARY KEY, "
      "got ";
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 ORDER BY v"), clustered + "v");
  EXPECT_EQ(select("SELECT * FROM b WHERE p = 1 ORDER BY p"), clustered + "p");
  EXPECT_EQ(select("SELECT * FROM b WHERE v = 1 ORDER BY c"),
            "0x2200 ORDER BY with 2ndary indexes is not supported, except for ANN queries.");
}

TEST_F(SelectPlanTest, DistinctAndCounts) {
  EXPECT_EQ(select("SELECT DISTINCT p, c FROM b"),
            "0x2200 SELECT DISTINCT queries must only request partition key columns and/or static "
            "columns (not c)");
  EXPECT_EQ(select("SELECT DISTINCT p1 FROM m"),
            "0x2200 SELECT DISTINCT queries must request all the partition key columns (missing "
            "p2)");
  EXPECT_THAT(select("SELECT DISTINCT * FROM a"), HasSubstr("(not t)"));
  EXPECT_THAT(select("SELECT DISTINCT p FROM b WHERE c = 1"),
              HasSubstr("only supports restriction by partition key"));
  EXPECT_EQ(select("SELECT DISTINCT p FROM b PER PARTITION LIMIT 1"),
            "0x2200 PER PARTITION LIMIT is not allowed with SELECT DISTINCT queries");
  EXPECT_EQ(select("SELECT count(*) FROM b PER PARTITION LIMIT 1"),
            "0x2200 PER PARTITION LIMIT is not allowed with aggregate queries.");
  EXPECT_EQ(select("SELECT count(v, t) FROM a"),
            "0x2200 Invalid number of arguments in call to function system.count: 1 required but 2 "
            "provided");
}

TEST_F(SelectPlanTest, SelectedFunctions) {
  EXPECT_EQ(select("SELECT writetime(k) FROM a"),
            "0x2200 Cannot use selection function writetime on PRIMARY KEY part k");
  EXPECT_EQ(select("SELECT ttl(k) FROM a"),
            "0x2200 Cannot use selection function ttl on PRIMARY KEY part k");
  EXPECT_THAT(select("SELECT nope(v) FROM a"), HasSubstr("0x2200 Unknown function 'nope'"));
  EXPECT_THAT(select("SELECT int_as_blob(t) FROM a"), HasSubstr("0x2200"));
  EXPECT_EQ(select("SELECT token(p1) FROM m"),
            "0x2200 Invalid number of arguments in call to function system.token: 2 required but 1 "
            "provided");
  EXPECT_EQ(select("SELECT v FROM a WHERE k = 'x'"),
            "0x2200 Invalid STRING constant (x) for \"k\" of type int");
}

TEST_F(SelectPlanTest, HeadOfAnAnswerInItsForms) {
  const auto plan = this->plan("SELECT k, v FROM a").value();
  for (const auto version :
       {protocol::Version::kV3, protocol::Version::kV4, protocol::Version::kV5}) {
    core::Buffer full;
    plan->append_head(full, version, MetadataForm::kFull, {}, {});
    core::Buffer expected;
    protocol::begin_rows(expected, version, plan->metadata());
    expected.truncate(expected.size() - 4);  // the number of rows
    EXPECT_TRUE(std::ranges::equal(full.bytes(), expected.bytes()));
  }
  core::Buffer none;
  plan->append_head(none, protocol::Version::kV4, MetadataForm::kNone, {}, {});
  const protocol::Bytes no_metadata = {0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 2};
  EXPECT_TRUE(std::ranges::equal(none.bytes(), no_metadata));

  const protocol::Bytes id = {7, 8, 9};
  const protocol::Bytes state = {5};
  core::Buffer changed;
  plan->append_head(changed, protocol::Version::kV5, MetadataForm::kChanged, id,
                    protocol::ByteView(state));
  const protocol::Bytes head = {0, 0, 0,   2,   0, 0, 0,  0xB, 0,
                                0, 0, 2,   0,   0, 0, 1,  5,  // paging state
                                0, 3, 7,   8,   9,            // new id
                                0, 2, 'k', 's', 0, 1, 'a'};
  ASSERT_GT(changed.size(), head.size());
  EXPECT_TRUE(std::ranges::equal(changed.bytes().first(head.size()), head));
}

}  // namespace
}  // namespace cqlperf::server
