#include <thread>

#include <gmock/gmock.h>

#include "server/write_batch.h"
#include "write_fixture.h"

namespace cqlperf::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Kind = cql::Batch::Kind;

class WriteConditionTest : public WriteFixture {};

TEST_F(WriteConditionTest, InsertIfNotExists) {
  EXPECT_EQ(run("INSERT INTO kv(k,v) VALUES (1,2) IF NOT EXISTS"), "[applied]=true");
  EXPECT_EQ(run("INSERT INTO kv(k,v,w) VALUES (1,3,'x') IF NOT EXISTS"),
            "[applied]=false k=1 v=2 w=null");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=2"));
  EXPECT_EQ(run("INSERT INTO ck(a,b,c,d,w) VALUES (1,2,3,4,'w') IF NOT EXISTS"), "[applied]=true");
  EXPECT_EQ(run("INSERT INTO ck(a,b,c,d,w) VALUES (1,2,3,4,'z') IF NOT EXISTS"),
            "[applied]=false a=1 b=2 c=3 d=4 v=null w=w");
  EXPECT_EQ(run("INSERT INTO kv(k) VALUES (null) IF NOT EXISTS"),
            "0x2200 Invalid null value in condition for column k");
  EXPECT_EQ(run(R"(INSERT INTO kv JSON '{"k":1}' IF NOT EXISTS)"),
            "[applied]=false k=1 v=2 w=null");
}

TEST_F(WriteConditionTest, UpdateAndDeleteIfExists) {
  EXPECT_EQ(run("UPDATE kv SET v=1 WHERE k=1 IF EXISTS"), "[applied]=false");
  EXPECT_THAT(rows("kv"), IsEmpty());
  run("INSERT INTO kv(k) VALUES (1)");
  EXPECT_EQ(run("UPDATE kv SET v=1 WHERE k=1 IF EXISTS"), "[applied]=true");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=1"));
  EXPECT_EQ(run("DELETE FROM kv WHERE k=1 IF EXISTS"), "[applied]=true");
  EXPECT_EQ(run("DELETE v FROM kv WHERE k=1 IF EXISTS"), "[applied]=false");
}

TEST_F(WriteConditionTest, RowsThatEndedDoNotExist) {
  run("INSERT INTO kv(k,v) VALUES (1,2) USING TTL 10");
  run("INSERT INTO ck(a,b,c,d) VALUES (1,1,1,1)");
  run("DELETE FROM ck WHERE a=1 AND b=1");
  now_us_ += 20'000'000;
  EXPECT_EQ(run("UPDATE kv SET v=1 WHERE k=1 IF EXISTS"), "[applied]=false");
  EXPECT_EQ(run("INSERT INTO ck(a,b,c,d) VALUES (1,1,1,1) IF NOT EXISTS"), "[applied]=true");
  run("DELETE FROM ck WHERE a=1 AND b=1 AND c>0");
  EXPECT_EQ(run("UPDATE ck SET v=1 WHERE a=1 AND b=1 AND (c,d)=(1,1) IF EXISTS"),
            "[applied]=false");
}

TEST_F(WriteConditionTest, SeesWhatTheTurnWroteBefore) {
  const int16_t before = start("INSERT INTO kv(k,v) VALUES (1,2)");
  EXPECT_EQ(run("INSERT INTO kv(k,v) VALUES (1,3) IF NOT EXISTS"),
            "[applied]=false k=1 v=2 w=null");
  EXPECT_EQ(answers_.text(before), "void");
}

TEST_F(WriteConditionTest, TakesTheServersTime) {
  EXPECT_EQ(run("INSERT INTO kv(k,v) VALUES (1,2) IF NOT EXISTS", {}, 5), "[applied]=true");
  run("INSERT INTO kv(k,v) VALUES (1,3) USING TIMESTAMP 1000");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=2"));
}

TEST_F(WriteConditionTest, FailuresOfTheDisk) {
  engine_.fail_commits("disk full");
  EXPECT_THAT(run("INSERT INTO kv(k,v) VALUES (1,2) IF NOT EXISTS"), StartsWith("0x1500"));
}

