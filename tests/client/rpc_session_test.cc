// An RpcSession and a server that does what Thrift's does, from the connection to the operations.
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc_session_fixture.h"

namespace cqlperf::client {
namespace {

using core::ErrorCode;
using core::kNanosPerMilli;
using core::kNanosPerSecond;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using thrift::ApplicationError;
using thrift::Call;
using Kind = thrift::Exception::Kind;

class RpcOperations : public RpcSessionTest {};

TEST_F(RpcOperations, BatchMutateArrivesAsWritten) {
  std::mutex mutex;
  std::vector<std::string> seen;
  server_.on(Call::kBatchMutate, [&](ThriftExchange& e) {
    const std::lock_guard lock(mutex);
    if (e.call.rows.size() == 1 && e.call.mutations.size() == 1)
      seen.push_back(thrift_text(e.call.rows[0].key) + " " +
                     std::string(e.call.rows[0].column_family) + " " +
                     thrift_text(e.call.mutations[0].value));
    EXPECT_EQ(e.call.consistency, thrift::Consistency::kQuorum);
    thrift_act::nothing()(e);
  });
  start_ready();
  for (uint32_t token = 98; token < 101; token++) {
    execute(token, 1);
    ASSERT_TRUE(poll_until_ended(token - 97));
  }
  server_.stop();
  EXPECT_THAT(client_.successes, ElementsAre(98, 99, 100));
  EXPECT_THAT(seen, ElementsAre("98 t 98", "99 t 99", "100 t 100"));
  EXPECT_EQ(session_->in_flight(), 0u);
}

TEST_F(RpcOperations, GetSliceGivesTheCells) {
  use_call(Call::kGetSlice);
  start_ready();
  execute(17, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_THAT(client_.successes, ElementsAre(17));
  EXPECT_THAT(client_.texts, ElementsAre("17"));
}

TEST_F(RpcOperations, ExecuteCql3QueryGivesTheRows) {
  use_call(Call::kExecuteCql3Query);
  start_ready();
  execute(5, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_THAT(client_.texts, ElementsAre("SELECT 5"));
}

// What a connection has prepared, no other knows.
TEST_F(RpcOperations, EachConnectionExecutesWhatItHasPrepared) {
  use_call(Call::kExecutePreparedCql3Query);
  options_.connections = 3;
  options_.prepare = "INSERT INTO t (a) VALUES (?)";
  start_ready();
  for (uint32_t round = 0; round < 10; round++) {
    execute(3 * round, 3);
    ASSERT_TRUE(poll_until_ended(3 * round + 3));
  }
  EXPECT_THAT(client_.failures, IsEmpty());
  EXPECT_EQ(server_.count(Call::kPrepareCql3Query), 3);
  EXPECT_EQ(
      (std::set<int32_t>(client_.item_ids.begin(), client_.item_ids.end())),
      (std::set<int32_t>{server_.item_id_of(0), server_.item_id_of(1), server_.item_id_of(2)}));

  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 3; }));
  execute(100, 3);
  ASSERT_TRUE(poll_until_ended(33));
  EXPECT_THAT(client_.failures, IsEmpty());
  EXPECT_EQ(server_.count(Call::kPrepareCql3Query), 6);
}

TEST_F(RpcOperations, ReplyInPiecesIsOneReply) {
  use_call(Call::kGetSlice);
  server_.on(Call::kGetSlice, [](ThriftExchange& e) {
    const std::vector<thrift::Cell> cells = {
        {.name = thrift_bytes("key"), .value = e.call.key, .timestamp_us = 1}};
    e.writer.cells(e.call.seqid, cells, e.out);
    e.trickle();
  });
  start_ready();
  for (uint32_t token = 0; token < 5; token++) {
    execute(token, 1);
    ASSERT_TRUE(poll_until_ended(token + 1));
  }
  EXPECT_THAT(client_.texts, ElementsAre("0", "1", "2", "3", "4"));
}

TEST_F(RpcOperations, OneInFlightOnEachConnection) {
  options_.connections = 3;
  server_.on(Call::kBatchMutate, thrift_act::silence(), 3);
  make_session();
  EXPECT_EQ(session_->execute(0), ExecuteStatus::kNotReady);
  ASSERT_TRUE(session_->wait_until_ready(in_ns(10 * kNanosPerSecond)));
  execute(0, 3);
  EXPECT_EQ(session_->in_flight(), 3u);
  EXPECT_EQ(session_->execute(3), ExecuteStatus::kStreamsBusy);
  EXPECT_EQ(session_->in_flight(), 3u);
  ASSERT_TRUE(poll_until([&] { return server_.count(Call::kBatchMutate) == 3; }));
  EXPECT_EQ(session_->execute(3), ExecuteStatus::kStreamsBusy);
  const auto counts = server_.counts_by_connection(Call::kBatchMutate);
  EXPECT_THAT(counts, ElementsAre(Pair(0, 1), Pair(1, 1), Pair(2, 1)));
}

// Also when there is never more than one to do.
TEST_F(RpcOperations, ConnectionsAndNodesAreUsedEvenly) {
  ScriptedThriftServer other;
  options_.nodes.push_back(other.address());
  options_.connections = 4;
  start_ready();
  EXPECT_EQ(server_.connections(), 2);
  EXPECT_EQ(other.connections(), 2);
  for (uint32_t token = 0; token < 40; token++) {
    execute(token, 1);
    ASSERT_TRUE(poll_until_ended(token + 1));
  }
  for (const auto* server : {&server_, &other}) {
    const auto counts = server->counts_by_connection(Call::kBatchMutate);
    EXPECT_THAT(counts, ElementsAre(Pair(0, 10), Pair(1, 10)));
  }
}

TEST_F(RpcOperations, TheNextMayBeExecutedInsideTheReply) {
  options_.connections = 2;
  start_ready();
  uint32_t next = 0;
  client_.on_end = [&] {
    if (next == 100) return;
    EXPECT_EQ(session_->execute(next++), ExecuteStatus::kSent);
  };
  next = 2;
  execute(0, 2);
  ASSERT_TRUE(poll_until_ended(100));
  EXPECT_EQ(client_.successes.size(), 100u);
  EXPECT_EQ(session_->in_flight(), 0u);
}

struct Refused {
  Kind kind;
  const char* why;  // of the server
  std::optional<int32_t> acknowledged_by;
  ApplicationError application_type;
  std::string_view message;
  bool in_doubt;
};
constexpr auto kNoType = ApplicationError::kProtocolError;
constexpr Refused kRefused[] = {
    {Kind::kInvalidRequest, "no such table", {}, kNoType, "no such table", false},
    {Kind::kUnavailable, "", {}, kNoType, "the server gave no reason", false},
    {Kind::kTimedOut, "", 2, kNoType, "acknowledged by 2", true},
    {Kind::kTimedOut, "", {}, kNoType, "the server gave no reason", true},
    {Kind::kSchemaDisagreement, "", {}, kNoType, "the server gave no reason", false},
    {Kind::kApplication, "it broke", {}, ApplicationError::kInternalError, "it broke", true},
    {Kind::kApplication, "required", {}, ApplicationError::kProtocolError, "required", false},
};

TEST_F(RpcOperations, ExceptionsAreFailuresAndTheConnectionGoesOn) {
  use_call(Call::kExecuteCql3Query);
  start_ready();
  uint32_t token = 0;
  for (const Refused& refused : kRefused) {
    thrift::Exception exception;
    exception.kind = refused.kind;
    exception.why = refused.why;
    exception.acknowledged_by = refused.acknowledged_by;
    exception.application_type = static_cast<int32_t>(refused.application_type);
    server_.on(Call::kExecuteCql3Query, thrift_act::exception(exception), 1);
    const auto failure = failure_of_one(token);
    EXPECT_EQ(failure.kind, thrift::exception_name(refused.kind));
    EXPECT_EQ(failure.message, refused.message);
    EXPECT_EQ(failure.in_doubt, refused.in_doubt) << token;
    EXPECT_TRUE(failure.answered) << token++;
  }
  expect_works_again(99);
  EXPECT_EQ(server_.connections(), 1);
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(RpcOperations, CountersAreWhatTheServerSaw) {
  options_.connections = 2;
  start_ready();
  execute(0, 2);
  ASSERT_TRUE(poll_until_ended(2));
  const auto before = session_->counters();
  EXPECT_EQ(before.bytes_sent, server_.bytes_received());
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 2; }));
  execute(2, 2);
  ASSERT_TRUE(poll_until_ended(4));
  const auto after = session_->counters();
  EXPECT_EQ(after.bytes_sent, server_.bytes_received());
  EXPECT_EQ(after.bytes_sent, 2 * before.bytes_sent);
  EXPECT_EQ(after.bytes_received, 2 * before.bytes_received);
  EXPECT_EQ(after.sends, 2 * before.sends);
  EXPECT_GT(after.receives, before.receives);
}

