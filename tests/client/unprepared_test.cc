// Statements that no server prepares: QUERY with bound values, and QUERY with a text alone.
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session_fixture.h"

namespace cqlperf::client {
namespace {

using core::kNanosPerMilli;
using protocol::Bytes;
using protocol::Compression;
using protocol::Consistency;
using protocol::ErrorCode;
using protocol::Opcode;
using protocol::Version;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kBoundCql = "INSERT INTO ks.bound (a, b) VALUES (?, ?)";

// A QUERY as it came in.
struct Seen {
  std::string text;
  std::vector<Bytes> values;
  Consistency consistency;
  std::optional<Consistency> serial_consistency;
  std::optional<int32_t> page_size;
  bool skip_metadata;

  friend bool operator==(const Seen&, const Seen&) = default;
};

StatementSpec bound_spec() {
  return {.cql = kBoundCql,
          .settings = {.consistency = Consistency::kQuorum,
                       .serial_consistency = Consistency::kLocalSerial,
                       .page_size = 500,
                       .skip_metadata = true},
          .kind = StatementKind::kBoundQuery,
          .values = 2};
}
StatementSpec text_spec() {
  return {
      .cql = {}, .settings = {.consistency = Consistency::kTwo}, .kind = StatementKind::kTextQuery};
}

class UnpreparedTest : public SessionTest {
 protected:
  static constexpr uint16_t kBound = 0;
  static constexpr uint16_t kText = 1;

  UnpreparedTest() {
    options_.statements = {bound_spec(), text_spec()};
    server_.on(Opcode::kQuery, [this](Exchange& e) { note(e); });
  }
  ~UnpreparedTest() override { server_.stop(); }  // before what its threads write to

  void note(Exchange& e) {
    const auto query = protocol::Query::decode_body(e.version(), e.request.body);
    if (!query) {
      ADD_FAILURE() << query.error().message;
      return e.close();
    }
    const protocol::QueryParameters& given = query->parameters;
    Seen seen{std::string(query->query), {},
              given.consistency,         given.serial_consistency,
              given.page_size,           given.skip_metadata};
    for (const auto& value : given.values) seen.values.push_back(protocol::to_bytes(value.bytes));
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(std::move(seen));
    }
    e.reply_result(protocol::VoidResult{});
  }
  std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  static Bytes int_bytes(uint8_t value) { return {0, 0, 0, value}; }
  static Seen bound(uint8_t token, uint16_t statement = kBound) {
    return {kBoundCql,
            {int_bytes(token), int_bytes(static_cast<uint8_t>(statement))},
            Consistency::kQuorum,
            Consistency::kLocalSerial,
            500,
            true};
  }
  static Seen text(uint8_t token) {
    return {
        RecordingClient::text_of(token), {}, Consistency::kTwo, std::nullopt, std::nullopt, false};
  }

  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
};

struct Form {
  Version version;
  Compression compression;
};

class UnpreparedInForm : public UnpreparedTest, public testing::WithParamInterface<Form> {
 protected:
  UnpreparedInForm() {
    server_.set_compressions({"lz4"});
    options_.connection.version_max = GetParam().version;
    options_.connection.compression = GetParam().compression;
  }
};

// Behind each other in one flush: a length that is wrong would spoil the next.
TEST_P(UnpreparedInForm, QueriesArriveAsTheyWereWritten) {
  start_ready();
  EXPECT_EQ(server_.count(Opcode::kPrepare), 0);
  std::vector<Seen> expected;
  for (uint8_t token = 0; token < 60; token++) {
    const uint16_t statement = token % 3 == 0 ? kBound : kText;
    ASSERT_EQ(session_->execute(statement, token), ExecuteStatus::kSent);
    expected.push_back(statement == kBound ? bound(token) : text(token));
  }
  ASSERT_TRUE(poll_until_ended(60));
  EXPECT_EQ(client_.successes.size(), 60u);
  EXPECT_TRUE(seen() == expected);
  EXPECT_EQ(client_.writes, 20);
  EXPECT_EQ(client_.queries, 40);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 0);
  EXPECT_EQ(server_.count(Opcode::kExecute), 0);
}

