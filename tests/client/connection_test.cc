#include "client/connection.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.h"
#include "protocol/query.h"
#include "scripted_server.h"

namespace cqlperf::client {
namespace {

using core::kNanosPerMilli;
using core::kNanosPerSecond;
using protocol::ErrorCode;
using protocol::Opcode;
using protocol::Version;
using testing::HasSubstr;

// Notes all that a connection tells.
class Listener final : public Connection::Owner, public RequestHandler {
 public:
  struct Answer {
    uint64_t token;
    Opcode opcode;
  };
  struct Loss {
    uint64_t token;
    RequestFault fault;
    std::string reason;
  };

  void on_ready(Connection&) override { ready++; }
  void on_closed(Connection&, const core::Error& error) override { closed.push_back(error); }
  void on_response(uint64_t token, const protocol::Frame& frame, int64_t received_ns) override {
    EXPECT_GT(received_ns, 0);
    answers.push_back({token, frame.header.opcode});
    if (on_answer) on_answer();
  }
  void on_no_response(uint64_t token, RequestFault fault, std::string_view reason,
                      int64_t) override {
    losses.push_back({token, fault, std::string(reason)});
  }

  int ready = 0;
  std::vector<core::Error> closed;
  std::vector<Answer> answers;
  std::vector<Loss> losses;
  std::function<void()> on_answer;
};

class ConnectionTest : public testing::Test {
 protected:
  bool poll_until(const std::function<bool()>& condition) {
    const int64_t deadline_ns = loop_.refresh_now() + 20 * kNanosPerSecond;
    while (!condition() && loop_.now_ns() < deadline_ns)
      loop_.poll(loop_.refresh_now() + 20 * kNanosPerMilli);
    return condition();
  }
  void open() {
    connection_ = std::make_unique<Connection>(loop_, listener_, options_);
    connection_->open(server_.address());
    ASSERT_TRUE(poll_until([&] { return listener_.ready > 0 || !listener_.closed.empty(); }));
  }
  void open_ready() {
    open();
    ASSERT_EQ(listener_.ready, 1) << listener_.closed[0].message;
  }
  core::Error open_failing() {
    open();
    EXPECT_EQ(listener_.ready, 0);
    EXPECT_EQ(listener_.closed.size(), 1u);
    EXPECT_TRUE(connection_->is_closed());
    return listener_.closed.empty() ? core::Error{} : listener_.closed[0];
  }
  bool send_query(uint64_t token, std::string_view cql = "SELECT 1") {
    const auto stream = connection_->begin_request(listener_, token);
    if (!stream) return false;
    protocol::append_frame(connection_->output(), connection_->version(), *stream,
                           protocol::Query{cql});
    connection_->flush();
    return true;
  }

  net::EventLoop loop_;
  ScriptedServer server_;
  Listener listener_;
  ConnectionOptions options_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(ConnectionTest, BecomesReadyAndNamesItself) {
  open_ready();
  EXPECT_EQ(connection_->version(), Version::kV4);
  const auto startup = server_.startup_options();
  EXPECT_EQ(startup.at("CQL_VERSION"), "3.4.7");
  EXPECT_EQ(startup.at("DRIVER_NAME"), "cqlperf");
  EXPECT_TRUE(startup.contains("DRIVER_VERSION"));
  EXPECT_FALSE(startup.contains("COMPRESSION"));
}

TEST_F(ConnectionTest, TakesAnOldestCqlVersionWhenNoneIsSupported) {
  server_.on(Opcode::kOptions, [](Exchange& e) { e.reply(protocol::Supported{}); });
  open_ready();
  EXPECT_EQ(server_.startup_options().at("CQL_VERSION"), "3.0.0");
}

TEST_F(ConnectionTest, LogsInWhenAsked) {
  server_.require_login({"scott", "tiger"});
  options_.credentials = Credentials{"scott", "tiger"};
  open_ready();
  EXPECT_EQ(server_.count(Opcode::kAuthResponse), 1);
}

TEST_F(ConnectionTest, CredentialsThatNobodyAsksForAreNotSent) {
  options_.credentials = Credentials{"scott", "tiger"};
  open_ready();
  EXPECT_EQ(server_.count(Opcode::kAuthResponse), 0);
}

TEST_F(ConnectionTest, AWrongPasswordIsAnAuthErrorWithTheServersText) {
  server_.require_login({"scott", "tiger"});
  options_.credentials = Credentials{"scott", "s3cret"};
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kAuth);
  EXPECT_THAT(error.message, HasSubstr("password are incorrect"));
  EXPECT_THAT(error.message, HasSubstr("`scott`"));
  EXPECT_THAT(error.message, HasSubstr(server_.address().to_string()));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("s3cret")));
}

