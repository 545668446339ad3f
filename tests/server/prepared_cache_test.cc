#include "server/prepared_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cql/parser.h"

namespace cqlperf::server {
namespace {

SchemaPtr empty_schema(uint64_t generation = 1) {
  auto schema = std::make_shared<Schema>();
  schema->generation = generation;
  return schema;
}

// A statement that needs no table.
std::string text(int number) { return fmt::format("DROP TABLE IF EXISTS k.t{}", number); }

protocol::Bytes id_of(const PreparedPtr& statement) {
  return {statement->id().begin(), statement->id().end()};
}

TEST(PreparedId, IsTheSameEverywhereAndAlways) {
  // Clients prepare again after a restart and expect the id that they had.
  const StableId id = prepared_id("ks", "SELECT 1");
  const StableId expected = {0x27, 0x5f, 0x4c, 0xdf, 0xb1, 0xb6, 0x6d, 0x14,
                             0x59, 0x0b, 0x90, 0xd3, 0xd8, 0x6d, 0x88, 0x8e};
  EXPECT_EQ(id, expected);
  EXPECT_NE(prepared_id("k", "sSELECT 1"), id);
  EXPECT_NE(prepared_id("", "SELECT 1"), id);
}

TEST(PreparedCache, FindsWhatWasPrepared) {
  PreparedCache cache;
  const auto first = cache.prepare(text(1), "k", empty_schema());
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(cache.find((*first)->id()), *first);
  const auto again = cache.prepare(text(1), "k", empty_schema());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *first);
  EXPECT_EQ(cache.count(), 1);
  EXPECT_EQ(cache.find(StableId{}), nullptr);
}

TEST(PreparedCache, TheKeyspaceIsPartOfTheStatement) {
  PreparedCache cache;
  const auto one = cache.prepare("DROP TABLE IF EXISTS t", "a", empty_schema());
  const auto two = cache.prepare("DROP TABLE IF EXISTS t", "b", empty_schema());
  ASSERT_TRUE(one && two);
  EXPECT_NE((*one)->id(), (*two)->id());
  EXPECT_EQ((*two)->keyspace(), "b");
}

TEST(PreparedCache, ErrorsAreNotKept) {
  PreparedCache cache;
  const auto wrong = cache.prepare("DORP TABLE t", "", empty_schema());
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().is(protocol::ErrorCode::kSyntaxError));
  EXPECT_EQ(cache.count(), 0);
}

TEST(PreparedCache, WhatWasNotUsedForLongestIsForgotten) {
  PreparedCache cache(8);
  const SchemaPtr schema = empty_schema();
  PreparedView view(cache);
  const auto kept = cache.prepare(text(0), "", schema);
  const auto lost = cache.prepare(text(1), "", schema);
  ASSERT_TRUE(kept && lost);
  ASSERT_NE(*view.find(id_of(*lost), schema), nullptr);
  for (int i = 2; i < 12; ++i) {
    ASSERT_TRUE(cache.prepare(text(i), "", schema));
    ASSERT_NE(*view.find(id_of(*kept), schema), nullptr) << i;
  }
  EXPECT_LE(cache.count(), 8);
  EXPECT_GT(cache.evictions(), 0);
  // The view, which had it, does not know it any more either.
  EXPECT_EQ(*view.find(id_of(*lost), schema), nullptr);
  // Prepared again it is there, with the same id.
  const auto back = cache.prepare(text(1), "", schema);
  ASSERT_TRUE(back);
  EXPECT_EQ((*back)->id(), (*lost)->id());
  EXPECT_NE(*view.find(id_of(*back), schema), nullptr);
}

