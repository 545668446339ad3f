#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "select_fixture.h"

namespace cqlperf::server {
namespace {

class SelectIndexTest : public SelectFixture {
 protected:
  void SetUp() override {
    SelectFixture::SetUp();
    change("CREATE TABLE ks.a (k int PRIMARY KEY, v int, t text)");
    change("CREATE TABLE ks.b (p int, c int, d int, v text, PRIMARY KEY (p, c, d))");
    change("CREATE INDEX a_v ON ks.a (v)");
    change("CREATE INDEX b_d ON ks.b (d)");
    change("CREATE INDEX b_v ON ks.b (v)");
  }
  // Entries that are in an index's store, alive.
  size_t live_entries(const std::string& table, const std::string& index) {
    const TablePtr found = catalog_->schema()->find_table("ks", table);
    const auto& one = *std::ranges::find(found->indexes, index, &Index::name);
    size_t count = 0;
    for (auto cursor = engine_->scan(*one.store, {}); cursor->valid(); cursor->next()) {
      const auto row = storage::RowView::parse(cursor->value()).value();
      if (row.is_live(now_us_ / 1'000'000, INT64_MIN)) ++count;
    }
    return count;
  }
};

TEST_F(SelectIndexTest, FindsRowsInTokenOrder) {
  for (int k = 0; k < 5; ++k) {
    write(fmt::format("INSERT INTO a (k, v, t) VALUES ({}, {}, '{}')", k, k % 2, k));
  }
  EXPECT_EQ(select("SELECT k, t FROM a WHERE v = 1"), "1 1; 3 3");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 0"), "0; 2; 4");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = ?", {int_value(7)}), "");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 0 LIMIT 2"), "0; 2");
  EXPECT_EQ(select("SELECT count(*) FROM a WHERE v = 0"), "3");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 1 AND k = 3"), "3");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 1 AND k = 2"), "");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 0 AND token(k) > token(0)"), "2; 4");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 1 AND t = '3' ALLOW FILTERING"), "3");
}

TEST_F(SelectIndexTest, OnClusteringColumnsAndWithinPartitions) {
  for (int p = 0; p < 3; ++p) {
    for (int c = 0; c < 3; ++c) {
      for (int d = 0; d < 2; ++d) {
        write(fmt::format("INSERT INTO b (p, c, d, v) VALUES ({}, {}, {}, '{}')", p, c, d, c));
      }
    }
  }
  EXPECT_EQ(select("SELECT p, c, d FROM b WHERE d = 1 AND p = 1"), "1 0 1; 1 1 1; 1 2 1");
  EXPECT_EQ(select("SELECT p, c, d FROM b WHERE v = '1'"),
            "1 1 0; 1 1 1; 0 1 0; 0 1 1; 2 1 0; 2 1 1");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE v = '1' AND p = 1 AND c = 1"), "1 0; 1 1");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE v = '1' AND p = 1 AND c > 1"), "");
  EXPECT_EQ(select("SELECT c, d FROM b WHERE v = '1' AND p = 1 AND c IN (0, 1)"), "1 0; 1 1");
  EXPECT_EQ(select("SELECT c FROM b WHERE v = '1' AND p = 1 AND c = 1 AND d = 1"), "1");
  EXPECT_EQ(select("SELECT p, d FROM b WHERE v = '1' AND d = 1 ALLOW FILTERING"), "1 1; 0 1; 2 1");
  EXPECT_EQ(select("SELECT p, d FROM b WHERE v = '1' PER PARTITION LIMIT 1"), "1 0; 0 0; 2 0");
  EXPECT_EQ(select("SELECT p FROM b WHERE v = '1' AND p IN (1, 2)"),
            "0x2200 Select on indexed columns and with IN clause for the PRIMARY KEY are not "
            "supported");
}

TEST_F(SelectIndexTest, EntriesThatAreNoLongerTrueAreRemoved) {
  write("INSERT INTO a (k, v) VALUES (1, 10)");
  write("INSERT INTO a (k, v) VALUES (2, 10)");
  write("UPDATE a SET v = 11 WHERE k = 1");
  write("DELETE FROM a WHERE k = 2");
  EXPECT_EQ(live_entries("a", "a_v"), 3u);
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 10"), "");
  EXPECT_EQ(live_entries("a", "a_v"), 1u);
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 11"), "1");
  // The same value again, later than what was removed.
  ++now_us_;
  write("UPDATE a SET v = 10 WHERE k = 1");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 10"), "1");
}

TEST_F(SelectIndexTest, ARemovalSparesAWriteThatComesInBetween) {
  write("INSERT INTO a (k, v) VALUES (1, 10) USING TIMESTAMP 100");
  write("UPDATE a USING TIMESTAMP 200 SET v = 11 WHERE k = 1");
  // The reader removes the entry of 10 as it was at 100, while another write has made it anew.
  start(plan("SELECT k FROM a WHERE v = 10").value(), 1);
  write("UPDATE a USING TIMESTAMP 300 SET v = 10 WHERE k = 1");
  for (int turn = 0; turn < kTurnsMax && !target_.is_answered(1); ++turn) reader_->run_turn();
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 10"), "1");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 10"), "1");
}