class RpcHandshake : public RpcSessionTest {
 protected:
  void use_all() {
    options_.connection.credentials = Credentials{"ann", "secret"};
    options_.connection.keyspace = "Ks";
    options_.prepare = "SELECT a FROM t";
    use_call(Call::kExecutePreparedCql3Query);
  }
};

TEST_F(RpcHandshake, LoginKeyspaceAndPrepareComeInThisOrder) {
  use_all();
  options_.connections = 2;
  std::mutex mutex;
  std::vector<std::string> seen;
  const auto note = [&](std::string text, ThriftExchange& e) {
    const std::lock_guard lock(mutex);
    seen.push_back(std::move(text));
    thrift_act::nothing()(e);
  };
  server_.on(Call::kLogin, [&](ThriftExchange& e) { note(e.call.user + e.call.password, e); });
  server_.on(Call::kSetKeyspace, [&](ThriftExchange& e) { note(std::string(e.call.text), e); });
  start_ready();
  server_.stop();
  EXPECT_THAT(seen, testing::UnorderedElementsAre("annsecret", "annsecret", "Ks", "Ks"));
  for (const int connection : {0, 1}) {
    EXPECT_THAT(server_.calls_of(connection),
                ElementsAre(Call::kLogin, Call::kSetKeyspace, Call::kPrepareCql3Query));
  }
}