TEST_F(ConnectionTest, ALoginThatIsDemandedButNotGivenNamesTheFlag) {
  server_.require_login({"scott", "tiger"});
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kAuth);
  EXPECT_THAT(error.message, HasSubstr("--user"));
  EXPECT_THAT(error.message, HasSubstr("PasswordAuthenticator"));
}

TEST_F(ConnectionTest, UsesAKeyspaceByItsExactName) {
  options_.keyspace = "My\"Ks";
  open_ready();
  EXPECT_THAT(server_.texts(), testing::ElementsAre("USE \"My\"\"Ks\""));
}

TEST_F(ConnectionTest, AMissingKeyspaceIsASetUpError) {
  options_.keyspace = "gone";
  server_.on_cql("USE", act::error(ErrorCode::kInvalid, "Keyspace 'gone' does not exist"));
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kSetup);
  EXPECT_THAT(error.message, HasSubstr("Keyspace 'gone' does not exist"));
}

TEST_F(ConnectionTest, AKeyspaceWithoutPermissionIsAnAuthError) {
  options_.keyspace = "ks";
  server_.on_cql("USE", act::error(ErrorCode::kUnauthorized, "no permission on ks"));
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kAuth);
  EXPECT_THAT(error.message, HasSubstr("no permission on ks"));
}

class VersionFallback : public ConnectionTest, public testing::WithParamInterface<int> {};

TEST_P(VersionFallback, ARefusedV4IsTriedAgainAsV3) {
  const auto supported = [](Exchange& e) {
    e.reply(protocol::Supported{{{"CQL_VERSION", {"3.4.0"}}}});
  };
  server_.on(Opcode::kOptions,
             act::refuse_above(Version::kV3, static_cast<uint8_t>(GetParam()), supported));
  open_ready();
  EXPECT_EQ(connection_->version(), Version::kV3);
  EXPECT_EQ(server_.connections(), 2);

  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return listener_.closed.size() == 1; }));
  connection_->open(server_.address());
  ASSERT_TRUE(poll_until([&] { return listener_.ready == 2; }));
  EXPECT_EQ(server_.connections(), 3);  // the version is remembered
}

INSTANTIATE_TEST_SUITE_P(HeaderVersionOfTheRefusal, VersionFallback, testing::Values(3, 4, 5));

TEST_F(ConnectionTest, ARefusalAsServerErrorFallsBackToo) {
  server_.on(Opcode::kStartup,
             act::error_in_version(4, ErrorCode::kServerError,
                                   "Invalid or unsupported protocol version: 4"),
             1);
  open_ready();
  EXPECT_EQ(connection_->version(), Version::kV3);
}

TEST_F(ConnectionTest, AServerThatRefusesBothVersionsIsNamedWithItsText) {
  server_.on(Opcode::kOptions, act::error_in_version(5, ErrorCode::kProtocolError, "only v5 here"));
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kProtocol);
  EXPECT_THAT(error.message, HasSubstr("only v5 here"));
  EXPECT_THAT(error.message, HasSubstr("3 to 5"));
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(ConnectionTest, AnotherErrorInTheHandshakeIsReportedAsItIs) {
  server_.on(Opcode::kStartup, act::error(ErrorCode::kIsBootstrapping, "not yet"));
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kServer);
  EXPECT_THAT(error.message, HasSubstr("IsBootstrapping"));
  EXPECT_THAT(error.message, HasSubstr("not yet"));
}

TEST_F(ConnectionTest, AnAnswerOutOfTurnIsAProtocolError) {
  server_.on(Opcode::kOptions, [](Exchange& e) { e.reply(protocol::Ready{}); });
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kProtocol);
  EXPECT_THAT(error.message, HasSubstr("OPTIONS"));
  EXPECT_THAT(error.message, HasSubstr("READY"));
}

