#include <string>

#include <gtest/gtest.h>

#include "select_fixture.h"

namespace cqlperf::server {
namespace {

// Which rows and cells are to be seen, and what filters leave of them.
class SelectRowsTest : public SelectFixture {
 protected:
  void SetUp() override {
    SelectFixture::SetUp();
    change("CREATE TABLE ks.a (k int PRIMARY KEY, v int, t text)");
    change("CREATE TABLE ks.b (p int, c int, v int, t text, PRIMARY KEY (p, c))");
    change("CREATE TABLE ks.n (k int PRIMARY KEY, c counter, d counter)");
  }
  // What all ways to read one row say of it.
  std::string row(int p, int c) {
    const std::string point =
        select(fmt::format("SELECT c, v FROM b WHERE p = {} AND c = {}", p, c));
    EXPECT_EQ(
        select(fmt::format("SELECT c, v FROM b WHERE p = {} AND c >= {} AND c <= {}", p, c, c)),
        point);
    EXPECT_EQ(
        select(fmt::format(
            "SELECT c, v FROM b WHERE p = {} AND c >= {} AND c <= {} ORDER BY c DESC", p, c, c)),
        point);
    EXPECT_EQ(
        select(fmt::format("SELECT c, v FROM b WHERE p IN ({}, 999) AND c IN ({}, 888)", p, c)),
        point);
    EXPECT_EQ(select(fmt::format(
                  "SELECT c, v FROM b WHERE token(p) >= token({}) AND token(p) <= token({}) AND "
                  "c = {} ALLOW FILTERING",
                  p, p, c)),
              point);
    return point;
  }
};

TEST_F(SelectRowsTest, InsertedRowsWithoutValuesAreSeenUpdatedOnesAreNot) {
  write("INSERT INTO a (k) VALUES (1)");
  write("UPDATE a SET v = 1 WHERE k = 2");
  write("UPDATE a SET v = null WHERE k = 2");
  EXPECT_EQ(select("SELECT * FROM a WHERE k = 1"), "1 null null");
  EXPECT_EQ(select("SELECT * FROM a WHERE k = 2"), "");
  EXPECT_EQ(select("SELECT * FROM a"), "1 null null");
  EXPECT_EQ(select("SELECT count(*) FROM a"), "1");
  EXPECT_EQ(select("SELECT DISTINCT k FROM a"), "1");
}

TEST_F(SelectRowsTest, DeletedRowsAreNotSeen) {
  write("INSERT INTO b (p, c, v) VALUES (1, 1, 10) USING TIMESTAMP 100");
  write("INSERT INTO b (p, c, v) VALUES (1, 2, 20) USING TIMESTAMP 100");
  write("INSERT INTO b (p, c, v) VALUES (1, 3, 30) USING TIMESTAMP 200");
  write("DELETE FROM b USING TIMESTAMP 150 WHERE p = 1 AND c = 2");
  EXPECT_EQ(row(1, 1), "1 10");
  EXPECT_EQ(row(1, 2), "");
  write("DELETE FROM b USING TIMESTAMP 150 WHERE p = 1");
  EXPECT_EQ(row(1, 1), "");
  EXPECT_EQ(row(1, 3), "3 30");
  EXPECT_EQ(select("SELECT c FROM b"), "3");
  EXPECT_EQ(select("SELECT c FROM b WHERE p = 1 ORDER BY c DESC"), "3");
  write("INSERT INTO b (p, c, v) VALUES (1, 1, 11) USING TIMESTAMP 151");
  EXPECT_EQ(row(1, 1), "1 11");
}

TEST_F(SelectRowsTest, DeletedRangesAreNotSeen) {
  for (int c = 0; c < 6; ++c) {
    write(fmt::format("INSERT INTO b (p, c, v) VALUES (1, {}, {}) USING TIMESTAMP 100", c, c));
    write(fmt::format("INSERT INTO b (p, c, v) VALUES (2, {}, {}) USING TIMESTAMP 100", c, c));
  }
  write("DELETE FROM b USING TIMESTAMP 150 WHERE p = 1 AND c > 1 AND c <= 3");
  EXPECT_EQ(row(1, 1), "1 1");
  EXPECT_EQ(row(1, 2), "");
  EXPECT_EQ(row(1, 3), "");
  EXPECT_EQ(row(1, 4), "4 4");
  EXPECT_EQ(row(2, 2), "2 2");
  EXPECT_EQ(select("SELECT count(*) FROM b"), "10");
  EXPECT_EQ(select("SELECT c FROM b WHERE p = 1 AND c > 0 ORDER BY c DESC"), "5; 4; 1");
}

TEST_F(SelectRowsTest, ExpiredCellsAndRowsAreNotSeen) {
  write("INSERT INTO a (k, v) VALUES (1, 10) USING TTL 100");
  write("UPDATE a SET t = 'stays' WHERE k = 2");
  write("UPDATE a USING TTL 100 SET v = 20 WHERE k = 2");
  EXPECT_EQ(select("SELECT k, v, ttl(v), ttl(t) FROM a"), "1 10 100 null; 2 20 100 null");
  now_us_ += 40'000'000;
  EXPECT_EQ(select("SELECT ttl(v) FROM a WHERE k = 1"), "60");
  now_us_ += 60'000'000;
  EXPECT_EQ(select("SELECT k, v FROM a"), "2 null");
  EXPECT_EQ(select("SELECT k, v FROM a WHERE k = 1"), "");
  EXPECT_EQ(select("SELECT count(v), count(*) FROM a"), "0 1");
}

TEST_F(SelectRowsTest, TimesOfWriting) {
  write("INSERT INTO a (k, v) VALUES (1, 10) USING TIMESTAMP 1000");
  write("UPDATE a USING TIMESTAMP 2000 SET t = 'x' WHERE k = 1");
  EXPECT_EQ(select("SELECT writetime(v), writetime(t), ttl(v) FROM a WHERE k = 1"),
            "1000 2000 null");
  EXPECT_EQ(select("SELECT writetime(v) FROM a WHERE k IN (1, 2)"), "1000");
  EXPECT_EQ(select("SELECT blob_as_bigint(bigint_as_blob(writetime(v))) FROM a WHERE k = 1"),
            "1000");
  write("INSERT INTO a (k, t) VALUES (2, 'y')");
  EXPECT_EQ(select("SELECT writetime(v) FROM a WHERE k = 2"), "null");
}

TEST_F(SelectRowsTest, Counters) {
  write("UPDATE n SET c = c + 5 WHERE k = 1");
  write("UPDATE n SET c = c - 2 WHERE k = 1");
  EXPECT_EQ(select("SELECT * FROM n"), "1 3 null");
  EXPECT_EQ(select("SELECT c FROM n WHERE k = 1"), "3");
  EXPECT_EQ(select("SELECT k FROM n WHERE c = 3 ALLOW FILTERING"), "1");
}

TEST_F(SelectRowsTest, FiltersOnAnyColumn) {
  for (int p = 0; p < 2; ++p) {
    for (int c = 0; c < 4; ++c) {
      write(fmt::format("INSERT INTO b (p, c, v, t) VALUES ({}, {}, {}, '{}')", p, c, c * 10,
                        c % 2 == 0 ? "even" : "odd"));
    }
  }
  write("INSERT INTO b (p, c) VALUES (1, 9)");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE v >= 20 ALLOW FILTERING"), "1 2; 1 3; 0 2; 0 3");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE v > 0 AND v < 20 ALLOW FILTERING"), "1 1; 0 1");
  EXPECT_EQ(select("SELECT c FROM b WHERE p = 1 AND t = 'odd' ALLOW FILTERING"), "1; 3");
  EXPECT_EQ(select("SELECT c FROM b WHERE p = 1 AND t IN ('odd', 'even') LIMIT 3 ALLOW FILTERING"),
            "0; 1; 2");
  EXPECT_EQ(select("SELECT c FROM b WHERE p = 1 AND c > 0 AND t = 'even' ALLOW FILTERING"), "2");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE c IN (1, 3) AND v = 30 ALLOW FILTERING"), "1 3; 0 3");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE p > 0 AND c = 1 ALLOW FILTERING"), "1 1");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE (c) >= (3) ALLOW FILTERING"), "1 3; 1 9; 0 3");
  EXPECT_EQ(select("SELECT count(*) FROM b WHERE v = ? ALLOW FILTERING", {int_value(10)}), "2");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE v = 10 PER PARTITION LIMIT 1 ALLOW FILTERING"),
            "1 1; 0 1");
}

