#include "server/thrift_items.h"

#include <gtest/gtest.h>

namespace cqlperf::server {
namespace {

// Each number is what Java gives for the text.
TEST(ThriftItems, HashesAsJavaDoes) {
  EXPECT_EQ(ThriftItems::id_of(""), 0);
  EXPECT_EQ(ThriftItems::id_of("a"), 97);
  EXPECT_EQ(ThriftItems::id_of("hello"), 99162322);
  EXPECT_EQ(ThriftItems::id_of("SELECT * FROM t WHERE key = ?"), -1456867270);
  EXPECT_EQ(ThriftItems::id_of("\xC3\xBC\xE2\x82\xAC\xF0\x9D\x84\x9E"), 17317530);
  // Bytes that are no UTF-8 are U+FFFD, one by one.
  EXPECT_EQ(ThriftItems::id_of("\xff"), 0xFFFD);
  EXPECT_EQ(ThriftItems::id_of("\xE2\x82"), 0xFFFD * 31 + 0xFFFD);
}

}  // namespace
}  // namespace cqlperf::server