TEST_F(ConnectionTest, AnAnswerInAnotherVersionIsAProtocolError) {
  server_.on(Opcode::kOptions, act::frame(3, std::nullopt, Opcode::kSupported, {0, 0}));
  EXPECT_EQ(open_failing().code, core::ErrorCode::kProtocol);
}

TEST_F(ConnectionTest, AServerThatSpeaksHttpIsNamedSo) {
  server_.on(Opcode::kOptions, act::bytes("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kProtocol);
  EXPECT_THAT(error.message, HasSubstr("HTTP"));
  EXPECT_THAT(error.message, HasSubstr(server_.address().to_string()));
}

TEST_F(ConnectionTest, AServerThatClosesIsNamedSo) {
  server_.on(Opcode::kOptions, act::close());
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kConnect);
  EXPECT_THAT(error.message, HasSubstr("closed the connection"));
}

TEST_F(ConnectionTest, ASilentServerEndsAtTheConnectTimeout) {
  server_.on(Opcode::kOptions, act::silence());
  options_.connect_timeout_ns = 30 * kNanosPerMilli;
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kTimeout);
  EXPECT_THAT(error.message, HasSubstr("did not answer OPTIONS within 30"));
}

TEST_F(ConnectionTest, TheConnectTimeoutCountsTheWholeHandshake) {
  server_.require_login({"scott", "tiger"});
  options_.credentials = Credentials{"scott", "tiger"};
  server_.on(Opcode::kAuthResponse, act::silence());
  options_.connect_timeout_ns = 30 * kNanosPerMilli;
  EXPECT_THAT(open_failing().message, HasSubstr("AUTH_RESPONSE"));
}

TEST_F(ConnectionTest, ARefusedConnectionSaysSo) {
  server_.stop();
  const core::Error error = open_failing();
  EXPECT_EQ(error.code, core::ErrorCode::kConnect);
  EXPECT_THAT(error.message, HasSubstr("refused"));
}

TEST_F(ConnectionTest, AnswersReachTheirTokens) {
  open_ready();
  for (uint64_t token = 100; token < 110; token++) ASSERT_TRUE(send_query(token));
  EXPECT_EQ(connection_->in_flight(), 10u);
  ASSERT_TRUE(poll_until([&] { return listener_.answers.size() == 10; }));
  for (size_t i = 0; i < 10; i++) EXPECT_EQ(listener_.answers[i].token, 100 + i);
  EXPECT_EQ(connection_->in_flight(), 0u);
}

TEST_F(ConnectionTest, AnIdIsFreeWhenItsAnswerIsHandedOut) {
  options_.stream_ids = 1;
  open_ready();
  int more = 3;
  listener_.on_answer = [&] {
    if (more == 0) return;
    more--;
    EXPECT_TRUE(send_query(0));
  };
  ASSERT_TRUE(send_query(0));
  EXPECT_FALSE(connection_->has_room());
  EXPECT_FALSE(send_query(1));
  ASSERT_TRUE(poll_until([&] { return listener_.answers.size() == 4; }));
}

TEST_F(ConnectionTest, AllStreamIdsOfTheProtocolCanBeUsedAtOnce) {
  open_ready();
  for (int i = 0; i < kStreamIdsMax; i++)
    ASSERT_TRUE(connection_->begin_request(listener_, static_cast<uint64_t>(i)));
  EXPECT_FALSE(connection_->begin_request(listener_, 0));
  connection_->close();
  EXPECT_EQ(listener_.losses.size(), size_t{kStreamIdsMax});
}

TEST_F(ConnectionTest, EventsAreIgnored) {
  const auto flood = [](Exchange& e) {
    for (int i = 0; i < 1000; i++) act::frame(4, -1, Opcode::kEvent, std::string("\0\4NEWS", 6))(e);
    e.reply_result(protocol::VoidResult{});
  };
  server_.on(Opcode::kQuery, flood);
  server_.on(Opcode::kOptions, act::then(act::frame(4, -1, Opcode::kEvent, "junk"),
                                         [](Exchange& e) { e.reply(protocol::Supported{}); }));
  open_ready();
  ASSERT_TRUE(send_query(7));
  ASSERT_TRUE(poll_until([&] { return listener_.answers.size() == 1; }));
  EXPECT_TRUE(connection_->is_ready());
}

