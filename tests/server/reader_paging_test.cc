#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "select_fixture.h"
#include "server/reader_reply.h"
#include "server/reader_scan.h"

namespace cqlperf::server {
namespace {

// Where the pages end is what Cassandra 5.0.8 answers.
class ReaderPagingTest : public SelectFixture {
 protected:
  void SetUp() override {
    SelectFixture::SetUp();
    change("CREATE TABLE ks.a (k int PRIMARY KEY, v int)");
    change("CREATE TABLE ks.b (p int, c int, v text, PRIMARY KEY (p, c))");
    change(
        "CREATE TABLE ks.r (p int, c int, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY "
        "(c DESC)");
    for (int k = 0; k < 5; ++k) write(fmt::format("INSERT INTO a (k, v) VALUES ({}, {})", k, k));
    for (int p = 0; p < 3; ++p) {
      for (int c = 0; c < 4; ++c) {
        write(fmt::format("INSERT INTO b (p, c, v) VALUES ({}, {}, 'x')", p, c));
        write(fmt::format("INSERT INTO r (p, c) VALUES ({}, {})", p, c));
      }
    }
  }
};

TEST_F(ReaderPagingTest, FullScans) {
  EXPECT_EQ(pages("SELECT k FROM a", 2), "[1; 0][2; 4][3]");
  EXPECT_EQ(pages("SELECT k FROM a", 5), "[1; 0; 2; 4; 3][]");
  EXPECT_EQ(pages("SELECT k FROM a", 6), "[1; 0; 2; 4; 3]");
  EXPECT_EQ(pages("SELECT k FROM a LIMIT 4", 2), "[1; 0][2; 4]");
  EXPECT_EQ(pages("SELECT k FROM a LIMIT 3", 2), "[1; 0][2]");
  EXPECT_EQ(pages("SELECT k FROM a WHERE token(k) > token(1)", 2), "[0; 2][4; 3][]");
}

TEST_F(ReaderPagingTest, ByKey) {
  EXPECT_EQ(pages("SELECT k FROM a WHERE k = 1", 1), "[1]");
  EXPECT_EQ(pages("SELECT k FROM a WHERE k IN (1, 2, 3, 4)", 2), "[1; 2][3; 4]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p = 1", 4), "[0; 1; 2; 3][]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p = 1", 3), "[0; 1; 2][3]");
  EXPECT_EQ(pages("SELECT p, c FROM b WHERE p IN (0, 1)", 3),
            "[0 0; 0 1; 0 2][0 3; 1 0; 1 1][1 2; 1 3]");
  EXPECT_EQ(pages("SELECT p FROM b WHERE p = 99", 2), "[]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p = 1 AND c IN (0, 2, 3)", 2), "[0; 2][3]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p = 1 AND c > 0 AND c < 3", 1), "[1][2][]");
  EXPECT_EQ(pages("SELECT c FROM r WHERE p = 1 AND c IN (0, 2, 3)", 2), "[3; 2][0]");
  EXPECT_EQ(pages("SELECT k FROM a WHERE k IN ?", 1, {list_value({int_value(3), int_value(1)})}),
            "[1][3]");
}

TEST_F(ReaderPagingTest, Reversed) {
  EXPECT_EQ(pages("SELECT c FROM r WHERE p = 1 ORDER BY c ASC", 3), "[0; 1; 2][3]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p = 1 ORDER BY c DESC", 2), "[3; 2][1; 0][]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p = 1 AND c < 3 ORDER BY c DESC", 2), "[2; 1][0]");
}

TEST_F(ReaderPagingTest, LimitsGoOnFromPageToPage) {
  EXPECT_EQ(pages("SELECT p, c FROM b PER PARTITION LIMIT 2", 2),
            "[1 0; 1 1][0 0; 0 1][2 0; 2 1][]");
  EXPECT_EQ(pages("SELECT p, c FROM b PER PARTITION LIMIT 3", 2),
            "[1 0; 1 1][1 2; 0 0][0 1; 0 2][2 0; 2 1][2 2]");
  EXPECT_EQ(pages("SELECT p, c FROM b PER PARTITION LIMIT 2 LIMIT 5", 3),
            "[1 0; 1 1; 0 0][0 1; 2 0]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p = 1 PER PARTITION LIMIT 2", 2), "[0; 1]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p IN (0, 1) PER PARTITION LIMIT 3", 2),
            "[0; 1][2; 0][1; 2]");
}

TEST_F(ReaderPagingTest, DistinctFiltersAndCounts) {
  EXPECT_EQ(pages("SELECT DISTINCT p FROM b", 1), "[1][0][2][]");
  EXPECT_EQ(pages("SELECT DISTINCT p FROM b", 3), "[1; 0; 2][]");
  EXPECT_EQ(pages("SELECT p FROM b WHERE c = 1 ALLOW FILTERING", 2), "[1; 0][2]");
  EXPECT_EQ(pages("SELECT count(*) FROM b", 2), "[12]");
}

