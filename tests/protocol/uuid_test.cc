#include "protocol/uuid.h"

#include <gtest/gtest.h>

namespace cqlperf::protocol {
namespace {

TEST(Uuid, RandomOnesDifferAndSayWhatTheyAre) {
  const Uuid first = random_uuid();
  const Uuid second = random_uuid();
  EXPECT_NE(first, second);
  EXPECT_EQ(first.version(), 4);
  EXPECT_EQ(first.bytes[8] & 0xc0, 0x80);
}

}  // namespace
}  // namespace cqlperf::protocol
