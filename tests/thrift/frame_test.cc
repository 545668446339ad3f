#include "thrift/frame.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::thrift {
namespace {

using testing::HasSubstr;

TEST(ThriftFrame, IsNothingUntilItIsWhole) {
  const std::vector<uint8_t> bytes = {0, 0, 0, 3, 'a', 'b', 'c', 0, 0};
  for (size_t size = 0; size < 7; ++size) {
    const auto frame = next_frame(std::span(bytes).first(size));
    ASSERT_TRUE(frame);
    EXPECT_FALSE(*frame) << size;
  }
  const auto frame = next_frame(bytes);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->size(), 3u);
  EXPECT_EQ((*frame)->front(), 'a');
}

TEST(ThriftFrame, MayBeEmpty) {
  const std::vector<uint8_t> bytes = {0, 0, 0, 0};
  const auto frame = next_frame(bytes);
  ASSERT_TRUE(frame && *frame);
  EXPECT_TRUE((*frame)->empty());
}

TEST(ThriftFrame, TooLargeIsSeenFromTheLengthAlone) {
  const std::vector<uint8_t> at_limit = {0, 0xF0, 0, 0};
  EXPECT_TRUE(next_frame(at_limit));
  const std::vector<uint8_t> beyond = {0, 0xF0, 0, 1};
  const auto frame = next_frame(beyond);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, core::ErrorCode::kProtocol);
  EXPECT_THAT(frame.error().message, HasSubstr("15728641"));
  EXPECT_FALSE(next_frame(std::vector<uint8_t>{0, 0, 0, 9}, 8));
}

TEST(ThriftFrame, NamesWhatAnotherProtocolSends) {
  // The error that a server of the native protocol answers to a Thrift call.
  const auto native = next_frame(std::vector<uint8_t>{0x84, 0, 0, 0, 0});
  ASSERT_FALSE(native);
  EXPECT_THAT(native.error().message, HasSubstr("native protocol"));
  const auto http = next_frame(std::vector<uint8_t>{'H', 'T', 'T', 'P', '/'});
  ASSERT_FALSE(http);
  EXPECT_THAT(http.error().message, HasSubstr("text, not Thrift"));
  const auto negative = next_frame(std::vector<uint8_t>{0xff, 0xff, 0xff, 0xff});
  ASSERT_FALSE(negative);
  EXPECT_THAT(negative.error().message, HasSubstr("-1"));
}

}  // namespace
}  // namespace cqlperf::thrift