TEST_F(RpcHandshake, WithoutThemTheVersionIsAsked) {
  start_ready();
  EXPECT_THAT(server_.calls_of(0), ElementsAre(Call::kDescribeVersion));
  EXPECT_EQ(session_->ready_connections(), 1u);
  EXPECT_EQ(session_->reconnects(), 0u);
}

TEST_F(RpcHandshake, ARefusedLoginIsAnAuthError) {
  use_all();
  server_.on(Call::kLogin, thrift_act::exception(Kind::kAuthentication, "bad password"));
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kAuth);
  EXPECT_THAT(error.message, HasSubstr(server_.address().to_string()));
  EXPECT_THAT(error.message, HasSubstr("login of user `ann`"));
  EXPECT_THAT(error.message, HasSubstr("bad password"));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("secret")));
  EXPECT_EQ(server_.count(Call::kSetKeyspace), 0);
}

TEST_F(RpcHandshake, ARefusedKeyspaceIsASetupError) {
  use_all();
  server_.on(Call::kSetKeyspace, thrift_act::exception(Kind::kInvalidRequest, "does not exist"));
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kSetup);
  EXPECT_THAT(error.message, HasSubstr(server_.address().to_string()));
  EXPECT_THAT(error.message, HasSubstr("keyspace `Ks`"));
  EXPECT_THAT(error.message, HasSubstr("does not exist"));
}

TEST_F(RpcHandshake, ARefusedPrepareIsASetupError) {
  use_all();
  server_.on(Call::kPrepareCql3Query, thrift_act::exception(Kind::kInvalidRequest, "no column a"));
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kSetup);
  EXPECT_THAT(error.message, HasSubstr(server_.address().to_string()));
  EXPECT_THAT(error.message, HasSubstr("cannot prepare `SELECT a FROM t`"));
  EXPECT_THAT(error.message, HasSubstr("no column a"));
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(RpcHandshake, OneNodeThatRefusesIsEnough) {
  ScriptedThriftServer other;
  options_.nodes.push_back(other.address());
  options_.connections = 4;
  options_.connection.keyspace = "ks";
  other.on(Call::kSetKeyspace, thrift_act::exception(Kind::kInvalidRequest, "not here"));
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kSetup);
  EXPECT_THAT(error.message, HasSubstr(other.address().to_string()));
}