TEST_F(WriteConditionTest, OfManyOneInserts) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  std::vector<Answers> answers(kThreads);
  auto parsed = cql::parse_statement("INSERT INTO kv(k,v) VALUES (?,1) IF NOT EXISTS").value();
  cql::MarkerSpecs markers(parsed.markers);
  const auto plan =
      WritePlan::make(std::get<cql::Insert>(parsed.statement), schema_, "ks", markers).value();
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Writer writer(engine_, locks_);
      for (int16_t k = 0; k < 200; ++k) {
        const protocol::Bytes key = {0, 0, 0, static_cast<uint8_t>(k)};
        const protocol::Value value = protocol::Value::of(key);
        Arguments arguments;
        arguments.values = {&value, 1};
        arguments.now_us = kNow_us;
        writer.execute(*plan, arguments, {&answers[static_cast<size_t>(thread)], k});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int16_t k = 0; k < 200; ++k) {
    const auto applied = std::ranges::count_if(
        answers, [&](const Answers& one) { return one.text(k) == "[applied]=true"; });
    EXPECT_EQ(applied, 1) << k;
  }
}

class WriteBatchTest : public WriteFixture {};

TEST_F(WriteBatchTest, WritesAllOrNone) {
  EXPECT_EQ(run_batch(Kind::kLogged,
                      {"INSERT INTO kv(k,v) VALUES (1,1)", "INSERT INTO tx(k,c) VALUES ('a','b')"}),
            "void");
  EXPECT_EQ(engine_.commits(), 1u);
  EXPECT_THAT(rows("tx"), ElementsAre("k=a c=b"));
  EXPECT_EQ(run_batch(Kind::kUnlogged,
                      {"INSERT INTO kv(k,v) VALUES (2,1)", "INSERT INTO kv(k,v) VALUES (null,1)"}),
            "0x2200 Invalid null value in condition for column k");
  EXPECT_EQ(run_batch(Kind::kLogged, {}), "void");
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=1"));
}

TEST_F(WriteBatchTest, HasOneTime) {
  run_batch(Kind::kLogged,
            {"INSERT INTO kv(k,v) VALUES (1,5)", "INSERT INTO kv(k,v) VALUES (1,4)"});
  EXPECT_THAT(rows("kv"), ElementsAre("k=1 v=5"));  // of equal times the larger value
  run_batch(
      Kind::kLogged,
      {"INSERT INTO kv(k,v) VALUES (2,1)", "INSERT INTO kv(k,v) VALUES (3,1) USING TIMESTAMP 1"},
      100);
  run("INSERT INTO kv(k,v) VALUES (2,2) USING TIMESTAMP 99");
  run("INSERT INTO kv(k,v) VALUES (3,2) USING TIMESTAMP 99");
  EXPECT_THAT(rows("kv"), ::testing::UnorderedElementsAre("k=1 v=5", "k=2 v=1", "k=3 v=2"));
}

TEST_F(WriteBatchTest, KeepsCountersApart) {
  const std::string count = "UPDATE cnt SET n=n+1 WHERE k=1";
  const std::string insert = "INSERT INTO kv(k) VALUES (1)";
  EXPECT_EQ(run_batch(Kind::kCounter, {count, count}), "void");
  EXPECT_EQ(run_batch(Kind::kUnlogged, {count}), "void");
  EXPECT_THAT(rows("cnt"), ElementsAre("k=1 n=3"));
  EXPECT_EQ(run_batch(Kind::kLogged, {count}),
            "0x2200 Cannot include a counter statement in a logged batch");
  EXPECT_EQ(run_batch(Kind::kCounter, {count, insert}),
            "0x2200 Cannot include non-counter statement in a counter batch");
  EXPECT_EQ(run_batch(Kind::kUnlogged, {count, insert}),
            "0x2200 Counter and non-counter mutations cannot exist in the same batch");
}

