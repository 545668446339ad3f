#include "client/session.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/interrupt.h"
#include "protocol/envelope.h"
#include "session_fixture.h"

namespace cqlperf::client {
namespace {

using core::kNanosPerMilli;
using core::kNanosPerSecond;
using protocol::ErrorCode;
using protocol::Opcode;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(SessionTest, PreparesOnceAndExecutes) {
  std::vector<std::pair<int32_t, int32_t>> received;
  std::mutex mutex;
  server_.on(Opcode::kExecute, [&](Exchange& e) {
    const auto execute = protocol::Execute::decode_body(e.version(), e.request.body);
    ASSERT_EQ(execute->parameters.values.size(), 2u);
    EXPECT_EQ(execute->parameters.consistency, protocol::Consistency::kQuorum);
    const std::lock_guard lock(mutex);
    received.emplace_back(*protocol::decode_int(execute->parameters.values[0].bytes),
                          *protocol::decode_int(execute->parameters.values[1].bytes));
    e.reply_result(protocol::VoidResult{});
  });
  options_.statements[0].settings.consistency = protocol::Consistency::kQuorum;
  start_ready();
  EXPECT_EQ(session_->bind_metadata(0).columns.size(), 2u);
  execute(10, 3);
  EXPECT_EQ(session_->in_flight(), 3u);
  ASSERT_TRUE(poll_until_ended(3));
  EXPECT_THAT(client_.successes, ElementsAre(10, 11, 12));
  EXPECT_EQ(session_->in_flight(), 0u);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 1);
  const std::lock_guard lock(mutex);
  EXPECT_THAT(received, ElementsAre(std::pair(10, 0), std::pair(11, 0), std::pair(12, 0)));
}

TEST_F(SessionTest, SeveralStatementsAreToldApart) {
  options_.statements.push_back({"UPDATE ks.t SET a = ? WHERE b = ?"});
  start_ready();
  execute(1, 1, 0);
  execute(2, 1, 1);
  ASSERT_TRUE(poll_until_ended(2));
  EXPECT_THAT(server_.texts(), testing::UnorderedElementsAre(kInsert, options_.statements[1].cql));
}

TEST_F(SessionTest, AStatementIsPreparedOncePerNodeHoweverManyConnections) {
  options_.connections_per_node = 4;
  start_ready();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 4; }));
  EXPECT_EQ(server_.count(Opcode::kPrepare), 1);
  EXPECT_EQ(server_.connections(), 4);
}

TEST_F(SessionTest, OperationsGoRoundAllNodesAndConnections) {
  ScriptedServer other("127.0.0.2");
  options_.nodes.push_back(other.address());
  options_.connections_per_node = 2;
  start_ready();
  ASSERT_TRUE(poll_until([&] {
    const auto nodes = session_->nodes();
    return session_->ready_connections() == 4 && nodes[0].usable && nodes[1].usable;
  }));
  execute(0, 100);
  ASSERT_TRUE(poll_until_ended(100));
  EXPECT_EQ(server_.count(Opcode::kExecute), 50);
  EXPECT_EQ(other.count(Opcode::kExecute), 50);
}

TEST_F(SessionTest, StartsWhenAnyNodeIsReadyAndNamesTheDeadOneOnce) {
  ScriptedServer dead("127.0.0.2");
  const std::string dead_name = dead.address().to_string();
  dead.stop();
  options_.nodes = {dead.address(), server_.address()};
  options_.connections_per_node = 3;
  start_ready();
  ASSERT_TRUE(poll_until([&] { return !log_.empty(); }));
  execute(0, 10);
  ASSERT_TRUE(poll_until_ended(10));
  EXPECT_EQ(client_.successes.size(), 10u);
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_THAT(log_[0], HasSubstr(dead_name));
  EXPECT_THAT(log_[0], HasSubstr("refused"));
  const auto nodes = session_->nodes();
  EXPECT_FALSE(nodes[0].usable);
  EXPECT_TRUE(nodes[0].last_error);
  EXPECT_TRUE(nodes[1].usable);
}

TEST_F(SessionTest, ANodeThatComesUpLaterJoinsAndIsNamed) {
  ScriptedServer late("127.0.0.2");
  late.stop();
  options_.nodes = {server_.address(), late.address()};
  start_ready();
  ASSERT_TRUE(poll_until([&] { return log_.size() == 1; }));
  late.start_again();
  ASSERT_TRUE(poll_until([&] { return session_->nodes()[1].usable; }));
  ASSERT_EQ(log_.size(), 2u);
  EXPECT_THAT(log_[1], HasSubstr("used again"));
  execute(0, 10);
  ASSERT_TRUE(poll_until_ended(10));
  EXPECT_EQ(late.count(Opcode::kExecute), 5);
}

TEST_F(SessionTest, NothingIsSentBeforeItIsReady) {
  server_.on(Opcode::kPrepare, act::silence());
  EXPECT_FALSE(start(50 * kNanosPerMilli));
  EXPECT_EQ(session_->execute(0, 1), ExecuteStatus::kNotReady);
  EXPECT_EQ(session_->in_flight(), 0u);
}

