#include "storage/key.h"

#include <algorithm>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "reference_order.h"

namespace cqlperf::storage {
namespace {

using protocol::Bytes;
using protocol::ColumnType;
using protocol::TypeId;
using ::testing::HasSubstr;

constexpr TypeId kTypes[] = {
    TypeId::kAscii,   TypeId::kBigint,    TypeId::kBlob,     TypeId::kBoolean, TypeId::kDecimal,
    TypeId::kDouble,  TypeId::kFloat,     TypeId::kInt,      TypeId::kUuid,    TypeId::kVarchar,
    TypeId::kVarint,  TypeId::kTimeuuid,  TypeId::kInet,     TypeId::kDate,    TypeId::kTime,
    TypeId::kTinyint, TypeId::kTimestamp, TypeId::kSmallint,
};

int sign(int value) { return (value > 0) - (value < 0); }

int compare_keys(const core::Buffer& a, const core::Buffer& b) {
  const int order = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size()));
  if (order != 0) return sign(order);
  return sign(static_cast<int>(a.size()) - static_cast<int>(b.size()));
}

ClusteringColumn column_of(TypeId type, bool descending = false) {
  return {ColumnType::of(type), descending};
}

core::Buffer encode(const ClusteringColumn& column, const Bytes& value) {
  core::Buffer out;
  append_clustering_value(out, column, value);
  return out;
}

Bytes decode(const ClusteringColumn& column, const core::Buffer& encoded) {
  const auto values = read_clustering_values(encoded.bytes(), {column});
  EXPECT_TRUE(values.has_value()) << values.error().message;
  return values ? values->front() : Bytes{0xDE, 0xAD};
}

class EachType : public ::testing::TestWithParam<TypeId> {};

TEST_P(EachType, OrderOfBytesIsOrderOfValues) {
  constexpr int kPairs = 5'000;
  RandomValues values(7);
  for (int i = 0; i < kPairs; ++i) {
    const Bytes a = values.next(GetParam());
    const Bytes b = i % 16 == 0 ? a : values.next(GetParam());
    const int order = ReferenceOrder::compare(GetParam(), a, b);
    const auto ascending = column_of(GetParam());
    ASSERT_EQ(compare_keys(encode(ascending, a), encode(ascending, b)), order)
        << ::testing::PrintToString(a) << " and " << ::testing::PrintToString(b);
    const auto descending = column_of(GetParam(), true);
    ASSERT_EQ(compare_keys(encode(descending, a), encode(descending, b)), -order)
        << ::testing::PrintToString(a) << " and " << ::testing::PrintToString(b);
  }
}

TEST_P(EachType, ValuesComeBack) {
  constexpr int kValues = 5'000;
  RandomValues values(8);
  for (int i = 0; i < kValues; ++i) {
    const Bytes value = values.next(GetParam());
    const auto column = column_of(GetParam(), i % 2 == 1);
    const Bytes back = decode(column, encode(column, value));
    ASSERT_EQ(ReferenceOrder::compare(GetParam(), value, back), 0)
        << ::testing::PrintToString(value) << " as " << ::testing::PrintToString(back);
    const bool may_differ = GetParam() == TypeId::kVarint || GetParam() == TypeId::kDecimal ||
                            GetParam() == TypeId::kFloat || GetParam() == TypeId::kDouble;
    if (!may_differ) {
      ASSERT_EQ(value, back);
    }
  }
}

// A value decides the order whatever comes behind it, also when it is the beginning of another.
TEST_P(EachType, IsSelfDelimiting) {
  constexpr int kPairs = 5'000;
  RandomValues values(9);
  for (int i = 0; i < kPairs; ++i) {
    const auto column = column_of(GetParam(), i % 2 == 1);
    const Bytes a = values.next(GetParam());
    const Bytes b = values.next(GetParam());
    if (ReferenceOrder::compare(GetParam(), a, b) == 0) continue;
    core::Buffer one = encode(column, a);
    core::Buffer other = encode(column, b);
    const int order = compare_keys(one, other);
    const auto tail = static_cast<uint8_t>(values.random().next());
    one.append_u8(tail);
    other.append_u8(static_cast<uint8_t>(~tail));
    ASSERT_EQ(compare_keys(one, other), order);
  }
}

INSTANTIATE_TEST_SUITE_P(Key, EachType, ::testing::ValuesIn(kTypes),
                         [](const auto& test) { return ColumnType::of(test.param).cql_name(); });

TEST(Key, SeveralColumnsOrderOneAfterTheOther) {
  const std::vector<ClusteringColumn> columns = {
      column_of(TypeId::kVarchar), column_of(TypeId::kInt, true), column_of(TypeId::kTimeuuid)};
  RandomValues values(10);
  for (int i = 0; i < 5'000; ++i) {
    core::Buffer one;
    core::Buffer other;
    int order = 0;
    std::vector<Bytes> parts;
    for (const ClusteringColumn& column : columns) {
      const Bytes a = values.next(column.type.id);
      const Bytes b = values.random().below(2) == 0 ? a : values.next(column.type.id);
      append_clustering_value(one, column, a);
      append_clustering_value(other, column, b);
      parts.push_back(a);
      const int next = ReferenceOrder::compare(column.type.id, a, b);
      if (order == 0) order = column.descending ? -next : next;
    }
    ASSERT_EQ(compare_keys(one, other), order);
    ASSERT_EQ(read_clustering_values(one.bytes(), columns).value(), parts);
  }
}

