#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "select_fixture.h"

namespace cqlperf::server {
namespace {

// The tables and rows that the same statements were run on with Cassandra 5.0.8: the answers here
// are its answers.
class SelectKeysTest : public SelectFixture {
 protected:
  void SetUp() override {
    SelectFixture::SetUp();
    change("CREATE TABLE ks.a (k int PRIMARY KEY, v int, t text)");
    change("CREATE TABLE ks.b (p int, c int, d int, e text, v int, PRIMARY KEY (p, c, d, e))");
    change(
        "CREATE TABLE ks.r (p int, c int, d int, v int, PRIMARY KEY (p, c, d)) "
        "WITH CLUSTERING ORDER BY (c DESC, d ASC)");
    change("CREATE TABLE ks.m (p1 int, p2 text, c int, v int, PRIMARY KEY ((p1, p2), c))");
    for (int k = 0; k < 5; ++k) {
      write(fmt::format("INSERT INTO a (k, v, t) VALUES ({}, {}, '{}')", k, k % 2, k));
    }
    for (int p = 0; p < 3; ++p) {
      for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 2; ++d) {
          write(fmt::format("INSERT INTO b (p, c, d, e, v) VALUES ({}, {}, {}, 'x', {})", p, c, d,
                            c));
          write(fmt::format("INSERT INTO r (p, c, d, v) VALUES ({}, {}, {}, {})", p, c, d, c));
          write(fmt::format("INSERT INTO m (p1, p2, c, v) VALUES ({}, '{}', {}, {})", p, c, d, c));
        }
      }
    }
  }
};

TEST_F(SelectKeysTest, ByPartitionKey) {
  EXPECT_EQ(select("SELECT * FROM a WHERE k = 3"), "3 3 1");
  EXPECT_EQ(select("SELECT v, k, v FROM a WHERE k = 3"), "1 3 1");
  EXPECT_EQ(select("SELECT * FROM a WHERE k = ?", {int_value(4)}), "4 4 0");
  EXPECT_EQ(select("SELECT * FROM a WHERE k = 77"), "");
  EXPECT_EQ(select("SELECT v FROM m WHERE p1 = 1 AND p2 = '2' AND c = 0"), "2");
  EXPECT_EQ(select("SELECT v FROM m WHERE p2 = ? AND c = ? AND p1 = ?",
                   {text_value("2"), int_value(0), int_value(1)}),
            "2");
  EXPECT_EQ(select("SELECT c, v FROM m WHERE p1 = 1 AND p2 = '2'"), "0 2; 1 2");
}

TEST_F(SelectKeysTest, InOnThePartitionKeyComesByValue) {
  EXPECT_EQ(select("SELECT k FROM a WHERE k IN (4, 1, 0, 1)"), "0; 1; 4");
  EXPECT_EQ(select("SELECT k FROM a WHERE k IN ?", {list_value({int_value(3), int_value(1)})}),
            "1; 3");
  EXPECT_EQ(select("SELECT k FROM a WHERE k IN ()"), "");
  EXPECT_EQ(select("SELECT p, c, d FROM b WHERE p IN (2, 0) LIMIT 3"), "0 0 0; 0 0 1; 0 1 0");
  EXPECT_EQ(select("SELECT p1, p2, c FROM m WHERE p1 IN (1, 0) AND p2 IN ('1', '0') AND c = 1"),
            "0 0 1; 0 1 1; 1 0 1; 1 1 1");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE p IN (2, 1) AND c IN (2, 1) AND d = 1 AND e = 'x'"),
            "1 1; 1 2; 2 1; 2 2");
}

TEST_F(SelectKeysTest, SlicesOfClusteringColumns) {
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND c > 1"), "2 0; 2 1");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND c >= 1 AND c < 2"), "1 0; 1 1");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND c = 1 AND d <= 0"), "1 0");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 AND c > 0"), "2 0; 2 1; 1 0; 1 1");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 AND c < 2 AND c > 0"), "1 0; 1 1");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 AND c > 3"), "");
  EXPECT_EQ(select("SELECT c FROM b WHERE p = 1 AND c IN (2, 0)"), "0; 0; 2; 2");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 AND c IN (0, 2)"), "2 0; 2 1; 0 0; 0 1");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND c IN (1, 2) AND d > 0"), "1 1; 2 1");
}