TEST_F(SessionTest, AStatementThatCannotBePreparedIsASetUpErrorWithTheServersText) {
  server_.on(Opcode::kPrepare, act::error(ErrorCode::kInvalid, "unconfigured table t"));
  const int64_t begin_ns = loop_.refresh_now();
  const auto status = start();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kSetup);
  EXPECT_THAT(status.error().message, HasSubstr("unconfigured table t"));
  EXPECT_THAT(status.error().message, HasSubstr(kInsert));
  EXPECT_LT(loop_.refresh_now() - begin_ns, 5 * kNanosPerSecond);
}

TEST_F(SessionTest, ANodeThatCannotPrepareYetIsTriedAgain) {
  ScriptedServer slow("127.0.0.2");
  slow.on(Opcode::kPrepare, act::error(ErrorCode::kInvalid, "unconfigured table t"), 2);
  options_.nodes.push_back(slow.address());
  start_ready();
  ASSERT_TRUE(poll_until([&] { return session_->nodes()[1].usable; }));
  EXPECT_EQ(slow.count(Opcode::kPrepare), 3);
}

TEST_F(SessionTest, AWrongPasswordEndsAtOnceAndIsNotTriedAgain) {
  server_.require_login({"scott", "tiger"});
  options_.connection.credentials = Credentials{"scott", "lion"};
  const auto status = start();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kAuth);
  EXPECT_THAT(status.error().message, HasSubstr("password are incorrect"));
  EXPECT_TRUE(session_->nodes()[0].given_up);
  const int64_t later_ns = in_ns(300 * kNanosPerMilli);
  poll_until([&] { return loop_.now_ns() >= later_ns; });
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(SessionTest, WithoutAnyNodeTheReasonOfEachIsGiven) {
  ScriptedServer silent("127.0.0.2");
  silent.on(Opcode::kOptions, act::silence());
  ScriptedServer dead("127.0.0.3");
  dead.stop();
  options_.nodes = {silent.address(), dead.address()};
  options_.connection.connect_timeout_ns = 50 * kNanosPerMilli;
  const auto status = start(200 * kNanosPerMilli);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kConnect);
  EXPECT_THAT(status.error().message, HasSubstr(silent.address().to_string()));
  EXPECT_THAT(status.error().message, HasSubstr("did not answer OPTIONS"));
  EXPECT_THAT(status.error().message, HasSubstr("refused"));
}

TEST_F(SessionTest, AnInterruptionEndsTheWait) {
  server_.on(Opcode::kOptions, act::silence());
  core::set_interrupted(true);
  const auto status = start();
  core::set_interrupted(false);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kInterrupted);
}

TEST_F(SessionTest, WorksWithAServerThatSpeaksV3Only) {
  server_.on(Opcode::kOptions, act::refuse_above(protocol::Version::kV3, 3, [](Exchange& e) {
               e.reply(protocol::Supported{});
             }));
  start_ready();
  execute(0, 10);
  ASSERT_TRUE(poll_until_ended(10));
  EXPECT_EQ(client_.successes.size(), 10u);
}