TEST_F(SelectIndexTest, EntriesOfKeysStayUntilTheirRowIsDeletedForGood) {
  write("INSERT INTO b (p, c, d, v) VALUES (1, 1, 5, 'x') USING TIMESTAMP 100");
  write("UPDATE b USING TIMESTAMP 50 SET v = 'y' WHERE p = 1 AND c = 2 AND d = 5");
  write("DELETE v FROM b USING TIMESTAMP 60 WHERE p = 1 AND c = 2 AND d = 5");
  EXPECT_EQ(select("SELECT c FROM b WHERE d = 5"), "1");
  // Older than the entry that showed no row, but the row is there.
  write("INSERT INTO b (p, c, d) VALUES (1, 2, 5) USING TIMESTAMP 40");
  EXPECT_EQ(select("SELECT c FROM b WHERE d = 5"), "1; 2");
}

TEST_F(SelectIndexTest, DeletedPartitionsAndRangesAndExpiredValues) {
  for (int c = 0; c < 4; ++c) {
    write(fmt::format("INSERT INTO b (p, c, d, v) VALUES (1, {}, 0, 'x') USING TIMESTAMP 100", c));
    write(fmt::format("INSERT INTO b (p, c, d, v) VALUES (2, {}, 0, 'x') USING TIMESTAMP 100", c));
  }
  write("DELETE FROM b USING TIMESTAMP 150 WHERE p = 1 AND c < 2");
  write("DELETE FROM b USING TIMESTAMP 150 WHERE p = 2");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE v = 'x'"), "1 2; 1 3");
  EXPECT_EQ(select("SELECT p, c FROM b WHERE d = 0"), "1 2; 1 3");
  EXPECT_EQ(live_entries("b", "b_v"), 2u);
  EXPECT_EQ(live_entries("b", "b_d"), 2u);
  write("INSERT INTO a (k, v) VALUES (1, 5) USING TTL 10");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 5"), "1");
  now_us_ += 10'000'000;
  EXPECT_EQ(select("SELECT k FROM a WHERE v = 5"), "");
}

TEST_F(SelectIndexTest, Pages) {
  for (int k = 0; k < 40; ++k) write(fmt::format("INSERT INTO a (k, v) VALUES ({}, 1)", k));
  const std::string all = select("SELECT k FROM a WHERE v = 1");
  for (const int size : {1, 3, 7, 100}) {
    std::string joined = pages("SELECT k FROM a WHERE v = 1", size);
    for (size_t at; (at = joined.find("][")) != std::string::npos;) joined.replace(at, 2, "; ");
    if (joined.ends_with("; ]")) joined.erase(joined.size() - 3, 2);
    EXPECT_EQ(joined, "[" + all + "]") << size;
  }
  EXPECT_EQ(pages("SELECT k FROM a WHERE v = 1 LIMIT 3", 2),
            fmt::format("[{}][{}]", select("SELECT k FROM a WHERE v = 1 LIMIT 2"),
                        select("SELECT k FROM a WHERE v = 1 LIMIT 3")
                            .substr(select("SELECT k FROM a WHERE v = 1 LIMIT 2").size() + 2)));
}

TEST_F(SelectIndexTest, ValuesThatCannotBeLookedUp) {
  EXPECT_EQ(select("SELECT k FROM a WHERE v = ?", {null_value()}),
            "0x2200 Unsupported null value for column v");
  EXPECT_EQ(select("SELECT k FROM a WHERE v = ?", {unset_value()}),
            "0x2200 Unsupported unset value for column v");
}

TEST_F(SelectIndexTest, AnIndexThatIsNotBuiltIsAReadFailure) {
  auto table = std::make_shared<Table>(*catalog_->schema()->find_table("ks", "a"));
  table->indexes.front().is_built = false;
  auto keyspace = std::make_shared<Keyspace>(*catalog_->schema()->keyspaces.at("ks"));
  keyspace->tables["a"] = table;
  auto schema = std::make_shared<Schema>(*catalog_->schema());
  schema->keyspaces["ks"] = keyspace;
  const auto parsed = cql::parse_statement("SELECT k FROM a WHERE v = 1").value();
  cql::MarkerSpecs markers(parsed.markers);
  const auto plan =
      SelectPlan::make(std::get<cql::Select>(parsed.statement), schema, "ks", markers).value();
  const Reply reply = run(plan);
  ASSERT_TRUE(reply.error.has_value());
  EXPECT_TRUE(reply.error->is(protocol::ErrorCode::kReadFailure));
  EXPECT_THAT(reply.error->message, ::testing::HasSubstr("a_v"));
}

TEST_F(SelectIndexTest, CustomIndexesAnswerSlicesWithoutFiltering) {
  change("CREATE TABLE ks.s (k int PRIMARY KEY, v int, w int)");
  change("CREATE CUSTOM INDEX ON ks.s (v) USING 'StorageAttachedIndex'");
  change("CREATE CUSTOM INDEX ON ks.s (w) USING 'StorageAttachedIndex'");
  for (int k = 0; k < 5; ++k) {
    write(fmt::format("INSERT INTO s (k, v, w) VALUES ({}, {}, {})", k, k * 10, k % 2));
  }
  EXPECT_EQ(select("SELECT k FROM s WHERE v > 10"), "2; 4; 3");
  EXPECT_EQ(select("SELECT k FROM s WHERE v > 10 AND w = 0"), "2; 4");
}

}  // namespace
}  // namespace cqlperf::server