TEST(Key, DecimalsComeBackWithoutZerosAtTheEnd) {
  const auto column = column_of(TypeId::kDecimal);
  const auto back = [&](const Bytes& value) { return decode(column, encode(column, value)); };
  EXPECT_EQ(back({0, 0, 0, 2, 0, 150}), (Bytes{0, 0, 0, 1, 15}));         // 1.50: 1.5
  EXPECT_EQ(back({0, 0, 0, 1, 100}), (Bytes{0, 0, 0, 0, 10}));            // 10.0: 10
  EXPECT_EQ(back({0xFF, 0xFF, 0xFF, 0xFF, 1}), (Bytes{0, 0, 0, 0, 10}));  // 1E+1: 10
  EXPECT_EQ(back({0, 0, 0, 3, 0}), (Bytes{0, 0, 0, 0, 0}));               // 0.000: 0
  EXPECT_EQ(back({0, 0, 0, 0, 0x80}), (Bytes{0, 0, 0, 0, 0x80}));         // -128
  EXPECT_EQ(back({0x80, 0, 0, 0, 10}), (Bytes{0x80, 0, 0, 0, 10}));       // 10E+2^31
  EXPECT_EQ(back({0x7F, 0xFF, 0xFF, 0xFF, 1}), (Bytes{0x7F, 0xFF, 0xFF, 0xFF, 1}));
}

// Every length, since digits and bytes are converted several at a time.
TEST(Key, DecimalsOfAnyLengthComeBack) {
  const auto column = column_of(TypeId::kDecimal);
  for (size_t size = 1; size <= 80; ++size) {
    for (const uint8_t first : {0x01, 0x7F, 0x80, 0xFE}) {
      Bytes value = {0, 0, 0, 0, first};
      for (size_t i = 1; i < size; ++i) value.push_back(static_cast<uint8_t>(i * 37 + size));
      EXPECT_EQ(decode(column, encode(column, value)), value) << size;
    }
  }
}