TEST_F(RpcHandshake, AnExceptionToTheVersionIsASetupError) {
  server_.on(Call::kDescribeVersion,
             thrift_act::exception({.kind = Kind::kApplication, .why = "who asks?"}));
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kSetup);
  EXPECT_THAT(error.message, HasSubstr("describe_version"));
  EXPECT_THAT(error.message, HasSubstr("who asks?"));
}

struct Stranger {
  std::string name;
  std::string bytes;
  std::string text;  // of the error

  friend void PrintTo(const Stranger& stranger, std::ostream* out) { *out << stranger.name; }
};

class RpcStrangers : public RpcSessionTest, public testing::WithParamInterface<Stranger> {};

TEST_P(RpcStrangers, AreToldAtOnce) {
  server_.answer_all_with(GetParam().bytes);
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kConnect);
  EXPECT_THAT(error.message, HasSubstr(server_.address().to_string()));
  EXPECT_THAT(error.message, HasSubstr(GetParam().text));
  EXPECT_EQ(session_->ready_connections(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    All, RpcStrangers,
    testing::Values(
        Stranger{"Native", std::string("\x84\0\0\0\0\0\0\0\x06\0\0\0\x0A\0\0", 15),
                 "is this the port of the native protocol?"},
        Stranger{"NativeV5", std::string("\x85\0\0\0\0\0\0\0\x06\0\0\0\x0A\0\0", 15),
                 "is this the port of the native protocol?"},
        Stranger{"Http", "HTTP/1.1 400 Bad Request\r\n\r\n", "that is text, not Thrift"},
        Stranger{"Garbage", std::string("\0\0\0\x05wrong", 9), ""},
        Stranger{"NegativeLength", std::string("\xFF\xFF\xFF\xFF\x80\x01", 6), "Frame size (-1)"},
        Stranger{"CutOff", std::string("\0\0\0\x08\x80", 5), "closed the connection"}),
    [](const auto& param) { return param.param.name; });

TEST_F(RpcHandshake, TheReplyToAnotherCallIsAnError) {
  server_.on(Call::kDescribeVersion,
             [](ThriftExchange& e) { e.writer.nothing(Call::kSetKeyspace, e.call.seqid, e.out); });
  const core::Error error = refused_at_once();
  EXPECT_THAT(error.message, HasSubstr("set_keyspace"));
}

TEST_F(RpcHandshake, AServerThatClosesAtOnceIsToldAtOnce) {
  server_.close_at_once();
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kConnect);
  EXPECT_THAT(error.message, HasSubstr(server_.address().to_string()));
  EXPECT_THAT(error.message, HasSubstr("is this a port of Thrift?"));
}

TEST_F(RpcHandshake, ARefusedConnectionIsToldAtOnce) {
  server_.stop();
  options_.connections = 3;
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kConnect);
  EXPECT_THAT(error.message, HasSubstr("cannot connect to " + server_.address().to_string()));
}

TEST_F(RpcHandshake, ASilentPortIsToldAtTheDeadline) {
  ScriptedThriftServer other;
  options_.nodes.push_back(other.address());
  options_.connections = 2;
  options_.connection.connect_timeout_ns = 50 * kNanosPerMilli;
  other.on(Call::kDescribeVersion, thrift_act::silence());
  const int64_t begun_ns = loop_.refresh_now();
  const core::Status status = start(300 * kNanosPerMilli);
  ASSERT_FALSE(status);
  EXPECT_GE(loop_.refresh_now() - begun_ns, 300 * kNanosPerMilli);
  EXPECT_EQ(status.error().code, ErrorCode::kConnect);
  EXPECT_THAT(status.error().message, HasSubstr("1 of 2 connections are ready"));
  EXPECT_THAT(status.error().message, HasSubstr(other.address().to_string()));
  EXPECT_THAT(status.error().message, HasSubstr("did not answer describe_version within 50.0 ms"));
  EXPECT_THAT(status.error().message, testing::Not(HasSubstr(server_.address().to_string())));
}

TEST_F(RpcHandshake, AnInterruptEndsTheWait) {
  server_.on(Call::kDescribeVersion, [](ThriftExchange&) { core::set_interrupted(true); });
  const core::Error error = refused_at_once();
  EXPECT_EQ(error.code, ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace cqlperf::client
