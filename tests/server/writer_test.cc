#include "server/writer.h"

#include <gmock/gmock.h>

#include "write_fixture.h"

namespace cqlperf::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class WriterTest : public WriteFixture {};

TEST_F(WriterTest, AnswersWhenTheTurnIsCommitted) {
  const int16_t first = start("INSERT INTO kv(k,v) VALUES (1,2)");
  const int16_t second = start("INSERT INTO kv(k,v) VALUES (2,3)");
  EXPECT_TRUE(writer_.has_pending());
  EXPECT_EQ(answers_.text(first), "");
  EXPECT_THAT(rows("kv"), IsEmpty());
  writer_.commit();
  EXPECT_FALSE(writer_.has_pending());
  EXPECT_THAT(answers_.order(), ElementsAre(first, second));
  EXPECT_EQ(answers_.text(first), "void");
  EXPECT_EQ(engine_.commits(), 1u);
  EXPECT_THAT(rows("kv"), ::testing::UnorderedElementsAre("k=1 v=2", "k=2 v=3"));
}

TEST_F(WriterTest, AnswersErrorsAtOnceAndWritesNothing) {
  const int16_t stream = start("INSERT INTO kv(k,v) VALUES (?,?)", {1, "abcde"});
  EXPECT_THAT(answers_.text(stream), StartsWith("0x2200"));
  EXPECT_FALSE(writer_.has_pending());
  writer_.commit();
  EXPECT_EQ(engine_.commits(), 0u);
}

TEST_F(WriterTest, InsertMakesTheRowAndUpdateDoesNot) {
  run("INSERT INTO kv(k,v) VALUES (1,null)");
  run("UPDATE kv SET v=5 WHERE k=2");
  EXPECT_THAT(rows("kv"), ::testing::UnorderedElementsAre("k=1", "k=2 v=5"));
  run("DELETE v FROM kv WHERE k=1");
  run("DELETE v FROM kv WHERE k=2");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1"));
}

TEST_F(WriterTest, LeavesUnsetCellsAndDeletesNullOnes) {
  run("INSERT INTO kv(k,v,w) VALUES (1,2,'a')");
  EXPECT_EQ(run("INSERT INTO kv(k,v,w) VALUES (?,?,?)", {1, Unset{}, std::monostate{}}), "void");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=2"));
  EXPECT_EQ(run("UPDATE kv SET v=? WHERE k=9", {Unset{}}), "void");
  EXPECT_EQ(MemoryEngine::data(*table("kv").store).size(), 1u);
}

