// An RpcSession when servers fall silent, talk nonsense, go away and come back.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc_session_fixture.h"

namespace cqlperf::client {
namespace {

using core::kNanosPerMilli;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using thrift::Call;
using Kind = thrift::Exception::Kind;

class RpcFaults : public RpcSessionTest {
 protected:
  std::string node() const { return "node " + server_.address().to_string(); }
  // One operation fails without an answer, its connection ends, and the next one works.
  RecordingRpcClient::Failure failure_that_ends_the_connection(ThriftAction action) {
    server_.on(Call::kBatchMutate, std::move(action), 1);
    start_ready();
    const auto failure = failure_of_one(7);
    EXPECT_TRUE(failure.in_doubt);
    EXPECT_FALSE(failure.answered);
    EXPECT_THAT(failure.message, HasSubstr(server_.address().to_string()));
    EXPECT_EQ(session_->execute(8), ExecuteStatus::kNotReady);
    expect_works_again(9);
    EXPECT_EQ(session_->reconnects(), 1u);
    EXPECT_EQ(server_.connections(), 2);
    EXPECT_EQ(log_.size(), 2u);
    return failure;
  }
};

TEST_F(RpcFaults, SilenceIsAClientTimeout) {
  options_.connection.request_timeout_ns = 50 * kNanosPerMilli;
  const auto failure = failure_that_ends_the_connection(thrift_act::silence());
  EXPECT_EQ(failure.kind, "ClientTimeout");
  EXPECT_THAT(failure.message, HasSubstr("no answer within 50.0 ms"));
}

// Not one of the others, which are answered.
TEST_F(RpcFaults, OnlyTheConnectionThatIsSilentEnds) {
  options_.connection.request_timeout_ns = 100 * kNanosPerMilli;
  options_.connections = 3;
  server_.on(Call::kBatchMutate, thrift_act::silence(), 1);
  start_ready();
  execute(0, 3);
  ASSERT_TRUE(poll_until_ended(3));
  EXPECT_EQ(client_.failures.size(), 1u);
  EXPECT_EQ(session_->ready_connections(), 2u);
  ASSERT_TRUE(poll_until_ready());
  EXPECT_EQ(session_->reconnects(), 1u);
  EXPECT_EQ(server_.connections(), 4);
  EXPECT_THAT(log_, IsEmpty());  // the node was of use all the time
}

TEST_F(RpcFaults, NoTimeoutBeforeItsTime) {
  options_.connection.request_timeout_ns = 100 * kNanosPerMilli;
  server_.on(Call::kBatchMutate, thrift_act::silence(), 1);
  start_ready();
  const int64_t begun_ns = loop_.refresh_now();
  failure_of_one(1);
  EXPECT_GE(loop_.now_ns() - begun_ns, 100 * kNanosPerMilli);
}

TEST_F(RpcFaults, ClosedInsteadOfAReply) {
  EXPECT_EQ(failure_that_ends_the_connection(thrift_act::close()).kind, "ConnectionLost");
}

TEST_F(RpcFaults, ClosedInMidReply) {
  const auto half = thrift_act::bytes(std::string("\0\0\0\x20\x80\x01", 6));
  const auto failure =
      failure_that_ends_the_connection(thrift_act::then(half, thrift_act::close()));
  EXPECT_EQ(failure.kind, "ConnectionLost");
}

TEST_F(RpcFaults, TheReplyToAnotherCallOfTheConnection) {
  const auto failure = failure_that_ends_the_connection(thrift_act::nothing(-1));
  EXPECT_EQ(failure.kind, "ProtocolError");
  EXPECT_THAT(failure.message, HasSubstr("answered call 2 of this connection with the reply to "
                                         "call 1"));
}

TEST_F(RpcFaults, BytesBehindTheReply) {
  const auto failure = failure_that_ends_the_connection(
      thrift_act::then(thrift_act::nothing(), thrift_act::bytes("abc")));
  EXPECT_EQ(failure.kind, "ProtocolError");
  EXPECT_THAT(failure.message, HasSubstr("sent 3 bytes more than the reply"));
}

TEST_F(RpcFaults, TheReplyTwice) {
  const auto failure = failure_that_ends_the_connection(
      thrift_act::then(thrift_act::nothing(), thrift_act::nothing()));
  EXPECT_EQ(failure.kind, "ProtocolError");
}

TEST_F(RpcFaults, TheReplyOfAnotherName) {
  const auto failure = failure_that_ends_the_connection(
      [](ThriftExchange& e) { e.writer.nothing(Call::kLogin, e.call.seqid, e.out); });
  EXPECT_EQ(failure.kind, "ProtocolError");
}

TEST_F(RpcFaults, AFrameThatIsTooLong) {
  const auto failure =
      failure_that_ends_the_connection(thrift_act::bytes(std::string("\x7F\0\0\0", 4)));
  EXPECT_EQ(failure.kind, "ProtocolError");
  EXPECT_THAT(failure.message, HasSubstr("Frame size"));
}

TEST_F(RpcFaults, BytesThatNobodyAskedFor) {
  start_ready();
  server_.send_to_all(std::string_view("\0\0\0\x01x", 5));
  ASSERT_TRUE(poll_until([&] { return log_.size() == 1; }));
  EXPECT_THAT(log_[0], HasSubstr("sent bytes that no request waits for"));
  EXPECT_EQ(session_->execute(1), ExecuteStatus::kNotReady);
  expect_works_again(2);
  EXPECT_EQ(client_.ended(), 1u);
}

// The connections that are left stay in their places.
TEST_F(RpcFaults, AnIdleConnectionThatEndsIsNotUsed) {
  ScriptedThriftServer other;
  options_.nodes.push_back(other.address());
  options_.connections = 4;
  start_ready();
  other.stop();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 2; }));
  for (uint32_t token = 0; token < 20; token += 2) {
    execute(token, 2);
    EXPECT_EQ(session_->execute(99), ExecuteStatus::kStreamsBusy);
    ASSERT_TRUE(poll_until_ended(token + 2));
  }
  EXPECT_EQ(client_.successes.size(), 20u);
  EXPECT_THAT(server_.counts_by_connection(Call::kBatchMutate),
              ElementsAre(testing::Pair(0, 10), testing::Pair(1, 10)));
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_THAT(log_[0], HasSubstr(other.address().to_string() + " is not used"));
  other.start_again();
  ASSERT_TRUE(poll_until_ready());
  execute(100, 4);
  ASSERT_TRUE(poll_until_ended(24));
}