TEST_F(SessionTest, AnswersWithWarningsAndTracingAreSuccesses) {
  server_.on(Opcode::kExecute, [](Exchange& e) {
    protocol::ResponseEnvelope envelope;
    envelope.warnings = {"mind the gap"};
    envelope.tracing_id = protocol::Uuid{};
    protocol::append_frame(e.out, e.version(), e.request.header.stream,
                           protocol::ResultMessage{protocol::VoidResult{}}, envelope);
  });
  start_ready();
  execute(0, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_EQ(client_.successes.size(), 1u);
}

struct ErrorCase {
  ErrorCode code;
  const char* kind;
  bool overloaded;
  bool in_doubt;
};

class ErrorKinds : public SessionTest, public testing::WithParamInterface<ErrorCase> {};

TEST_P(ErrorKinds, AreToldByNameWithTheServersText) {
  protocol::ErrorMessage message = protocol::ErrorMessage::of(GetParam().code, "the text");
  switch (GetParam().code) {
    case ErrorCode::kUnavailable:
      message.details = protocol::UnavailableDetails{};
      break;
    case ErrorCode::kWriteTimeout:
      message.details = protocol::WriteTimeoutDetails{};
      break;
    case ErrorCode::kReadTimeout:
      message.details = protocol::ReadTimeoutDetails{};
      break;
    case ErrorCode::kWriteFailure:
      message.details = protocol::WriteFailureDetails{};
      break;
    case ErrorCode::kRateLimitReached:
      message.details = protocol::RateLimitDetails{};
      break;
    default:
      break;
  }
  server_.on(Opcode::kExecute, act::error(message));
  start_ready();
  execute(5, 1);
  ASSERT_TRUE(poll_until_ended(1));
  const auto& failure = client_.failures.at(0);
  EXPECT_EQ(failure.token, 5u);
  EXPECT_EQ(failure.kind, GetParam().kind);
  EXPECT_EQ(failure.message, "the text");
  EXPECT_EQ(failure.overloaded, GetParam().overloaded);
  EXPECT_EQ(failure.in_doubt, GetParam().in_doubt);
  EXPECT_TRUE(failure.has_frame);
  EXPECT_EQ(session_->in_flight(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Session, ErrorKinds,
    testing::Values(ErrorCase{ErrorCode::kOverloaded, "Overloaded", true, false},
                    ErrorCase{ErrorCode::kRateLimitReached, "RateLimitReached", true, false},
                    ErrorCase{ErrorCode::kUnavailable, "Unavailable", false, false},
                    ErrorCase{ErrorCode::kWriteTimeout, "WriteTimeout", false, true},
                    ErrorCase{ErrorCode::kWriteFailure, "WriteFailure", false, true},
                    ErrorCase{ErrorCode::kReadTimeout, "ReadTimeout", false, false},
                    ErrorCase{ErrorCode::kInvalid, "Invalid", false, false},
                    ErrorCase{ErrorCode::kUnauthorized, "Unauthorized", false, false}));

TEST_F(SessionTest, AnErrorWithAWarningBeforeItIsRead) {
  server_.on(Opcode::kExecute, [](Exchange& e) {
    protocol::ResponseEnvelope envelope;
    envelope.warnings = {"mind the gap"};
    protocol::append_frame(e.out, e.version(), e.request.header.stream,
                           protocol::ErrorMessage::of(ErrorCode::kInvalid, "no"), envelope);
  });
  start_ready();
  execute(0, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_EQ(client_.failures.at(0).kind, "Invalid");
  EXPECT_EQ(client_.failures.at(0).message, "no");
}

TEST_F(SessionTest, AnAnswerThatIsNeitherResultNorErrorIsAProtocolError) {
  server_.on(Opcode::kExecute, [](Exchange& e) { e.reply(protocol::Ready{}); });
  start_ready();
  execute(0, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_EQ(client_.failures.at(0).kind, "ProtocolError");
}

TEST_F(SessionTest, ATimeoutOfOursIsInDoubt) {
  options_.connection.request_timeout_ns = 20 * kNanosPerMilli;
  start_ready();
  server_.on(Opcode::kExecute, act::silence());
  execute(0, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_EQ(client_.failures.at(0).kind, "ClientTimeout");
  EXPECT_TRUE(client_.failures.at(0).in_doubt);
  EXPECT_FALSE(client_.failures.at(0).has_frame);
}

TEST_F(SessionTest, WithMoreThanTheIdsItIsBusyUntilAnAnswerComes) {
  options_.connection.stream_ids = 4;
  start_ready();
  execute(0, 4);
  EXPECT_EQ(session_->execute(0, 4), ExecuteStatus::kStreamsBusy);
  EXPECT_EQ(session_->in_flight(), 4u);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_EQ(session_->execute(0, 4), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_ended(5));
}

// More wanted than there are ids, half of the answers errors: no id may be lost.
TEST_F(SessionTest, NoIdIsLostWithManyErrors) {
  options_.connection.stream_ids = 8;
  options_.connections_per_node = 2;
  std::atomic<int> answered = 0;
  server_.on(Opcode::kExecute, [&](Exchange& e) {
    if (answered++ % 2 == 0) return e.reply_result(protocol::VoidResult{});
    e.reply(protocol::ErrorMessage::of(ErrorCode::kOverloaded, "busy"));
  });
  start_ready();
  constexpr uint32_t kOperations = 20'000;
  uint32_t sent = 0;
  int busy = 0;
  const auto fill = [&] {
    while (sent < kOperations && session_->execute(0, sent) == ExecuteStatus::kSent) sent++;
    if (sent < kOperations) busy++;
    return client_.ended() == kOperations;
  };
  ASSERT_TRUE(poll_until(fill));
  EXPECT_GT(busy, 0);
  EXPECT_EQ(client_.failures.size(), kOperations / 2);
  EXPECT_EQ(session_->in_flight(), 0u);
}

TEST_F(SessionTest, OperationsMayBeStartedInsideCallbacks) {
  start_ready();
  uint32_t next = 1;
  client_.on_end = [&] {
    if (next < 1000) {
      EXPECT_EQ(session_->execute(0, next), ExecuteStatus::kSent);
      next++;
    }
  };
  execute(0, 1);
  ASSERT_TRUE(poll_until_ended(1000));
  EXPECT_EQ(session_->in_flight(), 0u);
}

TEST_F(SessionTest, DestroyedWithOperationsInFlightItTellsNobody) {
  server_.on(Opcode::kExecute, act::silence());
  start_ready();
  execute(0, 5);
  session_.reset();
  EXPECT_EQ(client_.ended(), 0u);
  EXPECT_EQ(loop_.next_timer_ns(), net::kPollForever);
}

}  // namespace
}  // namespace cqlperf::client