TEST_F(ConnectionTest, AnAnswerThatNobodyWaitsForEndsTheConnection) {
  server_.on(Opcode::kQuery, act::frame(4, 77, Opcode::kResult, std::string("\0\0\0\1", 4)));
  open_ready();
  ASSERT_TRUE(send_query(7));
  ASSERT_TRUE(poll_until([&] { return !listener_.closed.empty(); }));
  EXPECT_EQ(listener_.closed[0].code, core::ErrorCode::kProtocol);
  EXPECT_THAT(listener_.closed[0].message, HasSubstr("stream 77"));
  ASSERT_EQ(listener_.losses.size(), 1u);
  EXPECT_EQ(listener_.losses[0].fault, RequestFault::kConnectionLost);
}

TEST_F(ConnectionTest, ASecondAnswerOnOneStreamEndsTheConnection) {
  server_.on(Opcode::kQuery, act::then(act::result_void(), act::result_void()));
  open_ready();
  ASSERT_TRUE(send_query(7));
  ASSERT_TRUE(poll_until([&] { return !listener_.closed.empty(); }));
  EXPECT_EQ(listener_.answers.size(), 1u);
  EXPECT_EQ(listener_.closed[0].code, core::ErrorCode::kProtocol);
}

TEST_F(ConnectionTest, AFatalErrorOfTheServerShowsItsText) {
  server_.on(Opcode::kQuery, act::then(act::silence(), [](Exchange& e) {
               act::frame(4, 500, Opcode::kError, std::string("\0\0\0\x0A\0\4boom", 10))(e);
             }));
  open_ready();
  ASSERT_TRUE(send_query(7));
  ASSERT_TRUE(poll_until([&] { return !listener_.closed.empty(); }));
  EXPECT_THAT(listener_.closed[0].message, HasSubstr("boom"));
}

TEST_F(ConnectionTest, GarbageEndsTheConnection) {
  server_.on(Opcode::kQuery, act::bytes(std::string(64, '\xFF')));
  open_ready();
  ASSERT_TRUE(send_query(7));
  ASSERT_TRUE(poll_until([&] { return !listener_.closed.empty(); }));
  EXPECT_EQ(listener_.closed[0].code, core::ErrorCode::kProtocol);
  EXPECT_EQ(listener_.losses.size(), 1u);
  EXPECT_EQ(connection_->in_flight(), 0u);
}

TEST_F(ConnectionTest, AnAnswerInPiecesIsPutTogether) {
  server_.on(Opcode::kQuery, [](Exchange& e) {
    core::Buffer whole;
    protocol::append_frame(whole, e.version(), e.request.header.stream,
                           protocol::ResultMessage{protocol::VoidResult{}});
    for (const uint8_t byte : whole.bytes()) {
      e.out.append_u8(byte);
      e.flush();
      std::this_thread::yield();
    }
  });
  open_ready();
  ASSERT_TRUE(send_query(7));
  ASSERT_TRUE(poll_until([&] { return listener_.answers.size() == 1; }));
}

TEST_F(ConnectionTest, ALostConnectionFailsWhatIsInFlight) {
  server_.on(Opcode::kQuery, act::close());
  open_ready();
  for (uint64_t token = 0; token < 3; token++) ASSERT_TRUE(send_query(token));
  ASSERT_TRUE(poll_until([&] { return !listener_.closed.empty(); }));
  EXPECT_EQ(listener_.losses.size(), 3u);
  EXPECT_THAT(listener_.losses[0].reason, HasSubstr(server_.address().to_string()));
  EXPECT_EQ(connection_->in_flight(), 0u);
}

TEST_F(ConnectionTest, CloseFailsWhatIsInFlightAndDoesNotTellTheOwner) {
  server_.on(Opcode::kQuery, act::silence());
  open_ready();
  ASSERT_TRUE(send_query(1));
  connection_->close();
  connection_->close();
  EXPECT_EQ(listener_.losses.size(), 1u);
  EXPECT_TRUE(listener_.closed.empty());
  EXPECT_FALSE(send_query(2));
}