TEST_F(WriteBatchTest, ConditionsHoldForAll) {
  const std::string start = "INSERT INTO ck(a,b,c,d,v) VALUES (5,5,1,";
  EXPECT_EQ(run_batch(Kind::kLogged, {start + "1,1) IF NOT EXISTS", start + "2,2) IF NOT EXISTS"}),
            "[applied]=true");
  EXPECT_EQ(run_batch(Kind::kLogged, {start + "3,3) IF NOT EXISTS", start + "2,9) IF NOT EXISTS"}),
            "[applied]=false a=5 b=5 c=1 d=2 v=2 w=null");
  EXPECT_EQ(
      run_batch(Kind::kLogged, {start + "2,9) IF NOT EXISTS", start + "1,9) IF NOT EXISTS"}),
      "[applied]=false a=5 b=5 c=1 d=1 v=1 w=null; [applied]=false a=5 b=5 c=1 d=2 v=2 w=null");
  EXPECT_EQ(
      run_batch(Kind::kLogged,
                {"UPDATE ck SET v=1 WHERE a=5 AND b=5 AND c=1 AND d=99 IF EXISTS", start + "4,4)"}),
      "[applied]=false");
  EXPECT_EQ(rows("ck").size(), 2u);
  EXPECT_EQ(
      run_batch(Kind::kUnlogged, {start + "7,7) IF NOT EXISTS",
                                  "DELETE FROM ck WHERE a=5 AND b=5 AND c=1 AND d=1 IF EXISTS"}),
      "[applied]=true");
  EXPECT_THAT(rows("ck"), ElementsAre("a=5 b=5 c=1 d=2 v=2", "a=5 b=5 c=1 d=7 v=7"));
}

TEST_F(WriteBatchTest, ConditionsStayInOnePartition) {
  const std::string condition = "INSERT INTO kv(k) VALUES (1) IF NOT EXISTS";
  EXPECT_EQ(run_batch(Kind::kLogged, {condition, "INSERT INTO kv(k) VALUES (2)"}),
            "0x2200 Batch with conditions cannot span multiple partitions");
  EXPECT_EQ(run_batch(Kind::kLogged, {condition, "UPDATE kv SET v=1 WHERE k IN (1,2)"}),
            "0x2200 Batch with conditions cannot span multiple partitions");
  EXPECT_EQ(run_batch(Kind::kLogged, {condition, "INSERT INTO ttlt(k) VALUES (1)"}),
            "0x2200 Batch with conditions cannot span multiple tables");
  EXPECT_EQ(run_batch(Kind::kLogged, {condition, "UPDATE kv SET v=1 WHERE k=1 IF EXISTS"}),
            "0x2200 Cannot mix IF EXISTS and IF NOT EXISTS conditions for the same row");
  EXPECT_THAT(rows("kv"), IsEmpty());
}

TEST_F(WriteBatchTest, ChecksTimes) {
  const auto check = [&](Kind kind, const std::string& cql) {
    auto parsed = cql::parse_statement(cql).value();
    cql::MarkerSpecs markers(parsed.markers);
    cql::Modification modification = std::visit(
        [](auto& one) -> cql::Modification {
          if constexpr (std::is_constructible_v<cql::Modification, decltype(one)>) return one;
          return cql::Insert();
        },
        parsed.statement);
    const auto plan = WritePlan::make(modification, schema_, "ks", markers).value();
    const WritePlan* plans[] = {plan.get()};
    const auto status = check_batch(kind, plans, true);
    return status ? "ok" : status.error().message;
  };
  EXPECT_EQ(check(Kind::kLogged, "INSERT INTO kv(k) VALUES (1)"), "ok");
  EXPECT_EQ(check(Kind::kLogged, "INSERT INTO kv(k) VALUES (1) USING TIMESTAMP 5"),
            "Timestamp must be set either on BATCH or individual statements");
  EXPECT_EQ(check(Kind::kLogged, "INSERT INTO kv(k) VALUES (1) IF NOT EXISTS"),
            "Cannot provide custom timestamp for conditional BATCH");
  EXPECT_EQ(check(Kind::kCounter, "UPDATE cnt SET n=n+1 WHERE k=1"),
            "Cannot provide custom timestamp for counter BATCH");
}

}  // namespace
}  // namespace cqlperf::server