TEST_P(UnpreparedInForm, TheyWorkAgainAfterAReconnect) {
  start_ready();
  execute(1, 1, kText);
  ASSERT_TRUE(poll_until_ended(1));
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 1; }));
  execute(2, 1, kBound);
  execute(3, 1, kText);
  ASSERT_TRUE(poll_until_ended(3));
  EXPECT_TRUE(seen() == (std::vector{text(1), bound(2), text(3)}));
  ASSERT_EQ(log_.size(), 2u);
  EXPECT_THAT(log_[1], HasSubstr("is used again"));
}

INSTANTIATE_TEST_SUITE_P(All, UnpreparedInForm,
                         testing::Values(Form{Version::kV3, Compression::kNone},
                                         Form{Version::kV4, Compression::kNone},
                                         Form{Version::kV4, Compression::kLz4},
                                         Form{Version::kV5, Compression::kNone},
                                         Form{Version::kV5, Compression::kLz4}),
                         [](const auto& param) {
                           return "V" + std::to_string(static_cast<int>(param.param.version)) +
                                  "_" +
                                  std::string(protocol::compression_name(param.param.compression));
                         });

TEST_F(UnpreparedTest, ANodeThatRefusesPrepareIsUsable) {
  server_.on(Opcode::kPrepare, act::error(ErrorCode::kSyntaxError, "nothing is prepared here"));
  start_ready();
  execute(1, 1, kBound);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_THAT(client_.successes, ElementsAre(1));
}

TEST_F(UnpreparedTest, APreparedStatementBesideThemIsPreparedAlone) {
  options_.statements = {text_spec(), {kInsert}, bound_spec()};
  start_ready();
  EXPECT_THAT(server_.texts(), ElementsAre(kInsert));
  for (uint32_t token = 0; token < 30; token++) execute(token, 1, token % 3);
  ASSERT_TRUE(poll_until_ended(30));
  EXPECT_EQ(client_.successes.size(), 30u);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 1);
  EXPECT_EQ(server_.count(Opcode::kExecute), 10);
  ASSERT_EQ(seen().size(), 20u);
  EXPECT_TRUE(seen()[0] == text(0));
  EXPECT_TRUE(seen()[1] == bound(2, 2));
  EXPECT_EQ(session_->bind_metadata(1).columns.size(), 2u);
}

// The prepared one keeps the node from being used, as it does without the others.
TEST_F(UnpreparedTest, APreparedStatementThatIsRefusedIsStillAnError) {
  options_.statements.push_back({kInsert});
  server_.on(Opcode::kPrepare, act::error(ErrorCode::kInvalid, "unconfigured table"));
  const auto status = start();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kSetup);
  EXPECT_THAT(status.error().message, HasSubstr("unconfigured table"));
}

TEST_F(UnpreparedTest, WhatWasForgottenIsPreparedAgainBesideThem) {
  options_.statements = {text_spec(), {kInsert}};
  start_ready();
  server_.forget_prepared();
  for (uint32_t token = 0; token < 10; token++)
    ASSERT_EQ(session_->execute(token % 2, token), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_ended(10));
  EXPECT_EQ(client_.successes.size(), 10u);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 2);
  EXPECT_EQ(client_.queries, 5);  // none of them was sent again
}

TEST_F(UnpreparedTest, ErrorsOfTheServerAreFailures) {
  server_.on_cql("INSERT INTO ks.bound", act::error(ErrorCode::kWriteTimeout, "too slow"));
  server_.on_cql("INSERT INTO ks.t", act::error(ErrorCode::kOverloaded, "too much"));
  start_ready();
  execute(1, 1, kBound);
  execute(2, 1, kText);
  ASSERT_TRUE(poll_until_ended(2));
  ASSERT_EQ(client_.failures.size(), 2u);
  EXPECT_EQ(client_.failures[0].kind, "WriteTimeout");
  EXPECT_EQ(client_.failures[0].message, "too slow");
  EXPECT_TRUE(client_.failures[0].in_doubt);
  EXPECT_TRUE(client_.failures[0].has_frame);
  EXPECT_FALSE(client_.failures[0].overloaded);
  EXPECT_EQ(client_.failures[1].kind, "Overloaded");
  EXPECT_TRUE(client_.failures[1].overloaded);
  EXPECT_FALSE(client_.failures[1].in_doubt);
}

