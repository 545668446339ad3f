#include "client/setup_client.h"

#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/interrupt.h"
#include "protocol/envelope.h"
#include "system_tables.h"

namespace cqlperf::client {
namespace {

using core::kNanosPerMilli;
using core::kNanosPerSecond;
using protocol::ErrorCode;
using protocol::Opcode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class SetupClientTest : public testing::Test {
 protected:
  SetupClientTest() {
    server_.on_cql("system.local", local_table(1).action());
    server_.on_cql("system.peers", peers_table({}).action());
    server_.on_cql("system.peers_v2", act::error(ErrorCode::kInvalid, "unconfigured table"));
  }
  core::Result<SetupClient> connect(const std::vector<net::Endpoint>& contact_points) {
    return SetupClient::connect(options_, contact_points);
  }
  SetupClient connect_ready() {
    auto client = connect({server_.endpoint()});
    if (!client) ADD_FAILURE() << client.error().message;
    return std::move(*client);
  }
  void set_peers(const std::vector<PeerRow>& peers, int times = 1 << 30) {
    server_.on_cql("FROM system.peers", peers_table(peers).action(), times);
    server_.on_cql("system.peers_v2", act::error(ErrorCode::kInvalid, "unconfigured table"));
  }

  ScriptedServer server_;
  ConnectionOptions options_;
};

TEST_F(SetupClientTest, ConnectsAndAsks) {
  SetupClient client = connect_ready();
  EXPECT_EQ(client.address(), server_.address());
  EXPECT_EQ(client.version(), protocol::Version::kV4);
  const auto answer = client.query("CREATE TABLE t");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->kind, protocol::ResultKind::kVoid);
  EXPECT_EQ(client.last_error_code(), std::nullopt);
}

TEST_F(SetupClientTest, CanBeMoved) {
  SetupClient first = connect_ready();
  SetupClient second = std::move(first);
  EXPECT_TRUE(second.query("SELECT 1"));
}

TEST_F(SetupClientTest, GivesRowsThatOutliveTheirFrame) {
  SetupClient client = connect_ready();
  const auto answer = client.query("SELECT * FROM system.local");
  ASSERT_TRUE(client.query("SELECT 1"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, protocol::ResultKind::kRows);
  EXPECT_EQ(answer->rows.text(0, "cluster_name"), "Test Cluster");
}

TEST_F(SetupClientTest, StartsWhenAnyContactPointAnswersAndNamesTheDead) {
  ScriptedServer dead("127.0.0.2");
  dead.stop();
  ScriptedServer silent("127.0.0.3");
  silent.on(Opcode::kOptions, act::silence());
  server_.on(Opcode::kOptions,
             act::after_ms(100, [](Exchange& e) { e.reply(protocol::Supported{}); }));
  const auto client = connect({dead.endpoint(), silent.endpoint(), server_.endpoint()});
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(client->address(), server_.address());
  ASSERT_EQ(client->dead_contact_points().size(), 1u);
  EXPECT_EQ(client->dead_contact_points()[0].name, net::format_endpoint(dead.endpoint()));
  EXPECT_THAT(client->dead_contact_points()[0].error.message, HasSubstr("refused"));
}

TEST_F(SetupClientTest, TriesEveryAddressOfAName) {
  // localhost is ::1 as well on many machines, where this server does not listen.
  const auto client = connect({{"localhost", server_.address().port()}});
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(client->address(), server_.address());
}

TEST_F(SetupClientTest, WhenNoneAnswersEachIsListedWithItsReason) {
  ScriptedServer dead("127.0.0.2");
  dead.stop();
  ScriptedServer silent("127.0.0.3");
  silent.on(Opcode::kOptions, act::silence());
  ScriptedServer closing("127.0.0.4");
  closing.on(Opcode::kOptions, act::close());
  ScriptedServer web("127.0.0.5");
  web.on(Opcode::kOptions, act::bytes("HTTP/1.1 400 Bad Request\r\n\r\n"));
  options_.connect_timeout_ns = 50 * kNanosPerMilli;
  const auto client = connect({dead.endpoint(),
                               silent.endpoint(),
                               closing.endpoint(),
                               web.endpoint(),
                               {"no-such-host.invalid", 9042}});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, core::ErrorCode::kConnect);
  EXPECT_THAT(client.error().message,
              AllOf(HasSubstr("refused"), HasSubstr("did not answer OPTIONS within 50"),
                    HasSubstr("closed the connection"), HasSubstr("HTTP"),
                    HasSubstr("no-such-host.invalid")));
}

TEST_F(SetupClientTest, AWrongPasswordEverywhereEndsAtOnce) {
  ScriptedServer other("127.0.0.2");
  server_.require_login({"scott", "tiger"});
  other.require_login({"scott", "tiger"});
  options_.credentials = Credentials{"scott", "lion"};
  const int64_t begin_ns = core::steady_clock().now_ns();
  const auto client = connect({server_.endpoint(), other.endpoint()});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, core::ErrorCode::kAuth);
  EXPECT_THAT(client.error().message, HasSubstr("password are incorrect"));
  EXPECT_THAT(client.error().message, testing::Not(HasSubstr("lion")));
  EXPECT_LT(core::steady_clock().now_ns() - begin_ns, options_.connect_timeout_ns);
  EXPECT_EQ(server_.connections() + other.connections(), 2);
}