TEST_F(SelectKeysTest, SlicesOfSeveralColumns) {
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND (c, d) >= (1, 1)"), "1 1; 2 0; 2 1");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND (c, d) >= (1, 1) AND (c) < (2)"), "1 1");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 AND (c, d) >= (1, 1)"), "2 0; 2 1; 1 1");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 AND (c, d) >= (1, 1) AND (c, d) < (2, 1)"),
            "2 0; 1 1");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND (c, d) IN ((2, 0), (1, 1))"), "1 1; 2 0");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND (c, d) >= ?",
                   {tuple_value({int_value(2), int_value(0)})}),
            "2 0; 2 1");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = ? AND (c, d) >= (?, ?) AND (c, d) <= (?, ?)",
                   {int_value(1), int_value(0), int_value(1), int_value(1), int_value(0)}),
            "0 1; 1 0");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND c > 0 AND (c, d) < (2, 1)"),
            "1 0; 1 1; 2 0");
}

TEST_F(SelectKeysTest, OrderByWithinAPartition) {
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 ORDER BY c ASC"),
            "0 1; 0 0; 1 1; 1 0; 2 1; 2 0");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 ORDER BY c ASC, d DESC LIMIT 3"),
            "0 1; 0 0; 1 1");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 ORDER BY c DESC LIMIT 1"), "2 0");
  EXPECT_EQ(select("SELECT c, d FROM r WHERE p = 1 AND c = 1 ORDER BY d DESC"), "1 1; 1 0");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND c IN (2, 0) ORDER BY c DESC, d DESC"),
            "2 1; 2 0; 0 1; 0 0");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE p = 1 AND c > 0 AND c < 2 ORDER BY c DESC"),
            "1 1; 1 0");
}

TEST_F(SelectKeysTest, OrderByOverSeveralPartitionsMergesThem) {
  EXPECT_EQ(select("SELECT p, c FROM r WHERE p IN (2, 0) ORDER BY c ASC"),
            "0 0; 0 0; 2 0; 2 0; 0 1; 0 1; 2 1; 2 1; 0 2; 0 2; 2 2; 2 2");
  EXPECT_EQ(select("SELECT p, d FROM r WHERE p IN (1, 2) ORDER BY c ASC LIMIT 3"), "1 1; 1 0; 2 1");
  EXPECT_EQ(select("SELECT p, c FROM r WHERE p IN (1, 2) ORDER BY c ASC PER PARTITION LIMIT 1"),
            "1 0; 2 0");
  EXPECT_EQ(select("SELECT c FROM r WHERE p IN (1) ORDER BY c ASC LIMIT 1"), "0");
  EXPECT_EQ(ask("SELECT c FROM r WHERE p IN (1, 2) ORDER BY c", {.page_size = 10}).text,
            "0x2200 Cannot page queries with both ORDER BY and a IN restriction on the partition "
            "key; you must either remove the ORDER BY or the IN and sort client side, or disable "
            "paging for this query");
}

TEST_F(SelectKeysTest, TokensAndFullScansComeInTokenOrder) {
  EXPECT_EQ(select("SELECT k FROM a"), "1; 0; 2; 4; 3");
  EXPECT_EQ(select("SELECT k FROM a LIMIT 2"), "1; 0");
  EXPECT_EQ(select("SELECT k, token(k) FROM a WHERE token(k) > 0"), "3 9010454139840013625");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) >= token(1) AND token(k) <= token(4)"),
            "1; 0; 2; 4");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) > token(1) AND token(k) < token(4)"), "0; 2");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) = token(2)"), "2");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) > 5 AND token(k) < -5"), "");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) > ? AND token(k) <= ?",
                   {bigint_value(0), bigint_value(INT64_MAX)}),
            "3");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) > token(?)", {int_value(4)}), "3");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) > token(1) AND k IN (1, 2)"), "2");
  EXPECT_EQ(select("SELECT p1, p2, c FROM m WHERE token(p1, p2) > 0 LIMIT 1"), "1 2 0");
}

TEST_F(SelectKeysTest, TheSmallestTokenIsNoUpperEnd) {
  const std::string all = "1; 0; 2; 4; 3";
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) > -9223372036854775808"), all);
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) <= -9223372036854775808"), all);
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) < -9223372036854775808"), all);
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) > 9223372036854775807"), "");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) <= 9223372036854775807"), all);
}

