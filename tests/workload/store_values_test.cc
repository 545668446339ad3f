#include "workload/store_values.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cqlperf::workload {
namespace {

std::vector<uint8_t> value_of(const StoreValues& values, int64_t key) {
  core::Buffer out;
  values.append_head(key, out);
  out.append(values.tail(key));
  return {out.bytes().begin(), out.bytes().end()};
}

TEST(StoreValues, EverySizeHasThatManyBytesAndPassesItsOwnCheck) {
  for (uint64_t size = 1; size <= 64; ++size) {
    const StoreValues values({.value_bytes = size});
    for (const int64_t key : {int64_t{0}, int64_t{1}, int64_t{1} << 30}) {
      const auto value = value_of(values, key);
      EXPECT_EQ(value.size(), size);
      EXPECT_EQ(values.check(key, value), ValueState::kOk) << size;
    }
  }
}

TEST(StoreValues, AnyOtherByteOrLengthIsFound) {
  const StoreValues values({.value_bytes = 100});
  const auto good = value_of(values, 7);
  for (size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] ^= 1;
    EXPECT_EQ(values.check(7, bad), ValueState::kWrong) << at;
  }
  EXPECT_EQ(values.check(7, std::span(good).first(99)), ValueState::kShort);
  EXPECT_EQ(values.check(7, {}), ValueState::kShort);
  auto longer = good;
  longer.push_back(0);
  EXPECT_EQ(values.check(7, longer), ValueState::kWrong);
  EXPECT_EQ(values.check(8, good), ValueState::kWrong) << "the value of another key";
}

TEST(StoreValues, KeysAndSeedsDiffer) {
  const StoreValues values({.value_bytes = 8});
  std::set<std::vector<uint8_t>> all;
  for (int64_t key = 0; key < 10'000; ++key) all.insert(value_of(values, key));
  EXPECT_EQ(all.size(), 10'000u);
  const StoreValues others({.value_bytes = 8, .seed = 2});
  EXPECT_NE(value_of(others, 1), value_of(values, 1));
  EXPECT_EQ(value_of(StoreValues({.value_bytes = 8}), 1), value_of(values, 1));
}

// The share of bytes in runs, which is what compresses away.
double share_of_runs(const std::vector<uint8_t>& bytes) {
  size_t same = 0;
  for (size_t at = 1; at < bytes.size(); ++at) same += bytes[at] == bytes[at - 1];
  return static_cast<double>(same) / static_cast<double>(bytes.size());
}

TEST(StoreValues, TheShareThatCompressesIsAsAsked) {
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    const StoreValues values({.value_bytes = 64 << 10, .compressible = share});
    EXPECT_NEAR(share_of_runs(value_of(values, 3)), share, 0.02) << share;
  }
}

}  // namespace
}  // namespace cqlperf::workload