TEST_F(WriterTest, RefusesKeys) {
  const std::string long_key(65'536, 'x');
  const std::string insert = "INSERT INTO tx(k,c,v) VALUES (?,?,'v')";
  EXPECT_EQ(run(insert, {std::monostate{}, "c"}),
            "0x2200 Invalid null value in condition for column k");
  EXPECT_EQ(run(insert, {"k", Unset{}}), "0x2200 Invalid unset value for column c");
  EXPECT_EQ(run(insert, {"k", std::monostate{}}),
            "0x2200 Invalid null value in condition for column c");
  EXPECT_EQ(run(insert, {"", "c"}), "0x2200 Key may not be empty");
  EXPECT_EQ(run(insert, {long_key, "c"}),
            "0x2200 Key length of 65536 is longer than maximum of 65535");
  EXPECT_EQ(run(insert, {"k", long_key}),
            "0x2200 Key length of 65536 is longer than maximum of 65535");
  EXPECT_EQ(run("DELETE FROM tx WHERE k IN (?,?) AND c='a'", {"k", long_key}),
            "0x2200 Key length of 65536 is longer than maximum of 65535");
  EXPECT_EQ(run("DELETE FROM tx WHERE k IN ('a','')"), "0x2200 Key may not be empty");
  EXPECT_EQ(run("UPDATE tx SET v='a' WHERE k='k' AND c IN ?", {std::monostate{}}),
            "0x2200 Invalid null value for column c");
  EXPECT_THAT(rows("tx"), IsEmpty());
  EXPECT_EQ(run(insert, {long_key.substr(1), ""}), "void");
}

TEST_F(WriterTest, HigherTimestampsWin) {
  run("INSERT INTO kv(k,v) VALUES (1,10) USING TIMESTAMP 100");
  run("INSERT INTO kv(k,v) VALUES (1,20) USING TIMESTAMP ?", {int64_t{50}});
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=10"));
  run("INSERT INTO kv(k,v) VALUES (1,30)", {}, 101);
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=30"));
  run("DELETE FROM kv USING TIMESTAMP 100 WHERE k=1");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=30"));
  run("DELETE FROM kv WHERE k=1");  // the server's clock
  EXPECT_THAT(rows("kv"), IsEmpty());
  EXPECT_EQ(run("UPDATE kv USING TIMESTAMP ? SET v=1 WHERE k=1", {std::monostate{}}),
            "0x2200 Invalid null value of timestamp");
  EXPECT_THAT(
      run("UPDATE kv USING TIMESTAMP ? SET v=1 WHERE k=1", {std::numeric_limits<int64_t>::min()}),
      StartsWith("0x2200 Out of bound timestamp"));
}

TEST_F(WriterTest, ServerClockOrdersWritesOfOneInstant) {
  for (int value = 9; value >= 0; --value) {
    start("INSERT INTO kv(k,v) VALUES (1,?)", {value});
  }
  writer_.commit();
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=0"));
}

TEST_F(WriterTest, TheServersTimeNeverRepeats) {
  const int64_t first_us = locks_.next_timestamp_us(kNow_us);
  EXPECT_EQ(first_us, kNow_us);
  EXPECT_EQ(locks_.next_timestamp_us(kNow_us), kNow_us + 1);
  EXPECT_EQ(locks_.next_timestamp_us(kNow_us - 5), kNow_us + 2);
  EXPECT_EQ(locks_.next_timestamp_us(kNow_us + 50), kNow_us + 50);
}

TEST_F(WriterTest, ValuesExpire) {
  run("INSERT INTO kv(k,v) VALUES (1,2) USING TTL 10");
  run("INSERT INTO kv(k,v) VALUES (2,2) USING TTL ?", {Unset{}});
  run("INSERT INTO ttlt(k,v) VALUES (1,2)");
  run("INSERT INTO ttlt(k,v) VALUES (2,2) USING TTL 0");
  run("INSERT INTO ttlt(k,v) VALUES (3,2) USING TTL ?", {std::monostate{}});
  now_us_ += 9'000'000;
  EXPECT_EQ(rows("kv").size(), 2u);
  now_us_ += 1'000'000;
  EXPECT_THAT(rows("kv"), ElementsAre("k=2 v=2"));
  EXPECT_EQ(rows("ttlt").size(), 3u);
  now_us_ += 90'000'000;
  EXPECT_THAT(rows("ttlt"), ::testing::UnorderedElementsAre("k=2 v=2", "k=3 v=2"));
}

TEST_F(WriterTest, RefusesTtls) {
  const std::string insert = "INSERT INTO kv(k) VALUES (1) USING TTL ?";
  EXPECT_EQ(run(insert, {-1}), "0x2200 A TTL must be greater or equal to 0, but was -1");
  EXPECT_EQ(run(insert, {630'720'001}),
            "0x2200 ttl is too large. requested (630720001) maximum (630720000)");
  EXPECT_THAT(run(insert, {630'720'000}), StartsWith("0x2200 Request on table ks.kv with ttl of"));
  EXPECT_EQ(run(insert, {300'000'000}), "void");
}

TEST_F(WriterTest, AddsToCounters) {
  EXPECT_EQ(run("UPDATE cnt SET n=n+?, m=m-2 WHERE k=1", {int64_t{5}}), "void");
  EXPECT_EQ(run("UPDATE cnt SET n=n+1, n=n-3 WHERE k=1"), "void");
  EXPECT_THAT(rows("cnt"), ElementsAre("k=1 m=-2 n=3"));
  EXPECT_EQ(run("UPDATE cnt SET n=n+?, m=m+1 WHERE k=1", {Unset{}}), "void");
  EXPECT_THAT(rows("cnt"), ElementsAre("k=1 m=-1 n=3"));
  EXPECT_EQ(run("UPDATE cnt SET n=n+? WHERE k=1", {std::monostate{}}),
            "0x2200 Invalid null value for counter increment");
  EXPECT_THAT(run("UPDATE cnt SET n=n-? WHERE k=1", {std::numeric_limits<int64_t>::min()}),
              StartsWith("0x2200 The negation of -9223372036854775808 overflows"));
  run("DELETE n FROM cnt WHERE k=1");
  EXPECT_THAT(rows("cnt"), ElementsAre("k=1 m=-1"));
}

TEST_F(WriterTest, WritesAllRowsOfAnIn) {
  run("UPDATE kv SET v=7 WHERE k IN (1,2,2)");
  EXPECT_THAT(rows("kv"), ::testing::UnorderedElementsAre("k=1 v=7", "k=2 v=7"));
  run("UPDATE ck SET v=1 WHERE a=1 AND b=2 AND c IN (1,2) AND d IN (3,4)");
  run("UPDATE ck SET v=2 WHERE a=1 AND b=2 AND (c,d) IN ((2,3),(9,9))");
  EXPECT_THAT(rows("ck"),
              ElementsAre("a=1 b=2 c=1 d=3 v=1", "a=1 b=2 c=1 d=4 v=1", "a=1 b=2 c=2 d=3 v=2",
                          "a=1 b=2 c=2 d=4 v=1", "a=1 b=2 c=9 d=9 v=2"));
  EXPECT_EQ(run("UPDATE kv SET v=7 WHERE k IN ()"), "void");
  // list<int> of 1 and 2.
  const protocol::Bytes list = {0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2};
  EXPECT_EQ(run("DELETE FROM kv WHERE k IN ?", {list}), "void");
  EXPECT_THAT(rows("kv"), IsEmpty());
  EXPECT_THAT(run("DELETE FROM kv WHERE k IN ?", {protocol::Bytes{0, 0, 0, 2, 0}}),
              StartsWith("0x2200"));
}

TEST_F(WriterTest, RefusesTooManyKeys) {
  std::string many = "1";
  for (int value = 0; value < 300; ++value) many += "," + std::to_string(value);
  EXPECT_THAT(
      run("UPDATE ck SET v=1 WHERE a IN (" + many + ") AND b IN (" + many + ") AND c=1 AND d=1"),
      StartsWith("0x2200 The IN restrictions"));
  EXPECT_THAT(
      run("UPDATE ck SET v=1 WHERE a IN (" + many + ") AND b=1 AND c IN (" + many + ") AND d=1"),
      StartsWith("0x2200 The statement writes to 300 partitions with 300 rows each"));
}

TEST_F(WriterTest, RefusesToWriteOneValueToTooManyRows) {
  std::string many = "1";
  for (int value = 0; value < 257; ++value) many += "," + std::to_string(value);
  EXPECT_THAT(run("UPDATE kv SET w=? WHERE k IN (" + many + ")", {std::string(1 << 20, 'x')}),
              StartsWith("0x2200 The statement writes 269484032 bytes"));
}

TEST_F(WriterTest, DeletesRangesOfRows) {
  const auto fill = [&] {
    for (int c = 1; c <= 3; ++c) {
      for (int d = 1; d <= 2; ++d) {
        run("INSERT INTO ck(a,b,c,d) VALUES (1,1,?,?)", {c, d});
      }
    }
  };
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"c=1 AND d=1", {"12", "21", "22", "31", "32"}},
      {"c=1", {"21", "22", "31", "32"}},
      {"c>1", {"11", "12"}},
      {"c>=2 AND c<3", {"11", "12", "31", "32"}},
      {"c IN (1,3)", {"21", "22"}},
      {"c IN (1,3) AND d>1", {"11", "21", "22", "31"}},
      {"(c,d)>(1,1) AND (c,d)<=(3,1)", {"11", "32"}},
      {"(c,d)>(1,1) AND c<3", {"11", "31", "32"}},
      {"c>3 AND c<2", {"11", "12", "21", "22", "31", "32"}},
      {"c>5", {"11", "12", "21", "22", "31", "32"}},
      {"(c,d) IN ((1,1),(2,2))", {"12", "21", "31", "32"}},
  };
  for (const auto& [where, left] : cases) {
    fill();
    ASSERT_EQ(run(std::string("DELETE FROM ck WHERE a=1 AND b=1 AND ") + where), "void") << where;
    std::vector<std::string> texts;
    for (const std::string& key : left) {
      texts.push_back("a=1 b=1 c=" + key.substr(0, 1) + " d=" + key.substr(1));
    }
    EXPECT_EQ(rows("ck"), texts) << where;
  }
}