TEST_F(SetupClientTest, AnInterruptionEndsConnectAndQuery) {
  ScriptedServer silent;
  silent.on(Opcode::kOptions, act::silence());
  SetupClient ready = connect_ready();
  server_.on_cql("SLOW", act::silence());
  core::set_interrupted(true);
  const auto client = connect({silent.endpoint()});
  const auto unresolved = connect({{"no-such-host.invalid", 9042}});
  const auto answer = ready.query("SLOW");
  core::set_interrupted(false);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, core::ErrorCode::kInterrupted);
  ASSERT_FALSE(unresolved);
  EXPECT_EQ(unresolved.error().code, core::ErrorCode::kInterrupted);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, core::ErrorCode::kInterrupted);
}

TEST_F(SetupClientTest, OneThatIsToIgnoreInterruptionsCleansUpAfterThem) {
  core::set_interrupted(true);
  auto client = SetupClient::connect(options_, {server_.endpoint()}, Interrupts::kIgnore);
  const bool dropped = client && client->query("DROP KEYSPACE k");
  core::set_interrupted(false);
  EXPECT_TRUE(dropped);
}

TEST_F(SetupClientTest, AnErrorOfTheServerHasItsTextItsCodeAndTheStatement) {
  server_.on_cql("CREATE", act::error(ErrorCode::kSyntaxError, "line 1:7 no viable alternative"));
  SetupClient client = connect_ready();
  const auto answer = client.query("CREATE NONSENSE");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, core::ErrorCode::kServer);
  EXPECT_THAT(answer.error().message,
              AllOf(HasSubstr("SyntaxError"), HasSubstr("no viable alternative"),
                    HasSubstr("CREATE NONSENSE")));
  EXPECT_EQ(client.last_error_code(), static_cast<int32_t>(ErrorCode::kSyntaxError));
  ASSERT_TRUE(client.query("SELECT 1"));
  EXPECT_EQ(client.last_error_code(), std::nullopt);
}

TEST_F(SetupClientTest, AMissingPermissionIsAnAuthError) {
  server_.on_cql("CREATE", act::error(ErrorCode::kUnauthorized,
                                      "User scott has no CREATE permission on <all keyspaces>"));
  SetupClient client = connect_ready();
  const auto answer = client.query("CREATE KEYSPACE k");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, core::ErrorCode::kAuth);
  EXPECT_THAT(answer.error().message, HasSubstr("has no CREATE permission"));
}

TEST_F(SetupClientTest, AQueryHasItsOwnTimeoutAndIsSentOnce) {
  SetupClient client = connect_ready();
  server_.on_cql("TRUNCATE", act::after_ms(100, act::result_void()));
  const auto answer = client.query("TRUNCATE t", 20 * kNanosPerMilli);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, core::ErrorCode::kTimeout);
  EXPECT_THAT(answer.error().message, AllOf(HasSubstr("TRUNCATE t"), HasSubstr("within 20")));
  // The late answer is not taken for that of the next query.
  const auto next = client.query("SELECT * FROM system.local");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->kind, protocol::ResultKind::kRows);
  EXPECT_EQ(server_.texts().size(), 2u);
}

TEST_F(SetupClientTest, ALostConnectionIsAnErrorAndStaysOne) {
  SetupClient client = connect_ready();
  server_.on_cql("DROP", act::close());
  for (int i = 0; i < 2; i++) {
    const auto answer = client.query("DROP TABLE t");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, core::ErrorCode::kConnect);
    EXPECT_THAT(answer.error().message, HasSubstr("closed the connection"));
  }
}

TEST_F(SetupClientTest, AsksAtTheConsistencyThatIsGiven) {
  SetupClient client = connect_ready();
  std::atomic<int> consistency = -1;
  server_.on_cql("SELECT 1", [&](Exchange& e) {
    const auto query = protocol::Query::decode_body(e.version(), e.request.body);
    consistency = static_cast<int>(query->parameters.consistency);
    e.reply_result(protocol::VoidResult{});
  });
  ASSERT_TRUE(client.query("SELECT 1", std::nullopt, protocol::Consistency::kEachQuorum));
  EXPECT_EQ(consistency, static_cast<int>(protocol::Consistency::kEachQuorum));
}

TEST_F(SetupClientTest, AWarningIsHandedOn) {
  server_.on_cql("SELECT 1", [](Exchange& e) {
    protocol::ResponseEnvelope envelope;
    envelope.warnings = {"mind the gap"};
    protocol::append_frame(e.out, e.version(), e.request.header.stream,
                           protocol::ResultMessage{protocol::VoidResult{}}, envelope);
  });
  const auto answer = connect_ready().query("SELECT 1");
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->warnings, ElementsAre("mind the gap"));
}

