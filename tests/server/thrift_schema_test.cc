#include "server/thrift_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog_fixture.h"
#include "memory_engine.h"

namespace cqlperf::server {
namespace {

using testing::HasSubstr;

thrift::TableDef table_def() {
  thrift::TableDef table = {.keyspace = "k", .name = "Standard1", .comparator = "AsciiType"};
  table.columns.push_back({.name = "C0", .validation_class = "BytesType"});
  table.columns.push_back({.name = "it's \"C1\"", .validation_class = "LongType"});
  return table;
}

class ThriftSchemaTest : public testing::Test {
 protected:
  ThriftSchemaTest() : catalog_(open_catalog(engine_)) { run_text(*catalog_, kCreateKeyspace); }

  void make(const thrift::TableDef& table) {
    const auto statements = statements_of(table, "k");
    ASSERT_TRUE(statements) << statements.error().message;
    for (const cql::Statement& statement : *statements) {
      const auto outcome = catalog_->execute(statement, "");
      ASSERT_TRUE(outcome) << outcome.error().message;
    }
  }
  static std::string error_of(const thrift::TableDef& table) {
    const auto statements = statements_of(table, "k");
    return statements ? "no error" : statements.error().message;
  }

  MemoryEngine engine_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(ThriftSchemaTest, ATableComesBackAsItWasDefined) {
  thrift::TableDef defined = table_def();
  defined.comment = "it's a comment";
  defined.default_ttl_s = 60;
  defined.columns[1].is_indexed = true;
  defined.columns[1].index_name = "by_c1";
  make(defined);
  const auto keyspace = describe(*catalog_->schema()->find_keyspace("k"));
  ASSERT_EQ(keyspace.tables.size(), 1u);
  const thrift::TableDef& table = keyspace.tables[0];
  EXPECT_EQ(table.name, "Standard1");
  EXPECT_EQ(table.comment, defined.comment);
  EXPECT_EQ(table.default_ttl_s, 60);
  EXPECT_EQ(table.key_alias, "key");
  EXPECT_THAT(table.key_validation_class, HasSubstr("BytesType"));
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[1].name, "it's \"C1\"");
  EXPECT_THAT(table.columns[1].validation_class, HasSubstr("LongType"));
  EXPECT_EQ(table.columns[1].index_name, "by_c1");
  EXPECT_FALSE(table.columns[0].is_indexed);
}

TEST_F(ThriftSchemaTest, OnlyCompactTablesAreDescribed) {
  make(table_def());
  run_text(*catalog_, "CREATE TABLE k.plain (key blob PRIMARY KEY, v blob)");
  EXPECT_EQ(describe(*catalog_->schema()->find_keyspace("k")).tables.size(), 1u);
}

TEST_F(ThriftSchemaTest, CompactIsKept) {
  make(table_def());
  run_text(*catalog_, "CREATE TABLE k.c (key blob PRIMARY KEY, n counter) WITH COMPACT STORAGE");
  run_text(*catalog_, "CREATE TABLE k.n (key blob PRIMARY KEY, n counter)");
  const auto again = open_catalog(engine_);
  const SchemaPtr schema = again->schema();
  EXPECT_TRUE(schema->find_table("k", "Standard1")->is_compact);
  EXPECT_FALSE(schema->find_table("k", "Standard1")->is_counter);
  EXPECT_TRUE(schema->find_table("k", "c")->is_compact);
  EXPECT_TRUE(schema->find_table("k", "c")->is_counter);
  EXPECT_FALSE(schema->find_table("k", "n")->is_compact);
  EXPECT_TRUE(schema->find_table("k", "n")->is_counter);
}

TEST_F(ThriftSchemaTest, WhatThisServerHasNotIsRefused) {
  thrift::TableDef super = table_def();
  super.column_type = "Super";
  EXPECT_THAT(error_of(super), HasSubstr("Super column families"));
  thrift::TableDef bytes = table_def();
  bytes.comparator = "BytesType";
  EXPECT_THAT(error_of(bytes), HasSubstr("AsciiType"));
  thrift::TableDef dynamic = table_def();
  dynamic.columns.clear();
  EXPECT_THAT(error_of(dynamic), HasSubstr("name the columns"));
  thrift::TableDef unknown = table_def();
  unknown.columns[0].validation_class = "NoSuchType";
  EXPECT_THAT(error_of(unknown), HasSubstr("NoSuchType"));
  thrift::KeyspaceDef keyspace = {.name = "other", .strategy_class = "SimpleStrategy"};
  keyspace.tables.push_back(table_def());
  EXPECT_THAT(statements_of(keyspace).error().message, HasSubstr("did not match"));
}

// Names are data: none becomes a part of the statement.
TEST_F(ThriftSchemaTest, NamesAreQuoted) {
  thrift::TableDef table = table_def();
  table.name = "t\" (a int PRIMARY KEY); DROP KEYSPACE k; --";
  const auto statements = statements_of(table, "k");
  ASSERT_TRUE(statements) << statements.error().message;
  const auto outcome = catalog_->execute(statements->front(), "");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("alphanumeric"));
}

}  // namespace
}  // namespace cqlperf::server