TEST_F(ConnectionTest, MayBeClosedInsideAnAnswer) {
  open_ready();
  listener_.on_answer = [&] { connection_->close(); };
  for (uint64_t token = 0; token < 5; token++) ASSERT_TRUE(send_query(token));
  ASSERT_TRUE(poll_until([&] { return connection_->is_closed(); }));
  EXPECT_EQ(listener_.answers.size() + listener_.losses.size(), 5u);
}

TEST_F(ConnectionTest, ATimedOutRequestKeepsItsIdUntilItsAnswerComes) {
  options_.stream_ids = 4;
  options_.request_timeout_ns = 20 * kNanosPerMilli;
  server_.on(Opcode::kQuery, act::after_ms(200, act::result_void()), 1);
  open_ready();
  ASSERT_TRUE(send_query(1));
  ASSERT_TRUE(poll_until([&] { return listener_.losses.size() == 1; }));
  EXPECT_EQ(listener_.losses[0].fault, RequestFault::kClientTimeout);
  EXPECT_THAT(listener_.losses[0].reason, HasSubstr("within 20"));
  EXPECT_EQ(connection_->in_flight(), 0u);
  EXPECT_EQ(connection_->orphans(), 1u);
  for (int i = 0; i < 3; i++) EXPECT_TRUE(connection_->begin_request(listener_, 0));
  EXPECT_FALSE(connection_->begin_request(listener_, 0));  // the fourth id is not free

  ASSERT_TRUE(poll_until([&] { return connection_->orphans() == 0 || connection_->is_closed(); }));
  EXPECT_TRUE(listener_.answers.empty());  // the late answer goes to nobody
}

TEST_F(ConnectionTest, ALateAnswerIsCountedAndFreesItsId) {
  options_.stream_ids = 4;
  options_.request_timeout_ns = 20 * kNanosPerMilli;
  server_.on(Opcode::kQuery, act::after_ms(100, act::result_void()), 1);
  open_ready();
  ASSERT_TRUE(send_query(1));
  ASSERT_TRUE(poll_until([&] { return connection_->late_answers() == 1; }));
  EXPECT_EQ(connection_->orphans(), 0u);
  ASSERT_TRUE(send_query(2));
  ASSERT_TRUE(poll_until([&] { return listener_.answers.size() == 1; }));
  EXPECT_EQ(listener_.answers[0].token, 2u);
}

TEST_F(ConnectionTest, TooManyUnansweredIdsEndTheConnection) {
  options_.stream_ids = 4;
  options_.request_timeout_ns = 20 * kNanosPerMilli;
  server_.on(Opcode::kQuery, act::silence());
  open_ready();
  for (uint64_t token = 0; token < 3; token++) ASSERT_TRUE(send_query(token));
  ASSERT_TRUE(poll_until([&] { return !listener_.closed.empty(); }));
  EXPECT_EQ(listener_.losses.size(), 3u);
  EXPECT_THAT(listener_.closed[0].message, HasSubstr("3 of 4 stream ids"));
}

TEST_F(ConnectionTest, APeerThatDoesNotReadHoldsNewRequestsBack) {
  options_.backlog_max_bytes = 1 << 20;
  std::atomic<bool> release = false;
  server_.on(
      Opcode::kQuery,
      [&](Exchange&) {
        while (!release) std::this_thread::yield();
      },
      1);
  open_ready();
  const std::string large(256 * 1024, 'x');
  uint64_t sent = 0;
  while (connection_->has_room() && sent < 1000) ASSERT_TRUE(send_query(sent++, large));
  EXPECT_LT(sent, 1000u);
  release = true;
  ASSERT_TRUE(poll_until([&] { return connection_->has_room(); }));
  ASSERT_TRUE(poll_until([&] { return listener_.answers.size() == sent - 1; }));
}

TEST_F(ConnectionTest, CanBeOpenedAgain) {
  open_ready();
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return listener_.closed.size() == 1; }));
  connection_->open(server_.address());
  ASSERT_TRUE(poll_until([&] { return listener_.ready == 2; }));
  ASSERT_TRUE(send_query(5));
  ASSERT_TRUE(poll_until([&] { return listener_.answers.size() == 1; }));
  EXPECT_GT(connection_->counters().sends, 2u);
}

}  // namespace
}  // namespace cqlperf::client