TEST_F(SetupClientTest, TopologyComesFromPeersV2WhereThereIsOne) {
  server_.on_cql(
      "system.peers_v2",
      peers_v2_table({{inet_cell("10.0.0.2"), inet_cell("10.1.0.2")}}, port_cell(9999)).action());
  const auto topology = connect_ready().discover_topology();
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->cluster_name, "Test Cluster");
  ASSERT_EQ(topology->nodes.size(), 2u);
  EXPECT_EQ(topology->nodes[0].address, server_.address());
  EXPECT_EQ(topology->nodes[1].address.to_string(), "10.1.0.2:9999");
}

TEST_F(SetupClientTest, AnyErrorOnPeersV2FallsBackToPeers) {
  for (const ErrorCode code : {ErrorCode::kInvalid, ErrorCode::kServerError,
                               ErrorCode::kUnauthorized, ErrorCode::kSyntaxError}) {
    set_peers({{inet_cell("10.0.0.2"), inet_cell("10.1.0.2")}});
    server_.on_cql("system.peers_v2", act::error(code, "no such thing"));
    const auto topology = connect_ready().discover_topology();
    ASSERT_TRUE(topology) << topology.error().message;
    ASSERT_EQ(topology->nodes.size(), 2u);
    EXPECT_EQ(topology->nodes[1].address.port(), server_.address().port());
  }
}

TEST_F(SetupClientTest, AgreementOfAllIsSeenAtOnce) {
  set_peers({{inet_cell("127.0.0.2"), inet_cell("127.0.0.2")}});
  SetupClient client = connect_ready();
  const auto status = client.await_schema_agreement();
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_TRUE(client.notes().empty());
}

TEST_F(SetupClientTest, AgreementIsWaitedFor) {
  const ScriptedServer peer("127.0.0.2", server_.address().port());
  PeerRow other{inet_cell("127.0.0.2"), inet_cell("127.0.0.2")};
  other.schema = uuid_cell(2);
  set_peers({{inet_cell("127.0.0.2"), inet_cell("127.0.0.2")}});
  set_peers({other}, 14);  // past the look at who can be reached
  SetupClient client = connect_ready();
  const auto status = client.await_schema_agreement();
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_GE(server_.count(Opcode::kQuery), 2 * 15);
  EXPECT_TRUE(client.notes().empty());
}

TEST_F(SetupClientTest, WithoutAgreementTheVersionsAndTheirNodesAreListed) {
  const ScriptedServer peer("127.0.0.2", server_.address().port());
  PeerRow other{inet_cell("127.0.0.2"), inet_cell("127.0.0.2")};
  other.schema = uuid_cell(2);
  set_peers({other});
  SetupClient client = connect_ready();
  const auto status = client.await_schema_agreement(300 * kNanosPerMilli);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kTimeout);
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr("2 schema versions"), HasSubstr("-000000000001: "),
                    HasSubstr("-000000000002: " + peer.address().to_string())));
}

TEST_F(SetupClientTest, ANodeThatIsDownIsNotWaitedFor) {
  PeerRow down{inet_cell("127.0.0.2"), inet_cell("127.0.0.2")};
  down.schema = uuid_cell(2);
  set_peers({down});
  SetupClient client = connect_ready();
  const auto status = client.await_schema_agreement(10 * kNanosPerSecond);
  EXPECT_TRUE(status) << status.error().message;
  ASSERT_EQ(client.notes().size(), 1u);
  EXPECT_THAT(client.notes()[0], AllOf(HasSubstr("127.0.0.2"), HasSubstr("no connection")));
}

TEST_F(SetupClientTest, PartialPeerRowsAreNotWaitedForAndNotedOnce) {
  PeerRow no_version{inet_cell("127.0.0.2"), inet_cell("127.0.0.2")};
  no_version.schema.reset();
  PeerRow no_address{inet_cell("127.0.0.3"), std::nullopt};
  no_address.schema = uuid_cell(2);
  PeerRow no_id{inet_cell("127.0.0.4"), inet_cell("127.0.0.4")};
  no_id.host_id.reset();
  no_id.schema = uuid_cell(3);
  set_peers({no_version, no_address, no_id});
  SetupClient client = connect_ready();
  for (int i = 0; i < 2; i++) {
    const auto status = client.await_schema_agreement(kNanosPerSecond);
    ASSERT_TRUE(status) << status.error().message;
  }
  EXPECT_THAT(client.notes(),
              ElementsAre(AllOf(HasSubstr("127.0.0.3"), HasSubstr("rpc_address")),
                          AllOf(HasSubstr("127.0.0.4"), HasSubstr("host_id")),
                          AllOf(HasSubstr("127.0.0.2"), HasSubstr("schema_version"))));
}

TEST_F(SetupClientTest, AnInterruptionEndsTheWaitForAgreement) {
  PeerRow other{inet_cell("127.0.0.2"), inet_cell("127.0.0.2")};
  other.schema = uuid_cell(2);
  server_.on_cql("FROM system.peers", act::then(peers_table({other}).action(),
                                                [](Exchange&) { core::set_interrupted(true); }));
  server_.on_cql("system.peers_v2", act::error(ErrorCode::kInvalid, "unconfigured table"));
  SetupClient client = connect_ready();
  const auto status = client.await_schema_agreement();
  core::set_interrupted(false);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace cqlperf::client
