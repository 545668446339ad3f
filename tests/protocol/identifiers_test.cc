#include "protocol/identifiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::protocol {
namespace {

using testing::HasSubstr;

TEST(Identifiers, PlainLowerCaseStaysBare) {
  EXPECT_EQ(identifier_to_cql("test_keyspace"), "test_keyspace");
  EXPECT_EQ(identifier_to_cql("t1"), "t1");
  EXPECT_EQ(identifier_to_cql("key"), "key");  // a keyword that may be a name
}

TEST(Identifiers, EverythingElseIsQuotedOnce) {
  EXPECT_EQ(identifier_to_cql("MyKs"), "\"MyKs\"");
  EXPECT_EQ(identifier_to_cql("Md5"), "\"Md5\"");
  EXPECT_EQ(identifier_to_cql("default"), "\"default\"");
  EXPECT_EQ(identifier_to_cql("table"), "\"table\"");
  EXPECT_EQ(identifier_to_cql("1st"), "\"1st\"");
  EXPECT_EQ(identifier_to_cql("_x"), "\"_x\"");
  EXPECT_EQ(identifier_to_cql("a b"), "\"a b\"");
  EXPECT_EQ(identifier_to_cql(""), "\"\"");
}

TEST(Identifiers, ReservedWordsAreThoseThatCassandraRefuses) {
  for (const char* word : {"add", "select", "table", "token", "true", "with", "materialized"})
    EXPECT_TRUE(is_reserved_word(word)) << word;
  for (const char* word : {"key", "ttl", "count", "default", "unset", "text", "ad", "withs", ""})
    EXPECT_FALSE(is_reserved_word(word)) << word;
  EXPECT_EQ(identifier_to_cql("true"), "\"true\"");
}

TEST(Identifiers, QuotesInsideAreDoubled) {
  EXPECT_EQ(identifier_to_cql("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(identifier_to_cql("\"MyKs\""), "\"\"\"MyKs\"\"\"");
}

TEST(Identifiers, ATableHasItsKeyspaceBefore) {
  EXPECT_EQ(table_to_cql("MyKs", "standard1"), "\"MyKs\".standard1");
}

TEST(Identifiers, SchemaNamesAreChecked) {
  EXPECT_TRUE(check_schema_name("keyspace", "MyKs_2"));
  EXPECT_TRUE(check_schema_name("keyspace", std::string(48, 'a')));
  for (const std::string& bad : {std::string(), std::string(49, 'a'), std::string("a-b"),
                                 std::string("a.b"), std::string("\"a\""), std::string("é")}) {
    const auto status = check_schema_name("keyspace", bad);
    ASSERT_FALSE(status) << bad;
    EXPECT_EQ(status.error().code, core::ErrorCode::kUsage);
    EXPECT_THAT(status.error().message, HasSubstr("keyspace name"));
    EXPECT_THAT(status.error().message, HasSubstr("`" + bad + "`"));
  }
}

}  // namespace
}  // namespace cqlperf::protocol
