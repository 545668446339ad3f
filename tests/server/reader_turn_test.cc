#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.h"
#include "select_fixture.h"

namespace cqlperf::server {
namespace {

// How a reader shares its turns.
class ReaderTurnTest : public SelectFixture {
 protected:
  void SetUp() override {
    SelectFixture::SetUp();
    change("CREATE TABLE ks.a (k int PRIMARY KEY, v int)");
    change("CREATE TABLE ks.b (p int, c int, v int, PRIMARY KEY (p, c))");
  }
  // Rows of one partition, committed together.
  void fill(int rows) {
    const auto insert = write_plan("INSERT INTO b (p, c, v) VALUES (1, ?, 1)");
    for (int c = 0; c < rows; ++c) queue_write(*insert, {int_value(c)});
    writer_->commit();
  }
  int turns_until(int16_t stream) {
    int turns = 0;
    while (!target_.is_answered(stream) && turns < kTurnsMax) {
      reader_->run_turn();
      ++turns;
    }
    return turns;
  }
};

TEST_F(ReaderTurnTest, ReadsOfATurnAreAnsweredTogetherEachWithItsOwnRow) {
  for (int k = 0; k < 500; ++k) write(fmt::format("INSERT INTO a (k, v) VALUES ({}, {})", k, -k));
  const auto one = plan("SELECT v, k FROM a WHERE k = ?").value();
  const auto other = plan("SELECT k FROM a WHERE k = ?").value();
  for (int16_t stream = 0; stream < 600; ++stream) {
    start(stream % 2 == 0 ? one : other, stream, {.values = {int_value(stream)}});
  }
  EXPECT_TRUE(reader_->has_work());
  EXPECT_FALSE(target_.is_answered(0));
  reader_->run_turn();
  EXPECT_FALSE(reader_->has_work());
  for (int16_t stream = 0; stream < 600; ++stream) {
    std::string expected =
        stream % 2 == 0 ? fmt::format("{} {}", -stream, stream) : fmt::format("{}", stream);
    if (stream >= 500) expected = "";
    ASSERT_TRUE(target_.is_answered(stream)) << stream;
    EXPECT_EQ(target_.take(stream).text, expected);
  }
}

TEST_F(ReaderTurnTest, ValuesNeedNotOutliveTheCall) {
  write("INSERT INTO b (p, c, v) VALUES (1, 2, 3)");
  const auto filtered =
      plan("SELECT c, token(?) FROM b WHERE p = ? AND v = ? ALLOW FILTERING").value();
  start(filtered, 7, {.values = {int_value(3), int_value(1), int_value(3)}});
  start(plan("SELECT v FROM b WHERE p = ? AND c = ?").value(), 8,
        {.values = {int_value(1), int_value(2)}});
  turns_until(7);
  EXPECT_EQ(target_.take(7).text, "2 9010454139840013625");
  EXPECT_EQ(target_.take(8).text, "3");
}

TEST_F(ReaderTurnTest, ALongScanDoesNotHoldUpOthers) {
  fill(20'000);
  start(plan("SELECT count(*) FROM b WHERE p = 1").value(), 1);
  reader_->run_turn();
  ASSERT_FALSE(target_.is_answered(1)) << "a count of all rows within one turn";
  const auto point = plan("SELECT v FROM b WHERE p = 1 AND c = 5").value();
  start(point, 2);
  EXPECT_EQ(turns_until(2), 1);
  // A short scan that comes later is answered before.
  start(plan("SELECT c FROM b WHERE p = 1 LIMIT 2").value(), 3);
  EXPECT_LE(turns_until(3), 2);
  EXPECT_FALSE(target_.is_answered(1));
  turns_until(1);
  EXPECT_EQ(target_.take(1).text, "20000");
  EXPECT_FALSE(reader_->has_work());
}

TEST_F(ReaderTurnTest, ManyScansAreAllAnswered) {
  fill(2'000);
  const auto scan = plan("SELECT count(*) FROM b").value();
  for (int16_t stream = 0; stream < 50; ++stream) start(scan, stream);
  for (int16_t stream = 0; stream < 50; ++stream) {
    turns_until(stream);
    EXPECT_EQ(target_.take(stream).text, "2000");
  }
}

TEST_F(ReaderTurnTest, ForgottenReadsAreNotAnswered) {
  write("INSERT INTO a (k, v) VALUES (1, 1)");
  ReplyRecorder other;
  const auto point = plan("SELECT v FROM a WHERE k = 1").value();
  const auto scan = plan("SELECT v FROM a").value();
  Arguments arguments;
  arguments.now_us = now_us_;
  reader_->execute(point, arguments, {&other, 1});
  reader_->execute(scan, arguments, {&other, 2});
  start(point, 1);
  start(scan, 2);
  reader_->forget(other);
  turns_until(2);
  EXPECT_EQ(target_.take(1).text, "1");
  EXPECT_EQ(target_.take(2).text, "1");
  EXPECT_FALSE(other.is_answered(1));
  EXPECT_FALSE(other.is_answered(2));
  EXPECT_FALSE(reader_->has_work());
}

TEST_F(ReaderTurnTest, ReadsWaitForRoomOfTheirConnectionAlone) {
  for (int k = 0; k < 40; ++k) write(fmt::format("INSERT INTO a (k, v) VALUES ({}, {})", k, -k));
  const auto point = plan("SELECT v FROM a WHERE k = ?").value();
  const auto scan = plan("SELECT v FROM a WHERE k = 1 AND v = -1 ALLOW FILTERING").value();
  ReplyRecorder other;
  Arguments arguments;
  arguments.now_us = now_us_;
  target_.set_room(false);
  for (int16_t stream = 0; stream < 40; ++stream) {
    start(point, stream, {.values = {int_value(stream)}});
  }
  start(scan, 50);
  for (int turn = 0; turn < 3; ++turn) reader_->run_turn();
  EXPECT_FALSE(reader_->has_work()) << "a worker would spin";
  reader_->execute(scan, arguments, {&other, 1});
  start(point, 60, {.values = {int_value(7)}});
  EXPECT_TRUE(reader_->has_work());
  for (int turn = 0; !other.is_answered(1) && turn < kTurnsMax; ++turn) reader_->run_turn();
  EXPECT_EQ(other.take(1).text, "-1");
  EXPECT_FALSE(target_.is_answered(0) || target_.is_answered(50) || target_.is_answered(60));
  target_.set_room(true);
  EXPECT_TRUE(reader_->has_work());
  turns_until(50);
  for (int16_t stream = 0; stream < 40; ++stream) {
    EXPECT_EQ(target_.take(stream).text, fmt::format("{}", -stream));
  }
  EXPECT_EQ(target_.take(50).text, "-1");
  EXPECT_EQ(target_.take(60).text, "-7");
  EXPECT_FALSE(reader_->has_work());
}

TEST_F(ReaderTurnTest, ReadsThatWaitForRoomAreForgotten) {
  write("INSERT INTO a (k, v) VALUES (1, 1)");
  target_.set_room(false);
  start(plan("SELECT v FROM a WHERE k = 1").value(), 1);
  start(plan("SELECT v FROM a").value(), 2);
  reader_->run_turn();
  reader_->forget(target_);
  target_.set_room(true);
  EXPECT_FALSE(reader_->has_work());
  reader_->run_turn();
  EXPECT_FALSE(target_.is_answered(1) || target_.is_answered(2));
}

TEST_F(ReaderTurnTest, FormsOfTheMetadata) {
  write("INSERT INTO a (k, v) VALUES (1, 7)");
  for (const char* cql : {"SELECT v FROM a WHERE k = 1", "SELECT v FROM a"}) {
    const Reply none = ask(cql, {.metadata = MetadataForm::kNone});
    EXPECT_EQ(none.text, "00000007") << cql;
    EXPECT_TRUE(none.metadata.columns.empty());
    EXPECT_EQ(none.metadata.column_count, 1);
  }
}

TEST_F(ReaderTurnTest, AnEngineThatKeepsNothingHasNoRows) {
  close();
  engine_ = storage::make_null_engine();
  make_parts();
  change(
      "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', "
      "'replication_factor': 1}");
  change("CREATE TABLE ks.a (k int PRIMARY KEY, v int)");
  write("INSERT INTO a (k, v) VALUES (1, 1)");
  start(plan("SELECT v FROM a WHERE k = ?").value(), 1, {.values = {int_value(1)}});
  start(plan("SELECT v FROM a").value(), 2);
  start(plan("SELECT count(*) FROM a").value(), 3);
  start(plan("SELECT v FROM a WHERE k = ?").value(), 4, {.values = {null_value()}});
  // At once, without a turn.
  EXPECT_FALSE(reader_->has_work());
  EXPECT_EQ(target_.take(1).text, "");
  EXPECT_EQ(target_.take(2).row_count, 0u);
  EXPECT_EQ(target_.take(3).text, "0");
  EXPECT_THAT(target_.take(4).text, ::testing::HasSubstr("null value"));
  EXPECT_EQ(select("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'ks'"), "a");
}

}  // namespace
}  // namespace cqlperf::server
