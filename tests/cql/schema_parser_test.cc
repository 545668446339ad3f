#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "parse_helpers.h"

namespace cqlperf::cql {
namespace {

using protocol::ColumnType;
using protocol::TypeId;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

std::vector<std::string> shown(const Options& options) {
  std::vector<std::string> out;
  for (const auto& [name, value] : options) out.push_back(name + " " + show(value));
  return out;
}

std::string type_name(const std::string& text) {
  const Result<ColumnType> type = parse_type(text);
  return type ? type->cql_name() : type.error().message;
}

TEST(KeyspaceParser, ReadsThem) {
  const auto create = parse_as<CreateKeyspace>(
      "CREATE KEYSPACE IF NOT EXISTS \"keyspace1\" WITH replication = {'class': 'SimpleStrategy', "
      "'replication_factor' : 1} AND DURABLE_WRITES = true;\n");
  EXPECT_EQ(create.keyspace, "keyspace1");
  EXPECT_TRUE(create.if_not_exists);
  EXPECT_THAT(shown(create.options),
              ElementsAre("replication map{'class 'SimpleStrategy 'replication_factor 1}",
                          "durable_writes bool:true"));
  EXPECT_EQ(parse_as<CreateKeyspace>("create schema K with \"replication\" = {}").keyspace, "k");
  const auto alter =
      parse_as<AlterKeyspace>("ALTER KEYSPACE if exists k WITH durable_writes=false");
  EXPECT_TRUE(alter.if_exists);
  EXPECT_THAT(shown(alter.options), ElementsAre("durable_writes bool:false"));
  EXPECT_TRUE(parse_as<DropKeyspace>("DROP KEYSPACE IF EXISTS k;").if_exists);
  EXPECT_EQ(parse_as<DropKeyspace>("drop schema \"K\"").keyspace, "K");
  EXPECT_EQ(parse_as<Use>("USE \"Ks\"").keyspace, "Ks");
  EXPECT_EQ(parse_as<Use>("use KS;").keyspace, "ks");
}

TEST(KeyspaceParser, WhatIsWrong) {
  for (const char* text :
       {"create keyspace k", "create keyspace if exists k with a = 1",
        "create keyspace 'k' with a=1", "create keyspace k with replication = {'class':'x'",
        "create keyspace k with a = 1 with b = 2",
        "create keyspace k with replication = {class:'x'}", "drop keyspace if not exists k",
        "alter keyspace k", "use", "use 'k'", "use a.b", "drop keyspace"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
  EXPECT_THAT(error_of("create keyspace k with a = 1 and a = 2"),
              AllOf(StartsWith("2000 line 1:33"), HasSubstr("Multiple definitions")));
}

TEST(TableParser, ReadsColumnsAndKeys) {
  const auto create = parse_as<CreateTable>(
      "CREATE TABLE IF NOT EXISTS ks.t (pk1 bigint, pk2 TEXT, \"C0\" blob, ck int, s text STATIC, "
      "PRIMARY KEY ((pk1, pk2), ck, \"C0\"))");
  EXPECT_TRUE(create.if_not_exists);
  EXPECT_EQ(create.name.keyspace, "ks");
  ASSERT_EQ(create.columns.size(), 5U);
  EXPECT_EQ(create.columns[1].type.id, TypeId::kVarchar);
  EXPECT_EQ(create.columns[2].name, "C0");
  EXPECT_EQ(create.columns[2].position, (Position{1, 55}));
  EXPECT_TRUE(create.columns[4].is_static);
  EXPECT_FALSE(create.columns[3].is_static);
  EXPECT_THAT(create.partition_key, ElementsAre("pk1", "pk2"));
  EXPECT_THAT(create.clustering_key, ElementsAre("ck", "C0"));
}

TEST(TableParser, TheKeyHasFourForms) {
  const auto inline_key = parse_as<CreateTable>("create table t (a int primary key, b int)");
  EXPECT_THAT(inline_key.partition_key, ElementsAre("a"));
  EXPECT_THAT(inline_key.clustering_key, IsEmpty());
  EXPECT_EQ(inline_key.columns.size(), 2U);
  const auto single = parse_as<CreateTable>("create columnfamily t (a int, primary key (a))");
  EXPECT_THAT(single.partition_key, ElementsAre("a"));
  const auto clustered = parse_as<CreateTable>("create table t (a int, b int, primary key (a,b),)");
  EXPECT_THAT(clustered.clustering_key, ElementsAre("b"));
  const auto composite = parse_as<CreateTable>("create table t (a int,, primary key ((a)))");
  EXPECT_THAT(composite.partition_key, ElementsAre("a"));
  EXPECT_THAT(parse_as<CreateTable>("create table t (a int)").partition_key, IsEmpty());
}

TEST(TableParser, ReadsOptions) {
  const auto create = parse_as<CreateTable>(
      "create table t (a int, b int, primary key (a, b)) WITH CLUSTERING ORDER BY (b DESC, c ASC) "
      "AND COMPACT STORAGE AND comment = 'it''s' AND gc_grace_seconds = 5 AND compression = {} "
      "AND bloom_filter_fp_chance = 0.1 AND id = 5a1c395e-b41f-11e5-9f22-ba0be0483c18");
  EXPECT_THAT(create.clustering_order, ElementsAre(Pair("b", true), Pair("c", false)));
  EXPECT_TRUE(create.compact_storage);
  EXPECT_THAT(shown(create.options),
              ElementsAre("comment 'it's", "gc_grace_seconds 5", "compression map{}",
                          "bloom_filter_fp_chance float:0.1",
                          "id uuid:5a1c395e-b41f-11e5-9f22-ba0be0483c18"));
  EXPECT_THAT(shown(parse_as<CreateTable>("create table t (a int) with compact = -1").options),
              ElementsAre("compact -1"));
}

TEST(TableParser, KeywordsThatAreNotReservedAreColumns) {
  const auto create = parse_as<CreateTable>(
      "create table type (key text primary key, int int, date date, timestamp timestamp, ttl int, "
      "list list<int>, frozen frozen<list<int>>, static int, values int, counter int, default "
      "int)");
  EXPECT_EQ(create.columns.size(), 11U);
  EXPECT_EQ(create.name.table, "type");
  for (const char* word : {"token", "set", "infinity", "true", "desc", "primary"})
    EXPECT_THAT(error_of(std::string("create table t (a int, ") + word + " int)"),
                StartsWith("2000 line 1:"))
        << word;
}

TEST(TableParser, WhatIsWrong) {
  for (const char* text : {"create table t",
                           "create table t ()",
                           "create table t (,a int)",
                           "create table t (a)",
                           "create table t (a int primary key static)",
                           "create table t (a int, primary key ())",
                           "create table t (a int, primary key (a,))",
                           "create table t (a int, primary key ((a),()))",
                           "create table t like u",
                           "create table a.b.c (a int)",
                           "create table t (a int) with",
                           "create table t (a int) with comment",
                           "create table t (a int) with comment = b",
                           "create table t (a int) with comment = ?",
                           "create table t (a int) with comment = null",
                           "create table t (a int) with comment = ['a']",
                           "create table t (a int) with comment = {'a'}",
                           "create table t (a int) with comment = {'a': b}",
                           "create table t (a int b int)",
                           "create table t (a int) with comment = {'a': {'b': 'c'}}",
                           "create table t (a int",
                           "create table t (a int) with clustering order by b desc",
                           "create table t (a int) with clustering order by (b)",
                           "create table t (a int) with comment = 'a' and comment = 'b'"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
  for (const char* text : {"create table t (a int primary key, b int primary key)",
                           "create table t (a int primary key, primary key (a))",
                           "create table t (a int, primary key (a), primary key (a))"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith("2200 "), HasSubstr("Multiple PRIMARY KEY")))
        << text;
  EXPECT_THAT(error_of("create table t (a int masked with default)"), StartsWith("2200 line 1:22"));
}

TEST(TableParser, AltersDropsAndTruncates) {
  const auto added = parse_as<AlterTable>("ALTER TABLE ks.t ADD c int static");
  ASSERT_EQ(added.added.size(), 1U);
  EXPECT_TRUE(added.added[0].is_static);
  EXPECT_FALSE(added.if_exists || added.add_if_not_exists);
  const auto more =
      parse_as<AlterTable>("alter columnfamily if exists t add if not exists (c int, \"D\" text)");
  EXPECT_TRUE(more.if_exists && more.add_if_not_exists);
  EXPECT_EQ(more.added.at(1).name, "D");
  EXPECT_THAT(shown(parse_as<AlterTable>("alter table t with a = 1 and b = 'x'").options),
              ElementsAre("a 1", "b 'x"));
  EXPECT_TRUE(parse_as<DropTable>("DROP TABLE IF EXISTS latte.basic").if_exists);
  EXPECT_EQ(parse_as<DropTable>("drop columnfamily t").name.table, "t");
  EXPECT_EQ(parse_as<Truncate>("TRUNCATE TABLE ks.t").name.keyspace, "ks");
  EXPECT_EQ(parse_as<Truncate>("truncate columnfamily t;").name.table, "t");
  EXPECT_EQ(parse_as<Truncate>("truncate t USING TIMEOUT 5s").name.table, "t");
  for (const char* text : {"alter table t", "alter table t add c int, d int", "alter table t with",
                           "alter table t with clustering order by (b desc)", "drop table",
                           "truncate table", "truncate", "alter table t foo"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
}

TEST(IndexParser, ReadsThem) {
  const auto plain = parse_as<CreateIndex>("CREATE INDEX ON ks.t (\"V\")");
  EXPECT_EQ(plain.index, "");
  EXPECT_EQ(plain.table.keyspace, "ks");
  EXPECT_EQ(plain.column, "V");
  EXPECT_FALSE(plain.custom_class || plain.if_not_exists);
  const auto custom = parse_as<CreateIndex>(
      "CREATE CUSTOM INDEX IF NOT EXISTS i ON t(values) USING 'StorageAttachedIndex' "
      "WITH OPTIONS = {'a': 'b'};");
  EXPECT_EQ(custom.index, "i");
  EXPECT_TRUE(custom.if_not_exists);
  EXPECT_EQ(custom.column, "values");
  EXPECT_EQ(custom.custom_class, "StorageAttachedIndex");
  EXPECT_THAT(shown(custom.options), ElementsAre("options map{'a 'b}"));
  EXPECT_EQ(parse_as<CreateIndex>("create index on t (v) using 'sai'").custom_class, "sai");
  const auto drop = parse_as<DropIndex>("DROP INDEX IF EXISTS ks.i");
  EXPECT_EQ(drop.name.table, "i");
  EXPECT_TRUE(drop.if_exists);
}

TEST(IndexParser, WhatIsWrong) {
  for (const char* text :
       {"create index ks.i on t (v)", "create index \"\" on t (v)", "create index on t",
        "create index on t (v) using sai", "create index on t v", "create custom on t (v)"})
    EXPECT_THAT(error_of(text), StartsWith("2000 line 1:")) << text;
  for (const char* text : {"create index on t (keys(m))", "create index on t (values(m))",
                           "create index on t (full(m))", "create index on t (entries(m))",
                           "create index on t (a, b)", "create index on t ()"})
    EXPECT_THAT(error_of(text), AllOf(StartsWith("2200 line 1:"), HasSubstr("not supported")))
        << text;
  EXPECT_THAT(error_of("create index on t (v) with options = {}"),
              StartsWith("2200 Cannot specify options"));
  EXPECT_THAT(error_of("create custom index on t (v)"),
              AllOf(StartsWith("2300 line 1:0"), HasSubstr("USING")));
}

TEST(TypeParser, ReadsTypes) {
  for (const char* name : {"ascii",
                           "bigint",
                           "blob",
                           "boolean",
                           "counter",
                           "date",
                           "decimal",
                           "double",
                           "duration",
                           "float",
                           "inet",
                           "int",
                           "smallint",
                           "time",
                           "timestamp",
                           "timeuuid",
                           "tinyint",
                           "uuid",
                           "varint",
                           "list<int>",
                           "set<uuid>",
                           "tuple<int, blob, time>",
                           "map<int, list<set<int>>>"})
    EXPECT_EQ(type_name(name), name);
  EXPECT_EQ(type_name("TEXT"), type_name("varchar"));
  EXPECT_EQ(type_name("Frozen<Map<Int,Frozen<Set<Blob>>>>"), "map<int, set<blob>>");
  const auto custom = parse_type("'org.apache.cassandra.db.marshal.DynamicCompositeType'");
  ASSERT_TRUE(custom.has_value());
  EXPECT_EQ(custom->id, TypeId::kCustom);
  EXPECT_EQ(custom->custom_class, "org.apache.cassandra.db.marshal.DynamicCompositeType");
  const auto user = parse_type("ks.\"Address\"");
  ASSERT_TRUE(user.has_value());
  EXPECT_EQ(user->id, TypeId::kUdt);
  EXPECT_EQ(user->udt_keyspace, "ks");
  EXPECT_EQ(user->udt_name, "Address");
  EXPECT_EQ(parse_type("\"int\"").value_or(ColumnType()).id, TypeId::kUdt);
  EXPECT_EQ(parse_type("list").value_or(ColumnType()).id, TypeId::kUdt);
}

TEST(TypeParser, WhatIsNoType) {
  for (const char* text :
       {"", "list<>", "map<int>", "map<int, int, int>", "tuple<>", "set<int>>", "list<int, int>",
        "a.b.c", "5", "list<int", "foo<int>", "int int", "frozen<int>", "select"})
    EXPECT_THAT(type_name(text), StartsWith("line 1:")) << text;
  EXPECT_THAT(type_name("frozen<int>"), HasSubstr("frozen<> is only allowed on"));
  EXPECT_THAT(type_name("list<vector<float, 3>>"),
              AllOf(StartsWith("line 1:5"), HasSubstr("not supported")));
}

}  // namespace
}  // namespace cqlperf::cql
