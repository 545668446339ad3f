#include "protocol/negotiation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::protocol {
namespace {

constexpr Version kV3 = Version::kV3;
constexpr Version kV4 = Version::kV4;
constexpr Version kV5 = Version::kV5;

TEST(Negotiation, TheServersTextIsOneThatDriversKnow) {
  const ErrorMessage error = unsupported_version_error(66);
  EXPECT_EQ(error.code, 0x000A);
  EXPECT_EQ(error.message,
            "Invalid or unsupported protocol version (66); supported versions are (3/v3, 4/v4, "
            "5/v5)");
}

TEST(Negotiation, TheListDecides) {
  const auto with_list = [](std::string_view list) {
    return "Invalid or unsupported protocol version (5); supported versions are " +
           std::string(list);
  };
  EXPECT_EQ(older_version(kV5, kV5, with_list("(3/v3, 4/v4)")), kV4);
  EXPECT_EQ(older_version(kV5, kV5, with_list("(3/v3, 4/v4, 5/v5, 6/v6-beta)")), kV4);
  EXPECT_EQ(older_version(kV5, kV4, with_list("(3/v3)")), kV3);
  EXPECT_EQ(older_version(kV5, kV4, with_list("(3/v3, 4/v4-beta, 5/v5-beta)")), kV3);
  EXPECT_EQ(older_version(kV4, kV5, with_list("(4/v4, 5/v5)")), std::nullopt);
  EXPECT_EQ(older_version(kV5, kV5, with_list("(1/v1, 2/v2)")), std::nullopt);
  EXPECT_EQ(older_version(kV5, kV5, with_list("()")), std::nullopt);
}

TEST(Negotiation, OurOwnAnswerLeadsToTheNextVersion) {
  const std::string text = unsupported_version_error(5).message;
  EXPECT_EQ(older_version(kV5, kV5, text), kV4);
  EXPECT_EQ(older_version(kV4, kV5, text), kV3);
  EXPECT_EQ(older_version(kV3, kV5, text), std::nullopt);
}

TEST(Negotiation, OlderServersNameTheGreatest) {
  const std::string_view text =
      "Invalid or unsupported protocol version (5); the lowest supported version is 3 and the "
      "greatest is ";
  EXPECT_EQ(older_version(kV5, kV5, std::string(text) + "4"), kV4);
  EXPECT_EQ(older_version(kV5, kV5, std::string(text) + "3"), kV3);
  EXPECT_EQ(older_version(kV5, kV5, std::string(text) + "2"), std::nullopt);
  // A server that contradicts itself is asked with the next version all the same.
  EXPECT_EQ(older_version(kV5, kV5, std::string(text) + "5"), kV4);
}

TEST(Negotiation, ElseTheHeaderDecides) {
  EXPECT_EQ(older_version(kV5, kV3, "Invalid or unsupported protocol version: 5"), kV3);
  EXPECT_EQ(older_version(kV5, kV4, "Invalid or unsupported protocol version: 5"), kV4);
}

TEST(Negotiation, ElseItIsTheNextOne) {
  EXPECT_EQ(older_version(kV5, kV5, "Beta version of the protocol used (5/v5-beta)"), kV4);
  EXPECT_EQ(older_version(kV4, kV5, ""), kV3);
  EXPECT_EQ(older_version(kV3, kV3, ""), std::nullopt);
}

}  // namespace
}  // namespace cqlperf::protocol