TEST_F(RpcFaults, AnOutageIsLoggedOnceAndItsEndOnce) {
  options_.connections = 3;
  start_ready();
  server_.stop();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 0; }));
  const int64_t until_ns = in_ns(300 * kNanosPerMilli);  // attempts that are refused
  ASSERT_TRUE(poll_until([&] { return loop_.now_ns() >= until_ns; }));
  EXPECT_THAT(log_, ElementsAre(testing::AllOf(HasSubstr(node() + " is not used"),
                                               HasSubstr("trying again"))));
  server_.start_again();
  expect_works_again(1);
  EXPECT_EQ(session_->reconnects(), 3u);
  ASSERT_EQ(log_.size(), 2u);
  EXPECT_EQ(log_[1], node() + " is used again");

  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 6; }));
  EXPECT_EQ(log_.size(), 4u);
}

TEST_F(RpcFaults, AllInFlightFailWhenTheServerGoes) {
  options_.connections = 5;
  server_.on(Call::kBatchMutate, thrift_act::silence(), 5);
  start_ready();
  execute(0, 5);
  ASSERT_TRUE(poll_until([&] { return server_.count(Call::kBatchMutate) == 5; }));
  server_.drop_connections();
  ASSERT_TRUE(poll_until_ended(5));
  EXPECT_EQ(session_->in_flight(), 0u);
  ASSERT_EQ(client_.failures.size(), 5u);
  for (const auto& failure : client_.failures) {
    EXPECT_EQ(failure.kind, "ConnectionLost");
    EXPECT_FALSE(failure.answered);
  }
  expect_works_again(9);
}

// Refused after it had been used: not for ever.
TEST_F(RpcFaults, AKeyspaceThatIsGoneForAWhileIsTriedAgain) {
  options_.connection.keyspace = "ks";
  start_ready();
  server_.on(Call::kSetKeyspace, thrift_act::exception(Kind::kInvalidRequest, "gone"), 2);
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 1; }));
  expect_works_again(1);
  EXPECT_EQ(server_.count(Call::kSetKeyspace), 4);
  EXPECT_EQ(session_->reconnects(), 1u);
  EXPECT_EQ(log_.size(), 2u);
}

TEST_F(RpcFaults, TheClientMayGoOnInsideAFailure) {
  options_.connections = 2;
  server_.on(Call::kBatchMutate, thrift_act::close(), 1);
  start_ready();
  ExecuteStatus status = ExecuteStatus::kNotReady;
  client_.on_end = [&] {
    if (client_.ended() == 1) status = session_->execute(5);
  };
  execute(1, 1);
  ASSERT_TRUE(poll_until_ended(2));
  EXPECT_EQ(status, ExecuteStatus::kSent);
  EXPECT_THAT(client_.successes, ElementsAre(5));
}

// Written, not flushed, and lost.
TEST_F(RpcFaults, AConnectionThatEndsBeforeItsFlush) {
  start_ready();
  server_.drop_connections();
  ASSERT_EQ(session_->execute(1), ExecuteStatus::kSent);
  const int64_t deadline_ns = in_ns(10 * core::kNanosPerSecond);
  while (client_.ended() == 0 && loop_.now_ns() < deadline_ns) loop_.poll(deadline_ns);
  ASSERT_EQ(client_.failures.size(), 1u);
  EXPECT_EQ(client_.failures[0].kind, "ConnectionLost");
  expect_works_again(2);
  EXPECT_EQ(server_.count(Call::kBatchMutate), 1);
}

// Nothing of it may call back.
TEST_F(RpcFaults, ASessionMayEndWithOperationsInFlight) {
  options_.connection.request_timeout_ns = 20 * kNanosPerMilli;
  server_.on(Call::kBatchMutate, thrift_act::silence());
  start_ready();
  execute(1, 1);
  session_.reset();
  const int64_t until_ns = in_ns(60 * kNanosPerMilli);
  ASSERT_TRUE(poll_until([&] { return loop_.now_ns() >= until_ns; }));
  EXPECT_EQ(client_.ended(), 0u);
}

}  // namespace
}  // namespace cqlperf::client