TEST_F(ReaderPagingTest, DeletionsHoldOnTheNextPageToo) {
  write("DELETE FROM b USING TIMESTAMP 1900000000000000 WHERE p = 1 AND c > 1");
  EXPECT_EQ(pages("SELECT p, c FROM b", 1), "[1 0][1 1][0 0][0 1][0 2][0 3][2 0][2 1][2 2][2 3][]");
  EXPECT_EQ(pages("SELECT c FROM b WHERE p = 1", 1), "[0][1][]");
}

TEST_F(ReaderPagingTest, WritesBetweenPages) {
  const auto first = ask("SELECT k FROM a", {.page_size = 2});
  EXPECT_EQ(first.text, "1; 0");
  write("DELETE FROM a WHERE k = 0");  // the row that the state names
  write("DELETE FROM a WHERE k = 2");
  EXPECT_EQ(
      ask("SELECT k FROM a", {.page_size = 2, .paging_state = first.metadata.paging_state}).text,
      "4; 3");
}

TEST_F(ReaderPagingTest, AStateHoldsAfterARestart) {
  const auto first = ask("SELECT p, c FROM b PER PARTITION LIMIT 3", {.page_size = 2});
  close();
  open();
  EXPECT_EQ(ask("SELECT p, c FROM b PER PARTITION LIMIT 3",
                {.page_size = 100, .paging_state = first.metadata.paging_state})
                .text,
            "1 2; 0 0; 0 1; 0 2; 2 0; 2 1; 2 2");
}

TEST_F(ReaderPagingTest, StatesThatAreNone) {
  const auto state = ask("SELECT k FROM a", {.page_size = 2}).metadata.paging_state.value();
  const std::string bad = "0x000a Invalid value for the paging state";
  EXPECT_EQ(ask("SELECT k FROM a", {.page_size = 2, .paging_state = protocol::Bytes{1, 2, 3}}).text,
            bad);
  EXPECT_EQ(ask("SELECT k FROM a WHERE k = 1", {.paging_state = protocol::Bytes{1, 2, 3}}).text,
            bad);
  EXPECT_EQ(ask("SELECT c FROM b", {.paging_state = state}).text, bad);
  EXPECT_EQ(ask("SELECT k FROM a WHERE k IN (1, 2)", {.paging_state = state}).text, bad);
  EXPECT_EQ(ask("SELECT k FROM a", {.page_size = 2, .paging_state = protocol::Bytes()}).text,
            "1; 0");
  // Of the same statement with other values: its row is not in their range.
  const auto slice = ask("SELECT c FROM b WHERE p = ?", {.values = {int_value(1)}, .page_size = 1});
  EXPECT_EQ(ask("SELECT c FROM b WHERE p = ?",
                {.values = {int_value(2)}, .paging_state = slice.metadata.paging_state})
                .text,
            bad);
}

TEST_F(ReaderPagingTest, PagesEndByBytesToo) {
  const std::string large(100'000, 'x');
  for (int c = 0; c < 30; ++c) {
    write(fmt::format("INSERT INTO b (p, c, v) VALUES (50, {}, '{}')", c, large));
  }
  size_t rows = 0;
  size_t count = 0;
  Asked asked{.page_size = 5000};
  do {
    const Reply page = ask("SELECT c, v FROM b WHERE p = 50", asked);
    EXPECT_LE(page.body_size, kPageBytesMax + large.size() + 1000);
    rows += page.row_count;
    ++count;
    asked.paging_state = page.metadata.paging_state;
  } while (asked.paging_state);
  EXPECT_EQ(rows, 30u);
  EXPECT_EQ(count, 3u);
  // Without pages it is one answer.
  EXPECT_EQ(ask("SELECT c, v FROM b WHERE p = 50").row_count, 30u);
}

TEST_F(ReaderPagingTest, AnAnswerThatNoFrameHoldsIsAnError) {
  target_.leave_out_texts();
  write("INSERT INTO b (p, c, v) VALUES (60, 0, ?)", {text_value(std::string(20'000'000, 'y'))});
  std::string columns = "v";
  for (int copy = 1; copy < 14; ++copy) columns += ", v";
  for (const std::string where : {"p = 60 AND c = 0", "p = 60"}) {
    const Reply reply = ask(fmt::format("SELECT {} FROM b WHERE {}", columns, where));
    ASSERT_TRUE(reply.error.has_value());
    EXPECT_TRUE(reply.error->is(protocol::ErrorCode::kInvalid));
    EXPECT_THAT(reply.error->message, ::testing::HasSubstr("set a page size"));
  }
  EXPECT_EQ(ask("SELECT v, v FROM b WHERE p = 60 AND c = 0").row_count, 1u);
}

}  // namespace
}  // namespace cqlperf::server
