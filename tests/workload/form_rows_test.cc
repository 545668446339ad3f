#include "workload/form_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace cqlperf::workload {
namespace {

std::string text(protocol::ByteView bytes) { return {bytes.begin(), bytes.end()}; }

TEST(FormRows, KeysAreTheirNumbersInTenDigits) {
  const FormRows rows({.rows = 1'000'000'000}, 0);
  FormRow row(rows);
  for (const auto& [key, expected] : std::initializer_list<std::pair<uint64_t, const char*>>{
           {0, "0000000000"}, {7, "0000000007"}, {999'999'999, "0999999999"}}) {
    row.set(key, false);
    EXPECT_EQ(text(row.key()), expected);
    EXPECT_EQ(rows.key_of(row.key()), key);
  }
}

TEST(FormRows, WhatIsNoKeyOfTheirsHasNoNumber) {
  const FormRows rows({.rows = 100}, 0);
  for (const std::string_view bytes :
       {"", "000000000", "00000000000", "000000000x", "0000000100", "          "})
    EXPECT_FALSE(rows.key_of(protocol::as_bytes(bytes))) << bytes;
  EXPECT_EQ(rows.key_of(protocol::as_bytes("0000000099")), 99u);
}

TEST(FormRows, ColumnNamesSortAsTheirNumbers) {
  EXPECT_EQ(FormRows({.columns = 5}, 0).column_names(),
            (std::vector<std::string>{"C0", "C1", "C2", "C3", "C4"}));
  const auto names = FormRows({.columns = 100}, 0).column_names();
  EXPECT_EQ(names.front(), "C00");
  EXPECT_EQ(names.back(), "C99");
  EXPECT_TRUE(std::ranges::is_sorted(names));
}

TEST(FormRows, ValuesAreAFunctionOfSeedKeyAndColumn) {
  std::set<std::string> values;
  for (const uint64_t seed : {1u, 2u}) {
    const FormRows rows({.seed = seed}, 0);
    FormRow row(rows);
    FormRow again(rows);
    for (uint64_t key = 0; key < 100; ++key) {
      row.set(key, true);
      again.set(key, true);
      for (uint32_t column = 0; column < 5; ++column) {
        EXPECT_EQ(row.value(column).size(), 34u);
        EXPECT_EQ(text(row.value(column)), text(again.value(column)));
        values.insert(text(row.value(column)));
      }
    }
  }
  EXPECT_EQ(values.size(), 1000u) << "each is different";
}

TEST(FormRows, TheIndexedColumnHasAsManyValuesAsWereAskedFor) {
  const FormRows rows({}, 50);
  FormRow row(rows);
  std::set<std::string> indexed;
  std::set<std::string> other;
  for (uint64_t key = 0; key < 5000; ++key) {
    row.set(key, true);
    indexed.insert(text(row.value(FormRows::kIndexedColumn)));
    other.insert(text(row.value(0)));
  }
  EXPECT_EQ(indexed.size(), 50u);
  EXPECT_EQ(other.size(), 5000u);
}

TEST(FormRows, ValuesOfAnySizeAreFilledToTheirEnd) {
  for (const uint32_t size : {1u, 7u, 8u, 9u, 1000u}) {
    const FormRows rows({.columns = 2, .value_bytes = size}, 0);
    FormRow row(rows);
    row.set(1, true);
    const std::string first = text(row.value(0));
    row.set(2, true);
    ASSERT_EQ(row.value(0).size(), size);
    EXPECT_NE(text(row.value(0)), first) << size;
  }
}

TEST(FormKeys, SerialOnesBeginAnew) {
  const FormKeys keys(FormKeys::Order::kSerial, 3, 1);
  for (uint64_t index = 0; index < 9; ++index) EXPECT_EQ(keys.key_of(index), index % 3);
}

TEST(FormKeys, UniformOnesMeetEveryRow) {
  const FormKeys keys(FormKeys::Order::kUniform, 10, 1);
  std::vector<int> met(10);
  for (uint64_t index = 0; index < 10'000; ++index) ++met.at(keys.key_of(index));
  for (const int count : met) EXPECT_NEAR(count, 1000, 150);
}

TEST(FormKeys, GaussianOnesHaveTheMeanAndDeviationOfTheOldTool) {
  constexpr uint64_t kRows = 1'000'000;
  constexpr uint64_t kDraws = 100'000;
  const FormKeys keys(FormKeys::Order::kGaussian, kRows, 1);
  double sum = 0;
  double squares = 0;
  for (uint64_t index = 0; index < kDraws; ++index) {
    const uint64_t key = keys.key_of(index);
    ASSERT_LT(key, kRows);
    const double distance = static_cast<double>(key) - kRows / 2.0;
    sum += distance;
    squares += distance * distance;
  }
  EXPECT_NEAR(sum / kDraws, 0, 1500);
  EXPECT_NEAR(std::sqrt(squares / kDraws), 100'000, 1500);
}

TEST(FormKeys, AreTheSameForTheSameSeedAndOthersForAnother) {
  for (const auto order : {FormKeys::Order::kUniform, FormKeys::Order::kGaussian}) {
    const FormKeys keys(order, 1 << 20, 1);
    const FormKeys same(order, 1 << 20, 1);
    const FormKeys other(order, 1 << 20, 2);
    int equal = 0;
    for (uint64_t index = 0; index < 100; ++index) {
      EXPECT_EQ(keys.key_of(index), same.key_of(index));
      equal += keys.key_of(index) == other.key_of(index);
    }
    EXPECT_LT(equal, 5);
  }
  EXPECT_EQ(FormKeys(FormKeys::Order::kGaussian, 1, 1).key_of(5), 0u) << "a single row";
}

}  // namespace
}  // namespace cqlperf::workload