TEST_F(WriterTest, DeletesRangesOfDescendingColumns) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"c>1", {"11", "12"}},
      {"c<=1", {"31", "32", "21", "22"}},
      {"(c,d)>(2,1)", {"21", "11", "12"}},
      {"(c,d)>=(2,2)", {"21", "11", "12"}},
      {"(c,d)<(2,2)", {"31", "32", "22"}},
  };
  for (const auto& [where, left] : cases) {
    for (int c = 1; c <= 3; ++c) {
      for (int d = 1; d <= 2; ++d) run("INSERT INTO rev(k,c,d) VALUES (1,?,?)", {c, d});
    }
    ASSERT_EQ(run(std::string("DELETE FROM rev WHERE k=1 AND ") + where), "void") << where;
    std::vector<std::string> texts;
    for (const std::string& key : left) {
      texts.push_back("k=1 c=" + key.substr(0, 1) + " d=" + key.substr(1));
    }
    EXPECT_EQ(rows("rev"), texts) << where;
  }
}

TEST_F(WriterTest, DeletesPartitions) {
  run("INSERT INTO ck(a,b,c,d) VALUES (1,1,1,1)");
  run("INSERT INTO ck(a,b,c,d) VALUES (2,1,1,1)");
  run("INSERT INTO ck(a,b,c,d) VALUES (3,1,1,1)");
  run("DELETE FROM ck WHERE a=1 AND b=1");
  EXPECT_EQ(rows("ck").size(), 2u);
  run("DELETE FROM ck WHERE a IN (2,3) AND b=1");
  EXPECT_THAT(rows("ck"), IsEmpty());
  run("INSERT INTO ck(a,b,c,d) VALUES (1,1,1,1)");
  EXPECT_THAT(rows("ck"), ElementsAre("a=1 b=1 c=1 d=1"));
}

