#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "select_fixture.h"

namespace cqlperf::server {
namespace {

using ::testing::HasSubstr;

// What drivers ask the system tables for.
class SelectSystemTest : public SelectFixture {
 protected:
  void SetUp() override {
    SelectFixture::SetUp();
    change("CREATE TABLE ks.one (k int PRIMARY KEY, v int)");
    change("CREATE TABLE ks.two (k int, c int, v int, PRIMARY KEY (k, c))");
  }
};

TEST_F(SelectSystemTest, TheLocalNode) {
  EXPECT_EQ(ask("SELECT * FROM system.local").row_count, 1u);
  EXPECT_EQ(ask("SELECT * FROM system.local WHERE key='local'").row_count, 1u);
  EXPECT_EQ(ask("select * from system.local where key = 'other'").row_count, 0u);
  EXPECT_EQ(select("SELECT cluster_name FROM system.local"), catalog_->node().cluster_name);
  EXPECT_EQ(select("SELECT key FROM system.local WHERE key = ?", {text_value("local")}), "local");
  const Reply named = ask("SELECT rpc_address, schema_version FROM system.local WHERE key='local'");
  EXPECT_THAT(named.names, ::testing::ElementsAre("rpc_address", "schema_version"));
}

TEST_F(SelectSystemTest, PeersThatAreNotThere) {
  EXPECT_EQ(select("SELECT * FROM system.peers_v2"), "");
  EXPECT_EQ(ask("SELECT * FROM system.peers_v2 WHERE peer = :address AND peer_port = :port",
                {.values = {{protocol::Value::Kind::kBytes, {127, 0, 0, 1}}, int_value(9042)}})
                .text,
            "");
  EXPECT_EQ(select("SELECT peer FROM system.peers"), "");
}

TEST_F(SelectSystemTest, SchemaTables) {
  EXPECT_EQ(select("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'ks'"),
            "one; two");
  EXPECT_EQ(select("SELECT keyspace_name, table_name FROM system_schema.tables WHERE "
                   "keyspace_name = 'ks' AND table_name = 'two'"),
            "ks two");
  EXPECT_EQ(select("SELECT column_name, kind, position FROM system_schema.columns WHERE "
                   "keyspace_name = ? AND table_name IN ?",
                   {text_value("ks"), list_value({text_value("two"), text_value("none")})}),
            "c clustering 0; k partition_key 0; v regular -1");
  EXPECT_EQ(select("SELECT count(*) FROM system_schema.columns WHERE keyspace_name = 'ks'"), "5");
}

TEST_F(SelectSystemTest, InOnThePartitionKeyComesByValue) {
  EXPECT_EQ(select("SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name IN "
                   "('system', 'ks')"),
            "ks; system");
  EXPECT_EQ(select("SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name IN ?",
                   {list_value({text_value("system"), text_value("ks")})}),
            "ks; system");
}

TEST_F(SelectSystemTest, FilteringNeedsItsWordsButInVirtualTables) {
  EXPECT_THAT(select("SELECT table_name FROM system_schema.tables WHERE table_name = 'one'"),
              HasSubstr("ALLOW FILTERING"));
  EXPECT_EQ(select("SELECT keyspace_name FROM system_schema.tables WHERE table_name = 'one' ALLOW "
                   "FILTERING"),
            "ks");
  EXPECT_EQ(select("SELECT * FROM system_virtual_schema.tables WHERE keyspace_name = 'none' AND "
                   "comment = 'x'"),
            "");
}

TEST_F(SelectSystemTest, OrderLimitAndPages) {
  EXPECT_EQ(select("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'ks' ORDER "
                   "BY table_name DESC"),
            "two; one");
  EXPECT_EQ(
      select("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'ks' LIMIT 1"),
      "one");
  EXPECT_EQ(pages("SELECT column_name FROM system_schema.columns WHERE keyspace_name = 'ks'", 2),
            "[k; v][c; k][v]");
  EXPECT_EQ(ask("SELECT DISTINCT keyspace_name FROM system_schema.tables").row_count,
            ask("SELECT keyspace_name FROM system_schema.tables PER PARTITION LIMIT 1").row_count);
  EXPECT_EQ(select("SELECT table_name FROM system_schema.tables WHERE token(keyspace_name) = "
                   "token('ks')"),
            "one; two");
}

TEST_F(SelectSystemTest, ChangesAreSeenByPlansFromBefore) {
  const auto plan =
      this->plan("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'ks'").value();
  change("CREATE TABLE ks.three (k int PRIMARY KEY)");
  EXPECT_EQ(run(plan).text, "one; three; two");
}

TEST_F(SelectSystemTest, WhatTheyHaveNot) {
  EXPECT_THAT(select("SELECT writetime(rack) FROM system.local"), HasSubstr("0x2200"));
  EXPECT_THAT(select("SELECT key FROM system.local WHERE tokens = {'1'} ALLOW FILTERING"),
              HasSubstr("Collection column 'tokens'"));
  EXPECT_EQ(select("SELECT * FROM system_schema.scylla_tables"),
            "0x2200 table scylla_tables does not exist");
}

}  // namespace
}  // namespace cqlperf::server