TEST_F(SelectKeysTest, Limits) {
  EXPECT_EQ(select("SELECT p, c FROM b PER PARTITION LIMIT 2"), "1 0; 1 0; 0 0; 0 0; 2 0; 2 0");
  EXPECT_EQ(select("SELECT p, c FROM b PER PARTITION LIMIT 2 LIMIT 3"), "1 0; 1 0; 0 0");
  EXPECT_EQ(select("SELECT p FROM b WHERE p = ? PER PARTITION LIMIT ? LIMIT ?",
                   {int_value(1), int_value(3), int_value(2)}),
            "1; 1");
  EXPECT_EQ(select("SELECT k FROM a LIMIT ?", {unset_value()}), "1; 0; 2; 4; 3");
  EXPECT_EQ(select("SELECT k FROM a LIMIT ?", {int_value(0)}),
            "0x2200 LIMIT must be strictly positive");
  EXPECT_EQ(select("SELECT k FROM a WHERE k = 1 LIMIT ?", {int_value(-1)}),
            "0x2200 LIMIT must be strictly positive");
  EXPECT_EQ(select("SELECT k FROM a LIMIT ?", {null_value()}),
            "0x2200 Invalid null value of limit");
  EXPECT_EQ(select("SELECT p FROM b PER PARTITION LIMIT 0"),
            "0x2200 LIMIT must be strictly positive");
}

TEST_F(SelectKeysTest, Distinct) {
  EXPECT_EQ(select("SELECT DISTINCT p FROM b"), "1; 0; 2");
  EXPECT_EQ(select("SELECT DISTINCT p FROM b LIMIT 2"), "1; 0");
  EXPECT_EQ(select("SELECT DISTINCT p FROM b WHERE p IN (2, 1)"), "1; 2");
  EXPECT_EQ(select("SELECT DISTINCT k AS z FROM a LIMIT 1"), "1");
  EXPECT_EQ(select("SELECT DISTINCT count(p) FROM b"), "3");
}

TEST_F(SelectKeysTest, Counting) {
  EXPECT_EQ(select("SELECT COUNT(*) FROM a"), "5");
  EXPECT_EQ(select("SELECT count(1) FROM b WHERE p = 1 AND c > 0"), "4");
  EXPECT_EQ(select("SELECT count(*), k FROM a"), "5 1");
  EXPECT_EQ(select("SELECT k, count(*) FROM a WHERE k = 77"), "null 0");
  EXPECT_EQ(select("SELECT count(*) FROM a LIMIT 2"), "5");
  write("INSERT INTO a (k) VALUES (9)");
  EXPECT_EQ(select("SELECT count(v), count(*) FROM a"), "5 6");
}

TEST_F(SelectKeysTest, FunctionsOfColumns) {
  EXPECT_EQ(select("SELECT token(k) AS t, k FROM a WHERE k = 1"), "-4069959284402364209 1");
  EXPECT_EQ(select("SELECT token(3) FROM a WHERE k = 1"), "9010454139840013625");
  EXPECT_EQ(select("SELECT token(?) FROM a WHERE k = 1", {int_value(3)}), "9010454139840013625");
  EXPECT_EQ(select("SELECT blob_as_int(int_as_blob(v)), v FROM a WHERE k IN (1, 2)"), "1 1; 0 0");
  EXPECT_EQ(select("SELECT to_unix_timestamp(now()) FROM a WHERE k = 1").size(),
            std::string("1700000000000").size());
  EXPECT_EQ(select("SELECT uuid() FROM a WHERE k = 77"), "");
}

TEST_F(SelectKeysTest, NullAndUnsetKeys) {
  EXPECT_EQ(select("SELECT k FROM a WHERE k = ?", {null_value()}),
            "0x2200 Invalid null value in condition for column k");
  EXPECT_EQ(select("SELECT c FROM b WHERE p = 1 AND c = ?", {unset_value()}),
            "0x2200 Invalid unset value for column c");
  EXPECT_EQ(select("SELECT k FROM a WHERE k IN ?", {null_value()}),
            "0x2200 Invalid null value for column k");
  EXPECT_EQ(select("SELECT k FROM a WHERE token(k) > ?", {null_value()}),
            "0x2200 Invalid null token value");
  EXPECT_THAT(select("SELECT k FROM a WHERE k = ?", {text_value("no int")}),
              ::testing::StartsWith("0x2200"));
}

}  // namespace
}  // namespace cqlperf::server
