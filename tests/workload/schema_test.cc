#include "workload/schema.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cqlperf::workload {
namespace {

Schema schema_of(std::string_view keyspace, std::string_view table = "test_table") {
  return *Schema::create(keyspace, table, "1", "id int PRIMARY KEY, v blob");
}

TEST(SchemaTest, TheTextsOfThePlainCase) {
  const Schema schema = schema_of("test_keyspace");
  EXPECT_EQ(schema.create_keyspace_cql(),
            "CREATE KEYSPACE IF NOT EXISTS test_keyspace WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}");
  EXPECT_EQ(schema.create_table_cql(),
            "CREATE TABLE IF NOT EXISTS test_keyspace.test_table "
            "(id int PRIMARY KEY, v blob) "
            "WITH comment = 'made by cqlperf: it may drop this table'");
  EXPECT_EQ(schema.drop_keyspace_cql(), "DROP KEYSPACE IF EXISTS test_keyspace");
  EXPECT_EQ(schema.drop_table_cql(), "DROP TABLE IF EXISTS test_keyspace.test_table");
}

TEST(SchemaTest, TableOptionsFollowTheComment) {
  const auto schema = Schema::create("k", "t", "1", "id int PRIMARY KEY", "gc_grace_seconds = 0");
  EXPECT_TRUE(schema->create_table_cql().ends_with(
      "WITH comment = 'made by cqlperf: it may drop this table' AND gc_grace_seconds = 0"));
}

TEST(SchemaTest, CapitalsAndKeywordsAreQuotedInNamesAndExactInTexts) {
  const Schema schema = schema_of("MyKs", "default");
  EXPECT_NE(schema.create_keyspace_cql().find("\"MyKs\""), std::string::npos);
  EXPECT_EQ(schema.qualified_table().substr(0, 7), "\"MyKs\".");
  EXPECT_EQ(schema.find_keyspace_cql(),
            "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = 'MyKs'");
  EXPECT_EQ(schema.find_tables_cql(),
            "SELECT table_name, comment FROM system_schema.tables WHERE keyspace_name = 'MyKs'");
}

TEST(SchemaTest, NamesThatNoServerTakesAreUsageErrors) {
  for (const char* name : {"", "a b", "a;drop", "a'b", "a\"b", "naïve",
                           "a23456789012345678901234567890123456789012345678x"}) {
    EXPECT_FALSE(Schema::create(name, "t", "1", "id int PRIMARY KEY")) << name;
    EXPECT_FALSE(Schema::create("k", name, "1", "id int PRIMARY KEY")) << name;
  }
}

TEST(ReplicationTest, AFactorIsForTheSimpleStrategy) {
  EXPECT_EQ(*replication_map("3"), "{'class': 'SimpleStrategy', 'replication_factor': 3}");
}

TEST(ReplicationTest, AMapIsTakenAsItIs) {
  for (const char* map :
       {"{'class': 'NetworkTopologyStrategy', 'dc1': 3, 'dc2': '2'}",
        " { 'class' : 'SimpleStrategy' , 'replication_factor' : 1 } ",
        "{'dc1': 3, 'class': 'NetworkTopologyStrategy'}", "{'class': 'It''s mine', 'x''y': 1}"}) {
    const auto result = replication_map(map);
    ASSERT_TRUE(result) << map;
    EXPECT_EQ(*result, map);
  }
}

TEST(ReplicationTest, AnythingElseIsAUsageError) {
  for (const char* text :
       {"", "0", "-1", "1001", "1.5", "3x", "99999999999", "SimpleStrategy", "{", "{}", "{'class'}",
        "{'class': }", "{'class': 'a'", "{'class': 'a'} AND x", "{'dc1': 3}", "{'class': 'a', }",
        "{'class: 'a'}", "{'class': 'a'}; DROP KEYSPACE x", "{\"class\": \"a\"}"}) {
    const auto result = replication_map(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, core::ErrorCode::kUsage);
    EXPECT_NE(result.error().message.find("NetworkTopologyStrategy"), std::string::npos);
  }
}

TEST(OwnershipTest, OnlyAKeyspaceOfMarkedTablesIsOurs) {
  const std::string ours = "made by cqlperf: it may drop this table";
  EXPECT_TRUE(is_ours(std::vector<std::string>{ours}));
  EXPECT_TRUE(is_ours(std::vector<std::string>{ours, "made by cqlperf"}));
  EXPECT_FALSE(is_ours({})) << "an empty keyspace may be anyone's";
  EXPECT_FALSE(is_ours(std::vector<std::string>{ours, ""}));
  EXPECT_FALSE(is_ours(std::vector<std::string>{"not made by cqlperf"}));
}

TEST(OwnershipTest, TheTableThatIsMadeBearsTheMark) {
  const std::string cql = schema_of("k").create_table_cql();
  EXPECT_NE(cql.find("comment = '" + std::string(kOwnershipMark)), std::string::npos);
}

}  // namespace
}  // namespace cqlperf::workload
