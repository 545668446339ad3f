#include "storage/token.h"

#include <limits>

#include <gtest/gtest.h>

namespace cqlperf::storage {
namespace {

int64_t token_of_text(std::string_view text) { return token_of(protocol::as_bytes(text)); }

TEST(Token, OfTexts) {
  EXPECT_EQ(token_of_text("a"), -8839064797231613815);
  EXPECT_EQ(token_of_text("key"), -6847573755651342660);
  EXPECT_EQ(token_of_text("123"), -7468325962851647638);
}

TEST(Token, OfIntegers) {
  EXPECT_EQ(token_of(protocol::Bytes{0, 0, 0, 1}), -4069959284402364209);
  EXPECT_EQ(token_of(protocol::Bytes{0, 0, 0, 0, 0, 0, 0, 1}), 6292367497774912474);
  EXPECT_EQ(token_of(protocol::Bytes(8, 0xFF)), 7071048584287372947);
}

TEST(Token, TailBytesAreSigned) {
  EXPECT_EQ(token_of(protocol::Bytes{0xFF}), -4442228696663692417);
  EXPECT_EQ(token_of(protocol::Bytes(15, 0x80)), -5979218241483680930);
}

TEST(Token, OfWholeBlocksAndATail) {
  protocol::Bytes ascending;
  for (int i = 0; i < 16; ++i) ascending.push_back(static_cast<uint8_t>(i));
  EXPECT_EQ(token_of(ascending), 4920504430128807728);
  protocol::Bytes high;
  for (int i = 0xF0; i <= 0xFF; ++i) high.push_back(static_cast<uint8_t>(i));
  for (int i = 0xFE; i >= 0xFC; --i) high.push_back(static_cast<uint8_t>(i));
  EXPECT_EQ(token_of(high), -1699462234428530206);
}

TEST(Token, OfTheEmptyKeyIsTheSmallest) {
  EXPECT_EQ(token_of({}), std::numeric_limits<int64_t>::min());
}

}  // namespace
}  // namespace cqlperf::storage
