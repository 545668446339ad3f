#include "server/handshake.h"

#include <gtest/gtest.h>

namespace cqlperf::server {
namespace {

using protocol::Compression;
using protocol::Version;

protocol::AuthResponse token(std::string_view text) {
  return {protocol::to_bytes(protocol::as_bytes(text))};
}

TEST(Handshake, SupportedHasWhatDriversLookFor) {
  const auto& options = supported_options().options;
  EXPECT_EQ(options.at("CQL_VERSION"), protocol::StringList{"3.4.7"});
  EXPECT_EQ(options.at("COMPRESSION"), (protocol::StringList{"lz4", "snappy"}));
  EXPECT_EQ(options.at("PROTOCOL_VERSIONS"), (protocol::StringList{"3/v3", "4/v4", "5/v5"}));
  EXPECT_FALSE(options.contains("PRODUCT_TYPE"));
}

TEST(Handshake, StartupAgreesOnCompression) {
  const auto agreed = [](protocol::StringMap options, Version version = Version::kV4) {
    return read_startup({std::move(options)}, version);
  };
  EXPECT_EQ(agreed({{"CQL_VERSION", "3.0.0"}}), Compression::kNone);
  EXPECT_EQ(agreed({{"CQL_VERSION", "3.0.0"}, {"COMPRESSION", ""}}), Compression::kNone);
  EXPECT_EQ(agreed({{"CQL_VERSION", "3.0.0"}, {"COMPRESSION", "LZ4"}}), Compression::kLz4);
  EXPECT_EQ(agreed({{"CQL_VERSION", "3.0.0"}, {"COMPRESSION", "snappy"}}), Compression::kSnappy);
  EXPECT_EQ(agreed({{"CQL_VERSION", "3.4.7"}, {"DRIVER_NAME", "x"}, {"THROW_ON_OVERLOAD", "1"}}),
            Compression::kNone);
  const auto v5 = agreed({{"CQL_VERSION", "3.0.0"}, {"COMPRESSION", "snappy"}}, Version::kV5);
  ASSERT_FALSE(v5);
  EXPECT_NE(v5.error().message.find("lz4"), std::string::npos);
  const auto unknown = agreed({{"CQL_VERSION", "3.0.0"}, {"COMPRESSION", "zip"}});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("zip"), std::string::npos);
  const auto missing = agreed({});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().is(protocol::ErrorCode::kProtocolError));
}

TEST(Handshake, OnlyTheRightCredentialsAreLetIn) {
  const Credentials credentials("loader", "secret");
  EXPECT_TRUE(credentials.check(protocol::plain_auth_response("loader", "secret")));
  const std::pair<const char*, const char*> wrong[] = {
      {"loader", "secre"},       {"loader", "secret!"}, {"loader", ""}, {"loader", "terces"},
      {"Loader", "secret"},      {"", "secret"},        {"", ""},       {"loaderloader", "secret"},
      {"loader", "secretsecret"}};
  for (const auto& [user, password] : wrong) {
    const auto checked = credentials.check(protocol::plain_auth_response(user, password));
    ASSERT_FALSE(checked) << user << ":" << password;
    EXPECT_TRUE(checked.error().is(protocol::ErrorCode::kBadCredentials));
    EXPECT_EQ(checked.error().message.find("secre"), std::string::npos);
  }
}

TEST(Handshake, AnEmptyPasswordIsOne) {
  const Credentials credentials("loader", "");
  EXPECT_TRUE(credentials.check(protocol::plain_auth_response("loader", "")));
  EXPECT_FALSE(credentials.check(protocol::plain_auth_response("loader", "x")));
}

TEST(Handshake, TokensThatAreNotPlainAreRefused) {
  const Credentials credentials("u", "p");
  EXPECT_FALSE(credentials.check({std::nullopt}));
  EXPECT_FALSE(credentials.check(token("")));
  EXPECT_FALSE(credentials.check(token("u:p")));
  EXPECT_FALSE(credentials.check(token(std::string_view("\0up", 3))));
  // With an authorization identity, as the RFC allows.
  EXPECT_TRUE(credentials.check(token(std::string_view("a\0u\0p", 5))));
}

}  // namespace
}  // namespace cqlperf::server
