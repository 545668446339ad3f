#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session_fixture.h"

// A Session when servers forget statements, go away and come back.

namespace cqlperf::client {
namespace {

using core::kNanosPerMilli;
using core::kNanosPerSecond;
using protocol::ErrorCode;
using protocol::Opcode;
using testing::Each;
using testing::HasSubstr;

constexpr uint32_t kMany = 100;

class Reprepare : public SessionTest {
 protected:
  // All kMany operations are on their way before the server answers the first.
  void execute_many() {
    const size_t before = client_.ended();
    execute(0, kMany);
    ASSERT_TRUE(poll_until_ended(before + kMany));
    EXPECT_EQ(session_->in_flight(), 0u);
  }
};

TEST_F(Reprepare, OneForAllOperationsOfOneNode) {
  start_ready();
  server_.forget_prepared();
  execute_many();
  EXPECT_EQ(client_.successes.size(), kMany);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 2);
  EXPECT_EQ(server_.count(Opcode::kExecute), static_cast<int>(2 * kMany));
  EXPECT_EQ(client_.writes, static_cast<int>(2 * kMany));
}

TEST_F(Reprepare, TheSameValuesAreSentAgain) {
  std::multiset<int32_t> values;
  std::mutex mutex;
  start_ready();
  server_.forget_prepared();
  server_.on(
      Opcode::kExecute,
      [&](Exchange& e) {
        const auto execute = protocol::Execute::decode_body(e.version(), e.request.body);
        const std::lock_guard lock(mutex);
        values.insert(*protocol::decode_int(execute->parameters.values[0].bytes));
        protocol::ErrorMessage unprepared =
            protocol::ErrorMessage::of(ErrorCode::kUnprepared, "forgotten");
        unprepared.details = protocol::UnpreparedDetails{protocol::to_bytes(execute->id)};
        e.reply(unprepared);
      },
      1);
  execute(42, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_EQ(client_.successes.size(), 1u);
  EXPECT_THAT(values, testing::ElementsAre(42));
  EXPECT_EQ(client_.writes, 2);
}

TEST_F(Reprepare, WithSeveralConnectionsToOneNode) {
  options_.connections_per_node = 4;
  start_ready();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 4; }));
  server_.forget_prepared();
  execute_many();
  EXPECT_EQ(client_.successes.size(), kMany);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 2);
}

TEST_F(Reprepare, TheOtherNodeGoesOn) {
  ScriptedServer other("127.0.0.2");
  options_.nodes.push_back(other.address());
  start_ready();
  ASSERT_TRUE(
      poll_until([&] { return session_->nodes()[1].usable && session_->nodes()[0].usable; }));
  other.forget_prepared();
  execute_many();
  EXPECT_EQ(client_.successes.size(), kMany);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 1);
  EXPECT_EQ(other.count(Opcode::kPrepare), 2);
}

TEST_F(Reprepare, WhileItLastsTheNodeTakesNothingNew) {
  start_ready();
  server_.forget_prepared();
  server_.on(Opcode::kPrepare, act::silence(), 1);
  execute(0, 1);
  ASSERT_TRUE(poll_until([&] { return server_.count(Opcode::kPrepare) == 2; }));
  EXPECT_EQ(session_->execute(0, 1), ExecuteStatus::kNotReady);
  EXPECT_EQ(session_->in_flight(), 1u);
}

TEST_F(Reprepare, ANewIdIsAdopted) {
  start_ready();
  server_.forget_prepared(true);
  execute_many();
  execute_many();
  EXPECT_EQ(client_.successes.size(), 2 * kMany);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 2);
}