TEST_F(SelectRowsTest, FiltersWithNullAndUnsetValues) {
  write("INSERT INTO b (p, c, v) VALUES (1, 1, 1)");
  EXPECT_EQ(select("SELECT c FROM b WHERE v = ? ALLOW FILTERING", {null_value()}),
            "0x2200 Unsupported null value for column v");
  EXPECT_EQ(select("SELECT c FROM b WHERE v = ? ALLOW FILTERING", {unset_value()}),
            "0x2200 Unsupported unset value for column v");
  EXPECT_EQ(select("SELECT c FROM b WHERE v IN ? ALLOW FILTERING",
                   {list_value({int_value(1), null_value()})}),
            "1");
  EXPECT_EQ(
      select("SELECT c FROM b WHERE v IN (?, ?) ALLOW FILTERING", {null_value(), int_value(1)}),
      "1");
  EXPECT_EQ(select("SELECT c FROM b WHERE v IN ? ALLOW FILTERING", {list_value({})}), "");
}

TEST_F(SelectRowsTest, ValuesAreComparedByTheirType) {
  change("CREATE TABLE ks.types (k int PRIMARY KEY, b bigint, d double, u varint)");
  write("INSERT INTO types (k, b, d, u) VALUES (1, -1, -1.5, -300)");
  write("INSERT INTO types (k, b, d, u) VALUES (2, 1, 0.5, 300)");
  EXPECT_EQ(select("SELECT k FROM types WHERE b < 0 ALLOW FILTERING"), "1");
  EXPECT_EQ(select("SELECT k FROM types WHERE d < 0.0 ALLOW FILTERING"), "1");
  EXPECT_EQ(select("SELECT k FROM types WHERE u > -5 ALLOW FILTERING"), "2");
}

TEST_F(SelectRowsTest, AddedColumnsAreNullInOldRows) {
  write("INSERT INTO a (k, v) VALUES (1, 10)");
  change("ALTER TABLE ks.a ADD x int");
  EXPECT_EQ(select("SELECT * FROM a"), "1 null 10 null");
  write("UPDATE a SET x = 5 WHERE k = 1");
  EXPECT_EQ(select("SELECT * FROM a WHERE k = 1"), "1 null 10 5");
}

}  // namespace
}  // namespace cqlperf::server
