#include "protocol/consistency.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::protocol {
namespace {

TEST(Consistency, NamesRoundTrip) {
  for (uint16_t value = 0; value <= 10; ++value) {
    const auto level = static_cast<Consistency>(value);
    EXPECT_EQ(*parse_consistency(consistency_name(level)), level);
    const std::array<uint8_t, 2> wire = {0, static_cast<uint8_t>(value)};
    core::ByteReader in(wire);
    EXPECT_EQ(read_consistency(in), level);
    EXPECT_TRUE(in.finished());
  }
}

TEST(Consistency, IsReadInAnyCase) {
  EXPECT_EQ(*parse_consistency("local_quorum"), Consistency::kLocalQuorum);
  EXPECT_EQ(*parse_consistency("Local-One"), Consistency::kLocalOne);
}

TEST(Consistency, ErrorListsTheNames) {
  for (const char* name : {"", "ONES", "LOCAL QUORUM"}) {
    const auto level = parse_consistency(name);
    ASSERT_FALSE(level) << name;
    EXPECT_EQ(level.error().code, core::ErrorCode::kUsage);
    EXPECT_THAT(level.error().message, testing::HasSubstr("one of ANY, ONE, TWO"));
    EXPECT_THAT(level.error().message, testing::EndsWith("LOCAL_ONE"));
  }
}

TEST(Consistency, UnknownValuesFailTheReader) {
  const std::array<uint8_t, 2> wire = {0, 11};
  core::ByteReader in(wire);
  read_consistency(in);
  EXPECT_FALSE(in.ok());
}

TEST(Consistency, OnlyTwoAreSerial) {
  EXPECT_TRUE(is_serial(Consistency::kSerial));
  EXPECT_TRUE(is_serial(Consistency::kLocalSerial));
  EXPECT_FALSE(is_serial(Consistency::kQuorum));
}

}  // namespace
}  // namespace cqlperf::protocol
