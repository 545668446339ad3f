#include "net/endpoint.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/interrupt.h"

namespace cqlperf::net {
namespace {

using core::ErrorCode;
using testing::HasSubstr;

constexpr uint16_t kDefaultPort = 9042;

struct GoodEndpoint {
  const char* text;
  Endpoint endpoint;
  const char* formatted;
};

class GoodEndpoints : public testing::TestWithParam<GoodEndpoint> {};

TEST_P(GoodEndpoints, AreReadAndWrittenBack) {
  const auto endpoint = parse_endpoint(GetParam().text, kDefaultPort);
  ASSERT_TRUE(endpoint) << endpoint.error().message;
  EXPECT_EQ(*endpoint, GetParam().endpoint);
  EXPECT_EQ(format_endpoint(*endpoint), GetParam().formatted);
}

INSTANTIATE_TEST_SUITE_P(
    Endpoint, GoodEndpoints,
    testing::Values(
        GoodEndpoint{"localhost", {"localhost", 9042}, "localhost:9042"},
        GoodEndpoint{"db-1.example.com:9043", {"db-1.example.com", 9043}, "db-1.example.com:9043"},
        GoodEndpoint{"1.2.3.4", {"1.2.3.4", 9042}, "1.2.3.4:9042"},
        GoodEndpoint{"1.2.3.4:65535", {"1.2.3.4", 65535}, "1.2.3.4:65535"},
        GoodEndpoint{"::1", {"::1", 9042}, "[::1]:9042"},
        GoodEndpoint{"[::1]", {"::1", 9042}, "[::1]:9042"},
        GoodEndpoint{"[::1]:9043", {"::1", 9043}, "[::1]:9043"},
        GoodEndpoint{"fe80::1:2", {"fe80::1:2", 9042}, "[fe80::1:2]:9042"},
        GoodEndpoint{"[::ffff:1.2.3.4]:1", {"::ffff:1.2.3.4", 1}, "[::ffff:1.2.3.4]:1"},
        GoodEndpoint{" host ", {"host", 9042}, "host:9042"}));

struct BadEndpoint {
  const char* text;
  const char* reason;
};

class BadEndpoints : public testing::TestWithParam<BadEndpoint> {};

TEST_P(BadEndpoints, AreRefusedWithAReasonAndTheRightForm) {
  const auto endpoint = parse_endpoint(GetParam().text, kDefaultPort);
  ASSERT_FALSE(endpoint);
  EXPECT_EQ(endpoint.error().code, ErrorCode::kUsage);
  EXPECT_THAT(endpoint.error().message, HasSubstr(GetParam().reason));
  EXPECT_THAT(endpoint.error().message, HasSubstr("host:port"));
}

INSTANTIATE_TEST_SUITE_P(
    Endpoint, BadEndpoints,
    testing::Values(BadEndpoint{"", "is empty"}, BadEndpoint{"  ", "is empty"},
                    BadEndpoint{":9042", "names no host"}, BadEndpoint{"host:", "port ``"},
                    BadEndpoint{"host:0", "port `0`"}, BadEndpoint{"host:65536", "port `65536`"},
                    BadEndpoint{"host:-1", "port `-1`"}, BadEndpoint{"host:90x", "port `90x`"},
                    BadEndpoint{"host:99999999999", "port `99999999999`"},
                    BadEndpoint{"[::1", "closing bracket"}, BadEndpoint{"[::1]9042", "after `]`"},
                    BadEndpoint{"[::1]:", "port ``"}, BadEndpoint{"[host]:1", "no IPv6 address"},
                    BadEndpoint{"[]", "no IPv6 address"}, BadEndpoint{"a:b:c", "several colons"},
                    BadEndpoint{"http://host:9042", "is a URL"},
                    BadEndpoint{"user@host", "no host name has"},
                    BadEndpoint{"ho st", "no host name has"}));

TEST(Endpoint, AListTakesEveryFormAndBlanks) {
  const auto list = parse_endpoints("a, b:1 ,[::1]:2,::2", kDefaultPort);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(*list, testing::ElementsAre(Endpoint{"a", 9042}, Endpoint{"b", 1}, Endpoint{"::1", 2},
                                          Endpoint{"::2", 9042}));
}

TEST(Endpoint, AListWithAnEmptyItemIsRefused) {
  for (const char* text : {"", ",", "a,", ",a", "a,,b", "a, ,b"}) {
    const auto list = parse_endpoints(text, kDefaultPort);
    ASSERT_FALSE(list) << text;
    EXPECT_THAT(list.error().message, HasSubstr("empty item"));
  }
}

TEST(Endpoint, AListWithABadItemNamesThatItem) {
  const auto list = parse_endpoints("a,b:x", kDefaultPort);
  ASSERT_FALSE(list);
  EXPECT_THAT(list.error().message, HasSubstr("`b:x`"));
}

TEST(SocketAddress, ComesFromInetBytes) {
  const std::array<uint8_t, 4> v4{10, 0, 0, 7};
  EXPECT_EQ(SocketAddress::from_inet(v4, 9042)->to_string(), "10.0.0.7:9042");
  std::array<uint8_t, 16> v6{};
  v6[15] = 1;
  const auto loopback = SocketAddress::from_inet(v6, 9043);
  EXPECT_EQ(loopback->to_string(), "[::1]:9043");
  EXPECT_EQ(loopback->host(), "::1");
  EXPECT_TRUE(loopback->is_loopback());
  EXPECT_EQ(SocketAddress::from_inet(std::span(v6).first(5), 1), std::nullopt);
  EXPECT_EQ(SocketAddress::from_inet({}, 1), std::nullopt);
}

TEST(SocketAddress, KnowsUnspecifiedLoopbackAndEquality) {
  const auto any4 = SocketAddress::from_numeric("0.0.0.0", 1);
  const auto any6 = SocketAddress::from_numeric("::", 1);
  const auto local = SocketAddress::from_numeric("127.0.0.2", 1);
  EXPECT_TRUE(any4->is_unspecified());
  EXPECT_TRUE(any6->is_unspecified());
  EXPECT_FALSE(local->is_unspecified());
  EXPECT_TRUE(local->is_loopback());
  EXPECT_FALSE(any4->is_loopback());
  EXPECT_EQ(*local, *SocketAddress::from_numeric("127.0.0.2", 1));
  EXPECT_NE(*local, local->with_port(2));
  EXPECT_NE(*any4, *any6);
}

TEST(SocketAddress, NamesAreNotNumeric) {
  EXPECT_EQ(SocketAddress::from_numeric("localhost", 1), std::nullopt);
  EXPECT_EQ(SocketAddress::from_numeric("1", 1), std::nullopt);
  EXPECT_EQ(SocketAddress::from_numeric("", 1), std::nullopt);
}

TEST(Resolve, NumericHostsAndLocalhost) {
  EXPECT_EQ(resolve({"127.0.0.1", 9042})->at(0).to_string(), "127.0.0.1:9042");
  EXPECT_EQ(resolve({"::1", 9042})->at(0).to_string(), "[::1]:9042");
  const auto local = resolve({"localhost", 7});
  ASSERT_TRUE(local) << local.error().message;
  ASSERT_FALSE(local->empty());
  for (const SocketAddress& address : *local) {
    EXPECT_TRUE(address.is_loopback());
    EXPECT_EQ(address.port(), 7);
  }
}

TEST(Resolve, AnUnknownNameIsAnErrorThatNamesIt) {
  const auto addresses = resolve({"no-such-host.invalid", 9042});
  ASSERT_FALSE(addresses);
  EXPECT_THAT(addresses.error().message, HasSubstr("no-such-host.invalid"));
  EXPECT_NE(addresses.error().code, ErrorCode::kUsage);
}

TEST(Resolve, SeveralAtOnceKeepTheirOrder) {
  const auto results = resolve_all({{"127.0.0.1", 1}, {"no-such-host.invalid", 2}, {"::1", 3}});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]->at(0).to_string(), "127.0.0.1:1");
  EXPECT_FALSE(results[1]);
  EXPECT_EQ(results[2]->at(0).to_string(), "[::1]:3");
  EXPECT_TRUE(resolve_all({}).empty());
}

TEST(Resolve, StopsWhenTheUserInterrupts) {
  core::set_interrupted(true);
  const auto addresses = resolve({"no-such-host.invalid", 9042});
  core::set_interrupted(false);
  ASSERT_FALSE(addresses);
  // The look-up may have been quicker than the wait for it.
  EXPECT_TRUE(addresses.error().code == ErrorCode::kInterrupted ||
              addresses.error().code == ErrorCode::kConnect);
}

TEST(Resolve, HasADeadline) {
  const auto addresses = resolve({"no-such-host.invalid", 9042}, 0);
  ASSERT_FALSE(addresses);
  EXPECT_TRUE(addresses.error().code == ErrorCode::kTimeout ||
              addresses.error().code == ErrorCode::kConnect);
}

}  // namespace
}  // namespace cqlperf::net