TEST_F(UnpreparedTest, UnpreparedIsAPlainFailure) {
  protocol::ErrorMessage unprepared =
      protocol::ErrorMessage::of(ErrorCode::kUnprepared, "of what nobody prepared");
  unprepared.details = protocol::UnpreparedDetails{Bytes{1, 2}};
  server_.on(Opcode::kQuery, act::error(unprepared));
  start_ready();
  execute(1, 1, kBound);
  execute(2, 1, kText);
  ASSERT_TRUE(poll_until_ended(2));
  ASSERT_EQ(client_.failures.size(), 2u);
  for (const auto& failure : client_.failures) {
    EXPECT_EQ(failure.kind, "Unprepared");
    EXPECT_EQ(failure.message, "of what nobody prepared");
  }
  EXPECT_EQ(session_->in_flight(), 0u);
  EXPECT_EQ(server_.count(Opcode::kPrepare), 0);
  EXPECT_EQ(server_.count(Opcode::kQuery), 2);
}

TEST_F(UnpreparedTest, ALostConnectionLeavesThemInDoubt) {
  start_ready();
  server_.on(Opcode::kQuery, act::close(), 1);
  for (uint32_t token = 0; token < 10; token++)
    ASSERT_EQ(session_->execute(token % 2, token), ExecuteStatus::kSent);
  ASSERT_TRUE(poll_until_ended(10));
  ASSERT_EQ(client_.failures.size(), 10u);
  for (const auto& failure : client_.failures) {
    EXPECT_EQ(failure.kind, "ConnectionLost");
    EXPECT_TRUE(failure.in_doubt);
    EXPECT_FALSE(failure.has_frame);
  }
  EXPECT_EQ(session_->execute(kText, 99), ExecuteStatus::kNotReady);
  ASSERT_TRUE(poll_until([&] { return session_->nodes()[0].usable; }));
  execute(10, 1, kText);
  ASSERT_TRUE(poll_until_ended(11));
  EXPECT_THAT(client_.successes, ElementsAre(10));
}

TEST_F(UnpreparedTest, SilenceIsAClientTimeout) {
  options_.connection.request_timeout_ns = 50 * kNanosPerMilli;
  server_.on(Opcode::kQuery, act::silence(), 2);
  start_ready();
  execute(1, 1, kBound);
  execute(2, 1, kText);
  ASSERT_TRUE(poll_until_ended(2));
  ASSERT_EQ(client_.failures.size(), 2u);
  for (const auto& failure : client_.failures) EXPECT_EQ(failure.kind, "ClientTimeout");
  execute(3, 1, kText);
  ASSERT_TRUE(poll_until_ended(3));
  EXPECT_THAT(client_.successes, ElementsAre(3));
}

// A server that comes back with an older version gets the queries in that one.
TEST_F(UnpreparedTest, AnotherVersionAfterAReconnectIsFollowed) {
  start_ready();
  server_.on(Opcode::kStartup,
             act::refuse_above(Version::kV3, 3, [](Exchange& e) { e.reply(protocol::Ready{}); }));
  server_.on(Opcode::kOptions, act::refuse_above(Version::kV3, 3, [](Exchange& e) {
               e.reply(protocol::Supported{{{"CQL_VERSION", {"3.4.7"}}}});
             }));
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->reconnects() == 1; }));
  std::atomic<int> version = 0;
  server_.on(Opcode::kQuery, [this, &version](Exchange& e) {
    version = static_cast<int>(e.version());
    note(e);
  });
  execute(1, 1, kBound);
  execute(2, 1, kText);
  ASSERT_TRUE(poll_until_ended(2));
  EXPECT_EQ(version, 3);
  EXPECT_TRUE(seen() == (std::vector{bound(1), text(2)}));
  server_.stop();
}

TEST(UnpreparedDeathTest, TailsAndPagesAreForPreparedStatements) {
  net::EventLoop loop;
  RecordingClient client;
  const auto make = [&](StatementSpec spec) {
    Session(loop, client,
            {.nodes = {*net::SocketAddress::from_numeric("127.0.0.1", 1)},
             .statements = {std::move(spec)}});
  };
  constexpr const char* kWhy = "tail and pages are for prepared statements";
  for (const StatementKind kind : {StatementKind::kBoundQuery, StatementKind::kTextQuery}) {
    EXPECT_DEATH(make({.cql = "q", .tail = true, .kind = kind}), kWhy);
    EXPECT_DEATH(make({.cql = "q", .paged = true, .kind = kind}), kWhy);
  }
}

}  // namespace
}  // namespace cqlperf::client