TEST_F(Reprepare, ChangedColumnsReplaceTheMetadata) {
  options_.statements = {{"SELECT * FROM ks.t WHERE a = ? AND b = ?"}};
  const auto integer = protocol::ColumnType::of(protocol::TypeId::kInt);
  server_.set_result_columns({{"ks", "t", "a", integer}});
  start_ready();
  const protocol::RowsMetadata& metadata = session_->result_metadata(0);
  EXPECT_EQ(metadata.columns.size(), 1u);
  server_.set_result_columns({{"ks", "t", "a", integer}, {"ks", "t", "added", integer}});
  server_.forget_prepared();
  execute_many();
  ASSERT_EQ(metadata.columns.size(), 2u);
  EXPECT_EQ(metadata.columns[1].name, "added");
}

TEST_F(Reprepare, ASecondUnpreparedOfOneOperationIsAFailure) {
  start_ready();
  server_.on(Opcode::kExecute, [](Exchange& e) {
    protocol::ErrorMessage message =
        protocol::ErrorMessage::of(ErrorCode::kUnprepared, "never heard of it");
    message.details = protocol::UnpreparedDetails{{1, 2}};
    e.reply(message);
  });
  execute_many();
  EXPECT_EQ(client_.failures.size(), kMany);
  EXPECT_EQ(client_.failures[0].kind, "Unprepared");
  EXPECT_EQ(client_.failures[0].message, "never heard of it");
  EXPECT_EQ(server_.count(Opcode::kExecute), static_cast<int>(2 * kMany));
  EXPECT_EQ(server_.count(Opcode::kPrepare), 2);
}

TEST_F(Reprepare, IfItFailsThoseThatWaitFailWithItsError) {
  start_ready();
  server_.forget_prepared();
  server_.on(Opcode::kPrepare, act::error(ErrorCode::kInvalid, "unconfigured table t"), 1);
  execute_many();
  EXPECT_EQ(client_.failures.size(), kMany);
  for (const auto& failure : client_.failures) {
    EXPECT_EQ(failure.kind, "Invalid");
    EXPECT_EQ(failure.message, "unconfigured table t");
    EXPECT_FALSE(failure.in_doubt);
  }
  execute_many();  // and the next ones try again
  EXPECT_EQ(client_.successes.size(), kMany);
}

TEST_F(Reprepare, IfItIsNotAnsweredThoseThatWaitTimeOut) {
  options_.connection.request_timeout_ns = 50 * kNanosPerMilli;
  start_ready();
  server_.forget_prepared();
  server_.on(Opcode::kPrepare, act::silence(), 1);
  execute_many();
  EXPECT_EQ(client_.failures.size(), kMany);
  EXPECT_EQ(client_.failures[0].kind, "ClientTimeout");
  EXPECT_FALSE(client_.failures[0].in_doubt);
}

TEST_F(Reprepare, IfItsConnectionEndsThoseThatWaitFail) {
  start_ready();
  server_.forget_prepared();
  server_.on(Opcode::kPrepare, act::close(), 1);
  execute_many();
  EXPECT_EQ(client_.failures.size(), kMany);
  EXPECT_EQ(client_.failures[0].kind, "ConnectionLost");
  ASSERT_TRUE(poll_until([&] { return session_->nodes()[0].usable; }));
}

TEST_F(Reprepare, WithOneStreamIdAndSeveralStatements) {
  options_.connection.stream_ids = 1;
  options_.statements = {{kInsert}, {"UPDATE a = ?, b = ?"}, {"DELETE ?, ?"}};
  start_ready();
  for (uint16_t statement = 0; statement < 3; statement++) {
    server_.forget_prepared();
    execute(statement, 1, statement);
    ASSERT_TRUE(poll_until_ended(statement + 1u));
  }
  EXPECT_EQ(client_.successes.size(), 3u);
}

using Reconnect = SessionTest;

TEST_F(Reconnect, WhatWasInFlightIsLostAndTheRestGoesOn) {
  start_ready();
  server_.on(Opcode::kExecute, act::close(), 1);
  execute(0, 3);
  ASSERT_TRUE(poll_until_ended(3));
  for (const auto& failure : client_.failures) {
    EXPECT_EQ(failure.kind, "ConnectionLost");
    EXPECT_TRUE(failure.in_doubt);
  }
  EXPECT_EQ(session_->in_flight(), 0u);
  EXPECT_EQ(session_->execute(0, 9), ExecuteStatus::kNotReady);
  ASSERT_TRUE(poll_until([&] { return session_->nodes()[0].usable; }));
  EXPECT_EQ(session_->reconnects(), 1u);
  execute(0, 3);
  ASSERT_TRUE(poll_until_ended(6));
  EXPECT_EQ(client_.successes.size(), 3u);
}