TEST_F(WriterTest, RefusesBoundsOfRanges) {
  const std::string where = "DELETE FROM ck WHERE a=1 AND b=1 AND ";
  EXPECT_EQ(run(where + "c>?", {std::monostate{}}),
            "0x2200 Invalid null value in condition for column c");
  EXPECT_EQ(run(where + "c>?", {Unset{}}), "0x2200 Invalid unset value for column c");
  const protocol::Bytes pair = {0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1};
  EXPECT_EQ(run(where + "(c,d)>?", {pair}), "void");
  EXPECT_EQ(run(where + "(c,d)>?", {protocol::Bytes(pair.begin(), pair.begin() + 8)}),
            "0x2200 Invalid null value in condition for column d");
  EXPECT_THAT(run(where + "(c,d)>?", {protocol::Bytes(pair.begin(), pair.begin() + 9)}),
              StartsWith("0x2200"));
  EXPECT_THAT(run(where + "(c,d)>?", {std::monostate{}}), StartsWith("0x2200 Invalid null value"));
}

TEST_F(WriterTest, KeepsIndexes) {
  run("INSERT INTO ix(k,c,v) VALUES (1,2,'a')");
  EXPECT_EQ(index_entries("ix", 0), 1u);
  EXPECT_EQ(index_entries("ix", 1), 1u);
  run("UPDATE ix SET v='b' WHERE k=1 AND c=2");
  EXPECT_EQ(index_entries("ix", 0), 2u);
  EXPECT_EQ(index_entries("ix", 1), 1u);  // the same entry
  run("INSERT INTO ix(k,c,v) VALUES (1,3,null)");
  EXPECT_EQ(index_entries("ix", 0), 2u);
  EXPECT_EQ(index_entries("ix", 1), 2u);
  run("UPDATE ix SET v='c' WHERE k IN (5,6) AND c IN (7,8)");
  EXPECT_EQ(index_entries("ix", 0), 6u);
  EXPECT_EQ(index_entries("ix", 1), 6u);
  run("DELETE FROM ix WHERE k=1");
  EXPECT_EQ(index_entries("ix", 0), 6u);
  EXPECT_THAT(run("INSERT INTO ix(k,c,v) VALUES (1,1,?)", {std::string(65'535, 'x')}),
              StartsWith("0x2200 Cannot index value of size 65535 for index ix_v on ks.ix(v)"));
}

TEST_F(WriterTest, TakesJson) {
  EXPECT_EQ(run(R"(INSERT INTO kv JSON '{"k":1,"V":2,"w":"x"}')"), "void");
  EXPECT_EQ(run("INSERT INTO kv JSON ? DEFAULT UNSET", {R"({"k":1,"v":3})"}), "void");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=3 w=x"));
  EXPECT_EQ(run("INSERT INTO kv JSON ?", {R"({"k":1,"v":4})"}), "void");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=4"));
  EXPECT_EQ(run("INSERT INTO kv JSON ?", {R"({"k":1})"}), "void");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1"));
  EXPECT_EQ(run("INSERT INTO kv JSON ?", {R"({"v":1})"}),
            "0x2200 Invalid null value in condition for column k");
  EXPECT_EQ(run("INSERT INTO kv JSON ?", {R"({"k":1,"z":1})"}),
            "0x2200 JSON values map contains unrecognized column: z");
  EXPECT_EQ(run("INSERT INTO kv JSON ?", {std::monostate{}}),
            "0x2200 Got null for INSERT JSON values");
  EXPECT_THAT(run("INSERT INTO kv JSON ?", {Unset{}}), StartsWith("0x2200"));
  EXPECT_THAT(prepare("INSERT INTO kv JSON 'nope'"), StartsWith("0x2200"));
  run(R"(INSERT INTO ix JSON '{"k":1,"c":2,"v":"x"}')");
  EXPECT_EQ(index_entries("ix", 0), 1u);
}

TEST_F(WriterTest, FailedCommitsAnswerWriteFailure) {
  engine_.fail_commits("disk full");
  const int16_t first = start("INSERT INTO kv(k,v) VALUES (1,2)");
  const int16_t second = start("UPDATE cnt SET n=n+1 WHERE k=1");
  writer_.commit();
  EXPECT_THAT(answers_.text(first),
              ::testing::AllOf(StartsWith("0x1500"), ::testing::HasSubstr("disk full")));
  EXPECT_THAT(answers_.text(second), StartsWith("0x1500"));
  engine_.fail_commits("");
  EXPECT_EQ(run("INSERT INTO kv(k,v) VALUES (3,4)"), "void");
  EXPECT_THAT(rows("kv"), ElementsAre("k=3 v=4"));
}

TEST_F(WriterTest, LongTurnsAreCommittedInParts) {
  for (int32_t k = 0; k < 4096; ++k) start("INSERT INTO kv(k,v) VALUES (1,?)", {k});
  EXPECT_FALSE(writer_.has_pending());
  EXPECT_EQ(engine_.commits(), 1u);
  const std::string large(1 << 20, 'x');
  for (int32_t k = 0; k < 4; ++k) start("INSERT INTO kv(k,w) VALUES (?,?)", {k, large});
  EXPECT_FALSE(writer_.has_pending());
  EXPECT_EQ(engine_.commits(), 2u);
}

TEST_F(WriterTest, AnEngineThatKeepsNothingStillChecks) {
  const auto engine = storage::make_null_engine();
  Writer writer(*engine, locks_);
  auto parsed = cql::parse_statement("INSERT INTO kv(k,v) VALUES (?,?)").value();
  cql::MarkerSpecs markers(parsed.markers);
  const auto plan =
      WritePlan::make(std::get<cql::Insert>(parsed.statement), schema_, "ks", markers).value();
  const protocol::Bytes good = {0, 0, 0, 1};
  const protocol::Bytes bad = {0, 0, 1};
  protocol::Value values[] = {protocol::Value::of(good), protocol::Value::of(good)};
  Arguments arguments;
  arguments.values = values;
  writer.execute(*plan, arguments, {&answers_, 1});
  values[1] = protocol::Value::of(bad);
  writer.execute(*plan, arguments, {&answers_, 2});
  EXPECT_EQ(answers_.text(1), "");
  EXPECT_THAT(answers_.text(2), StartsWith("0x2200"));
  writer.commit();
  EXPECT_EQ(answers_.text(1), "void");
}

}  // namespace
}  // namespace cqlperf::server
