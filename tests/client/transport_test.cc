// Protocol versions and compression: how frames travel, and how both sides come to agree on it.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/setup_client.h"
#include "protocol/negotiation.h"
#include "session_fixture.h"

namespace cqlperf::client {
namespace {

using core::kNanosPerSecond;
using protocol::Compression;
using protocol::ErrorCode;
using protocol::Opcode;
using protocol::Version;
using testing::HasSubstr;

struct Agreement {
  Version version;
  Compression compression;
};

std::string name_of(const testing::TestParamInfo<Agreement>& info) {
  return "V" + std::to_string(static_cast<int>(info.param.version)) + "_" +
         std::string(protocol::compression_name(info.param.compression));
}

class Transport : public SessionTest, public testing::WithParamInterface<Agreement> {
 protected:
  void SetUp() override {
    server_.set_compressions({"snappy", "lz4"});
    options_.connection.version_max = GetParam().version;
    options_.connection.compression = GetParam().compression;
  }
  bool is_compressed() const { return GetParam().compression != Compression::kNone; }
  core::Result<QueryAnswer> query(const std::string& cql) {
    auto client = SetupClient::connect(options_.connection, {server_.endpoint()});
    if (!client) return std::unexpected(client.error());
    EXPECT_EQ(client->version(), GetParam().version);
    return client->query(cql);
  }
};

TEST_P(Transport, OperationsGoThrough) {
  start_ready();
  execute(0, 500);
  ASSERT_TRUE(poll_until_ended(500));
  EXPECT_EQ(client_.failures.size(), 0u);
  execute(500, 1);
  ASSERT_TRUE(poll_until_ended(501));
  EXPECT_EQ(client_.successes.size(), 501u);
}

TEST_P(Transport, StartupAsksForTheCompression) {
  start_ready();
  const auto options = server_.startup_options();
  const auto asked = options.find("COMPRESSION");
  EXPECT_EQ(asked == options.end() ? "none" : asked->second,
            protocol::compression_name(GetParam().compression));
}

TEST_P(Transport, ALoginGoesThrough) {
  server_.require_login({"scott", "tiger"});
  options_.connection.credentials = Credentials{"scott", "tiger"};
  options_.connection.keyspace = "ks";
  start_ready();
  EXPECT_EQ(server_.count(Opcode::kAuthResponse), 1);
  execute(0, 1);
  ASSERT_TRUE(poll_until_ended(1));
  EXPECT_EQ(client_.successes.size(), 1u);
}

TEST_P(Transport, LargeMessagesGoThroughBothWays) {
  const protocol::Bytes cell(400'000, 'x');
  protocol::RowsMetadata metadata = protocol::RowsMetadata::of(
      {{"ks", "t", "v", protocol::ColumnType::of(protocol::TypeId::kBlob)}});
  server_.on_cql("SELECT", act::rows(metadata, {{cell}, {cell}}));
  const std::string cql = "SELECT '" + std::string(300'000, 'y') + "'";
  const auto answer = query(cql);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(server_.texts(), std::vector<std::string>{cql});
  ASSERT_EQ(answer->rows.size(), 2u);
  EXPECT_EQ(protocol::to_bytes(*answer->rows.cell(1, "v")), cell);
}

TEST_P(Transport, WhatTheServerForgotIsPreparedAgain) {
  start_ready();
  server_.forget_prepared(true);
  execute(0, 10);
  ASSERT_TRUE(poll_until_ended(10));
  EXPECT_EQ(client_.successes.size(), 10u);
}

TEST_P(Transport, AConnectionThatComesBackAgreesAnew) {
  start_ready();
  server_.drop_connections();
  ASSERT_TRUE(poll_until([&] { return session_->ready_connections() == 0; }));
  ASSERT_TRUE(poll_until([&] { return session_->nodes()[0].usable; }));
  execute(0, 10);
  ASSERT_TRUE(poll_until_ended(10));
  EXPECT_EQ(client_.successes.size(), 10u);
}

TEST_P(Transport, CompressionSavesBytes) {
  options_.statements = {{"SELECT " + std::string(60'000, 'z')}};
  start_ready();
  EXPECT_EQ(session_->counters().bytes_sent < 10'000, is_compressed());
}

INSTANTIATE_TEST_SUITE_P(All, Transport,
                         testing::Values(Agreement{Version::kV3, Compression::kNone},
                                         Agreement{Version::kV3, Compression::kLz4},
                                         Agreement{Version::kV4, Compression::kLz4},
                                         Agreement{Version::kV4, Compression::kSnappy},
                                         Agreement{Version::kV5, Compression::kNone},
                                         Agreement{Version::kV5, Compression::kLz4}),
                         name_of);

class Negotiation : public SessionTest {
 protected:
  core::Error failing() {
    const core::Status status = start();
    EXPECT_FALSE(status);
    return status ? core::Error{} : status.error();
  }
  Version agreed() {
    auto client = SetupClient::connect(options_.connection, {server_.endpoint()});
    EXPECT_TRUE(client) << client.error().message;
    return client ? client->version() : Version::kV3;
  }
  // What a server answers that has no version above `newest`.
  void refuse_above(Version newest, uint8_t header_version, const std::string& text) {
    const auto supported = [](Exchange& e) { e.reply(protocol::Supported{}); };
    server_.on(Opcode::kOptions, act::refuse_above(newest, header_version, supported, text));
  }
};

TEST_F(Negotiation, Version4IsOfferedUnlessToldOtherwise) { EXPECT_EQ(agreed(), Version::kV4); }

TEST_F(Negotiation, TheListInTheTextDecides) {
  options_.connection.version_max = Version::kV5;
  refuse_above(Version::kV4, 4,
               "Invalid or unsupported protocol version (5); supported versions "
               "are (3/v3, 4/v4, 5/v5-beta)");
  EXPECT_EQ(agreed(), Version::kV4);
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(Negotiation, AVersionInBetweenIsNotTriedWhenTheListLeavesItOut) {
  options_.connection.version_max = Version::kV5;
  refuse_above(Version::kV3, 4,
               "Invalid or unsupported protocol version (5); supported versions "
               "are (3/v3)");
  EXPECT_EQ(agreed(), Version::kV3);
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(Negotiation, WithoutAListTheHeaderDecides) {
  options_.connection.version_max = Version::kV5;
  refuse_above(Version::kV4, 4, "Invalid or unsupported protocol version: 5");
  EXPECT_EQ(agreed(), Version::kV4);
}

TEST_F(Negotiation, AStepAtATimeWhenNothingIsSaid) {
  options_.connection.version_max = Version::kV5;
  refuse_above(Version::kV3, 5, "this protocol version is too new");
  EXPECT_EQ(agreed(), Version::kV3);
  EXPECT_EQ(server_.connections(), 3);
}

TEST_F(Negotiation, ACompressionThatIsNotOfferedNamesThoseThatAre) {
  server_.set_compressions({"snappy", "zstd"});
  options_.connection.compression = Compression::kLz4;
  const core::Error error = failing();
  EXPECT_EQ(error.code, core::ErrorCode::kSetup);
  EXPECT_THAT(error.message, HasSubstr("does not offer the compression lz4, but snappy, zstd"));
  EXPECT_THAT(error.message, HasSubstr("--compression"));
}

TEST_F(Negotiation, AServerWithoutCompressionSaysSo) {
  options_.connection.compression = Compression::kSnappy;
  EXPECT_THAT(failing().message, HasSubstr("does not offer the compression snappy, but none"));
  server_.on(Opcode::kOptions, [](Exchange& e) { e.reply(protocol::Supported{}); });
  EXPECT_THAT(failing().message, HasSubstr("does not offer the compression snappy, but none"));
}

TEST_F(Negotiation, TheAnswerToStartupMayBeCompressedAlready) {
  server_.set_compressions({"lz4"});
  options_.connection.compression = Compression::kLz4;
  options_.connection.credentials = Credentials{"scott", "tiger"};
  server_.require_login({"scott", "tiger"});
  server_.on(Opcode::kStartup, [](Exchange& e) {
    e.start_transport(Compression::kLz4);
    // Long enough to be compressed.
    e.reply(protocol::Authenticate{std::string(1000, 'A')});
  });
  ASSERT_TRUE(start());
}

TEST_F(Negotiation, BrokenSegmentsEndTheConnection) {
  options_.connection.version_max = Version::kV5;
  server_.on_cql("INSERT", act::raw("this is no segment"));
  const core::Error error = failing();
  EXPECT_THAT(error.message, HasSubstr("malformed segment: the checksum of its header"));
  EXPECT_THAT(error.message, HasSubstr(server_.address().to_string()));
}

TEST_F(Negotiation, ABrokenCompressedBodyEndsTheConnection) {
  server_.set_compressions({"lz4"});
  options_.connection.compression = Compression::kLz4;
  server_.on_cql("INSERT", [](Exchange& e) {
    std::string frame("\x84\x01\x00\x00\x08\x00\x00\x00\x05\x7F\xFF\xFF\xFF\x00", 14);
    frame[3] = static_cast<char>(e.request.header.stream);
    e.append_raw(frame);
  });
  EXPECT_THAT(failing().message, HasSubstr("claims to hold 2147483647 bytes"));
}

TEST(NegotiationDeathTest, Version5HasNoSnappy) {
  SessionOptions options;
  options.connection.version_max = Version::kV5;
  options.connection.compression = Compression::kSnappy;
  options.nodes = {*net::SocketAddress::from_numeric("127.0.0.1", 1)};
  net::EventLoop loop;
  RecordingClient client;
  EXPECT_DEATH(Session(loop, client, options), "does not have");
}

}  // namespace
}  // namespace cqlperf::client