TEST_F(Reconnect, ARestartedServerIsPreparedAgainBeforeItIsUsed) {
  start_ready();
  server_.stop();
  server_.forget_prepared(true);
  server_.start_again();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 1; }));
  ASSERT_TRUE(poll_until([&] { return session_->nodes()[0].usable; }));
  execute(0, 10);
  ASSERT_TRUE(poll_until_ended(10));
  EXPECT_EQ(client_.successes.size(), 10u);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 2);
  EXPECT_EQ(server_.count(Opcode::kExecute), 10);
}

TEST_F(Reconnect, ALostConnectionOfSeveralNeedsNoPrepare) {
  options_.connections_per_node = 2;
  start_ready();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 2; }));
  server_.on(Opcode::kExecute, act::close(), 1);
  execute(0, 1);
  ASSERT_TRUE(poll_until_ended(1));
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 2; }));
  EXPECT_EQ(server_.count(Opcode::kPrepare), 1);
  EXPECT_TRUE(log_.empty());  // the node was usable all the time
}

TEST_F(Reconnect, DelaysGrowAndAreResetBySuccess) {
  start_ready();
  server_.on(Opcode::kOptions, act::close(), 3);
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 1; }));
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 2; }));

  const std::vector<int64_t> times_ns = server_.connect_times_ns();
  ASSERT_EQ(times_ns.size(), 6u);
  std::vector<int64_t> gaps_ms;
  for (size_t i = 2; i < times_ns.size(); i++)
    gaps_ms.push_back((times_ns[i] - times_ns[i - 1]) / kNanosPerMilli);
  EXPECT_GE(gaps_ms[0], 2 * 80);  // the second delay: 200 ms, at most a fifth less
  EXPECT_GE(gaps_ms[1], 4 * 80);
  EXPECT_GE(gaps_ms[2], 8 * 80);
  EXPECT_LT(gaps_ms[3], gaps_ms[2]);  // 100 ms again
}

TEST_F(Reconnect, AnOutageIsLoggedOnceAndItsEndOnce) {
  options_.connections_per_node = 3;
  start_ready();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 3; }));
  server_.stop();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 0; }));
  const int64_t later_ns = in_ns(300 * kNanosPerMilli);
  poll_until([&] { return loop_.now_ns() > later_ns; });
  server_.start_again();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 3; }));
  ASSERT_EQ(log_.size(), 2u);
  EXPECT_THAT(log_, Each(HasSubstr(server_.address().to_string())));
  EXPECT_THAT(log_[0], HasSubstr("not used"));
  EXPECT_THAT(log_[1], HasSubstr("used again"));
}

TEST_F(Reconnect, ALoginRefusedAfterItWasTakenOnceIsTriedAgain) {
  server_.require_login({"scott", "tiger"});
  options_.connection.credentials = Credentials{"scott", "tiger"};
  start_ready();
  server_.on(Opcode::kAuthResponse,
             act::error(ErrorCode::kBadCredentials, "Unable to perform authentication"), 1);
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 1; }));
}

TEST_F(Reconnect, AnswersThatComeTooLateAreCounted) {
  options_.connection.request_timeout_ns = 20 * kNanosPerMilli;
  start_ready();
  server_.on(Opcode::kExecute, act::after_ms(150, act::result_void()), 1);
  execute(0, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_EQ(client_.failures.at(0).kind, "ClientTimeout");
  ASSERT_TRUE(poll_until([&] { return session_->late_answers() == 1; }));
  EXPECT_TRUE(client_.successes.empty());
}

}  // namespace
}  // namespace cqlperf::client