TEST(PreparedCache, LargeTextsAreBounded) {
  PreparedCache cache(1000, 100'000);
  const auto large = cache.prepare("DROP TABLE IF EXISTS k.t /*" + std::string(60'000, 'x') + "*/",
                                   "", empty_schema());
  ASSERT_FALSE(large);
  EXPECT_TRUE(large.error().is(protocol::ErrorCode::kInvalid));
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(
        cache.prepare(text(i) + "/*" + std::string(10'000, 'x') + "*/", "", empty_schema()));
  EXPECT_LT(cache.count(), 10);
}

TEST(PreparedCache, WhatPlansTakeIsCounted) {
  PreparedCache cache(1000, 1'000'000);
  const auto batch = [](int number, int statements) {
    std::string text = fmt::format("/*{}*/ BEGIN BATCH ", number);
    for (int i = 0; i < statements; ++i) text += "DELETE FROM k.t WHERE a = ?; ";
    return text + "APPLY BATCH";
  };
  auto schema = std::make_shared<Schema>(*empty_schema());
  const auto too_long = cql::parse_statement(batch(0, 500));
  ASSERT_TRUE(too_long);
  EXPECT_GT(too_long->token_count, 500 * 9);
  const PreparedStatement statement({}, "", batch(0, 500), too_long->token_count);
  EXPECT_GT(statement.size_bytes(), 1'000'000);
  const PreparedStatement usual({}, "", text(0), 20);
  EXPECT_LT(usual.size_bytes(), 2500);
}

TEST(PreparedView, CompilesAnewForAnotherSchema) {
  PreparedCache cache;
  PreparedView view(cache);
  const auto statement = cache.prepare(text(1), "", empty_schema(1));
  ASSERT_TRUE(statement);
  const auto first = view.find(id_of(*statement), empty_schema(1));
  ASSERT_TRUE(first && *first);
  const CompiledPtr compiled = (*first)->compiled;
  EXPECT_EQ(compiled->generation, 1);
  EXPECT_EQ((*view.find(id_of(*statement), empty_schema(1)))->compiled, compiled);
  EXPECT_EQ((*view.find(id_of(*statement), empty_schema(2)))->compiled->generation, 2);
}

TEST(PreparedView, OtherIdsAreUnknown) {
  PreparedCache cache;
  PreparedView view(cache);
  EXPECT_EQ(*view.find({}, empty_schema()), nullptr);
  EXPECT_EQ(*view.find(protocol::Bytes(15), empty_schema()), nullptr);
  EXPECT_EQ(*view.find(protocol::Bytes(16), empty_schema()), nullptr);
  EXPECT_EQ(*view.find(protocol::Bytes(17), empty_schema()), nullptr);
}

TEST(Statements, MetadataIdsAreThoseOfTheColumns) {
  const auto column = [](const char* name, protocol::TypeId type) {
    return protocol::ColumnSpec{"k", "t", name, protocol::ColumnType::of(type)};
  };
  const auto rows = [](std::vector<protocol::ColumnSpec> columns) {
    return metadata_id(protocol::RowsMetadata::of(std::move(columns)));
  };
  const auto one = rows({column("a", protocol::TypeId::kInt)});
  EXPECT_EQ(one.size(), 16);
  EXPECT_EQ(rows({column("a", protocol::TypeId::kInt)}), one);
  EXPECT_NE(rows({column("b", protocol::TypeId::kInt)}), one);
  EXPECT_NE(rows({column("a", protocol::TypeId::kBigint)}), one);
  EXPECT_NE(rows({}), one);
}

TEST(Statements, KnowWhenEveryTableIsNamedWithItsKeyspace) {
  const auto qualified = [](const char* text) {
    const auto parsed = cql::parse_statement(text);
    EXPECT_TRUE(parsed) << text;
    return parsed && is_qualified(parsed->statement);
  };
  EXPECT_TRUE(qualified("SELECT * FROM k.t"));
  EXPECT_FALSE(qualified("SELECT * FROM t"));
  EXPECT_TRUE(qualified("INSERT INTO k.t (a) VALUES (1)"));
  EXPECT_TRUE(
      qualified("BEGIN BATCH DELETE FROM k.t WHERE a = 1; UPDATE k.t SET b = 1 WHERE a = 1; "
                "APPLY BATCH"));
  EXPECT_FALSE(
      qualified("BEGIN BATCH DELETE FROM k.t WHERE a = 1; UPDATE t SET b = 1 WHERE a = 1; "
                "APPLY BATCH"));
}

}  // namespace
}  // namespace cqlperf::server