// A key holds 64 KiB at the most. Many digits that a damaged one claims to have are no value.
TEST(Key, TheLongestDecimalComesBackAndLongerOnesAreRefused) {
  const auto column = column_of(TypeId::kDecimal);
  Bytes value(65'531, 0x55);
  std::fill_n(value.begin(), 4, 0);
  EXPECT_EQ(decode(column, encode(column, value)), value);
  core::Buffer endless;
  endless.append(Bytes{3, 0x80, 0, 0, 0, 0, 0, 0, 1});
  for (int i = 0; i < 200'000; ++i) endless.append_u8(7);
  EXPECT_FALSE(read_clustering_values(endless.bytes(), {column}));
}

TEST(Key, VarintsComeBackAsShortAsTheyCan) {
  const auto column = column_of(TypeId::kVarint);
  const auto back = [&](const Bytes& value) { return decode(column, encode(column, value)); };
  EXPECT_EQ(back({0, 0, 5}), Bytes{5});
  EXPECT_EQ(back({0xFF, 0x80}), Bytes{0x80});
  EXPECT_EQ(back({0, 0x80}), (Bytes{0, 0x80}));
  EXPECT_EQ(back({0}), Bytes{0});
}

TEST(Key, LongNumbersKeepTheirOrder) {
  const auto column = column_of(TypeId::kVarint);
  Bytes shorter(124, 0x7F);
  core::Buffer before = encode(column, shorter);
  for (size_t size = 125; size < 140; ++size) {
    core::Buffer encoded = encode(column, Bytes(size, 0x7F));
    EXPECT_GT(compare_keys(encoded, before), 0) << size;
    EXPECT_EQ(decode(column, encoded), Bytes(size, 0x7F));
    before = std::move(encoded);
  }
}

TEST(Key, RunsOfZerosOfAnyLengthComeBackInOrder) {
  const auto column = column_of(TypeId::kBlob);
  core::Buffer before = encode(column, {});
  for (size_t zeros = 1; zeros < 400; ++zeros) {
    core::Buffer encoded = encode(column, Bytes(zeros, 0));
    ASSERT_GT(compare_keys(encoded, before), 0) << zeros;
    ASSERT_EQ(decode(column, encoded), Bytes(zeros, 0));
    Bytes followed(zeros, 0);
    followed.push_back(1);
    ASSERT_GT(compare_keys(encode(column, followed), encoded), 0) << zeros;
    ASSERT_EQ(decode(column, encode(column, followed)), followed);
    before = std::move(encoded);
  }
}

core::Buffer row_key(int64_t token, const Bytes& partition_key, uint8_t entry = kRowEntry) {
  core::Buffer out;
  append_partition_prefix(out, token, partition_key);
  out.append_u8(entry);
  return out;
}

TEST(Key, OrdersByTokenThenPartitionKey) {
  core::Random random(11);
  RandomValues values(12);
  for (int i = 0; i < 5'000; ++i) {
    const auto token = [&] { return static_cast<int64_t>(random.next() << 62); };
    const int64_t a = token();
    const int64_t b = token();
    const Bytes a_key = values.next(TypeId::kBlob);
    const Bytes b_key = values.next(TypeId::kBlob);
    const int by_key = ReferenceOrder::compare(TypeId::kBlob, a_key, b_key);
    const int order = a != b ? (a < b ? -1 : 1) : by_key;
    ASSERT_EQ(compare_keys(row_key(a, a_key), row_key(b, b_key)), order);
  }
}

TEST(Key, PartsComeBack) {
  core::Buffer key = row_key(-5, {1, 0, 0, 2});
  const size_t prefix = key.size() - 1;
  key.append_u8(9);
  const KeyView view = read_key(key.bytes()).value();
  EXPECT_EQ(view.token, -5);
  EXPECT_EQ(view.partition_key, (Bytes{1, 0, 0, 2}));
  EXPECT_EQ(view.partition_prefix_size, prefix);
  EXPECT_EQ(view.entry, kRowEntry);
  EXPECT_EQ(protocol::to_bytes(view.clustering), Bytes{9});
}

TEST(Key, ThePartitionsEntryComesBeforeItsRowsAndBehindThePartitionBefore) {
  const core::Buffer entry = row_key(7, {5, 0}, kPartitionEntry);
  EXPECT_LT(compare_keys(entry, row_key(7, {5, 0})), 0);
  EXPECT_GT(compare_keys(entry, row_key(7, {5})), 0);
  EXPECT_LT(compare_keys(row_key(7, {5, 0}), row_key(7, {5, 0, 0}, kPartitionEntry)), 0);
}

TEST(Key, PlacesAroundAToken) {
  core::Buffer start;
  append_token_start(start, 7);
  core::Buffer end;
  ASSERT_TRUE(append_token_end(end, 7));
  EXPECT_LE(compare_keys(start, row_key(7, {}, kPartitionEntry)), 0);
  EXPECT_GT(compare_keys(start, row_key(6, Bytes(9, 0xFF))), 0);
  EXPECT_GT(compare_keys(end, row_key(7, Bytes(9, 0xFF))), 0);
  EXPECT_LE(compare_keys(end, row_key(8, {})), 0);
  EXPECT_FALSE(append_token_end(end, std::numeric_limits<int64_t>::max()));
}

TEST(Key, IncrementedPrefixIsAboveAllThatBeginWithIt) {
  core::Buffer key;
  key.append(std::string_view("ab"));
  key.append(Bytes{0x01, 0xFF, 0xFF});
  ASSERT_TRUE(increment_prefix(key, 2));
  EXPECT_EQ(protocol::to_bytes(key.bytes()), (Bytes{'a', 'b', 0x02}));
  core::Buffer last;
  last.append(Bytes{0x01, 0xFF, 0xFF});
  EXPECT_FALSE(increment_prefix(last, 1));
  EXPECT_FALSE(increment_prefix(last, 3));
}

TEST(Key, WhatIsNoKeyIsAnError) {
  EXPECT_THAT(read_key(Bytes(7, 1)).error().message, HasSubstr("damaged"));
  EXPECT_FALSE(read_key(Bytes(8, 1)).has_value());
  core::Buffer key = row_key(1, {1, 2, 3}, 0x01);
  EXPECT_FALSE(read_key(key.bytes()).has_value());
}

TEST(Key, EachCutIsAnError) {
  RandomValues values(13);
  for (const TypeId type : kTypes) {
    for (int i = 0; i < 200; ++i) {
      const auto column = column_of(type, i % 2 == 1);
      const core::Buffer encoded = encode(column, values.next(type));
      for (size_t size = 0; size < encoded.size(); ++size) {
        ASSERT_FALSE(read_clustering_values(encoded.bytes().first(size), {column}).has_value());
      }
      core::Buffer longer = encode(column, values.next(type));
      longer.append_u8(0);
      ASSERT_FALSE(read_clustering_values(longer.bytes(), {column}).has_value());
    }
  }
}

TEST(Key, AnyBytesAreRead) {
  core::Random random(14);
  for (int i = 0; i < 100'000; ++i) {
    Bytes bytes(random.below(24));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next() >> random.below(9));
    static_cast<void>(read_key(bytes));
    const auto column = column_of(kTypes[random.below(std::size(kTypes))], i % 2 == 1);
    const auto values = read_clustering_values(bytes, {column});
    if (!values) continue;
    // What is read can be written, and is read again as the same.
    const Bytes again = decode(column, encode(column, values->front()));
    if (column.type.id == TypeId::kDecimal) continue;
    EXPECT_EQ(ReferenceOrder::compare(column.type.id, again, values->front()), 0);
  }
}

}  // namespace
}  // namespace cqlperf::storage
