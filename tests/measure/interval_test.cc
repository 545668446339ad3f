#include "measure/interval.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::measure {
namespace {

IntervalRow row_number(uint64_t number) {
  IntervalRow row;
  row.start_s = static_cast<double>(number);
  row.done = number;
  if (number % 2 == 0) row.response.p50_ns = static_cast<int64_t>(number) * 10;
  return row;
}

void expect_rows(const IntervalSpool& spool, uint64_t count) {
  EXPECT_EQ(spool.size(), count);
  uint64_t next = 0;
  const auto status = spool.for_each([&](const IntervalRow& row) {
    ASSERT_EQ(row.done, next);
    ASSERT_EQ(row.start_s, static_cast<double>(next));
    ASSERT_EQ(row.response.p50_ns, row_number(next).response.p50_ns);
    ++next;
  });
  EXPECT_TRUE(status);
  EXPECT_EQ(next, count);
}

class IntervalSpoolSize : public testing::TestWithParam<uint64_t> {};

TEST_P(IntervalSpoolSize, GivesBackEveryRowInOrder) {
  IntervalSpool spool(10);
  for (uint64_t i = 0; i < GetParam(); ++i) ASSERT_TRUE(spool.append(row_number(i)));
  expect_rows(spool, GetParam());
  expect_rows(spool, GetParam());  // reading changes nothing
}

INSTANTIATE_TEST_SUITE_P(Edges, IntervalSpoolSize,
                         testing::Values(0, 1, 9, 10, 11, 73, 74, 75, 1000));

TEST(IntervalSpool, AppendsAfterReading) {
  IntervalSpool spool(2);
  for (uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(spool.append(row_number(i)));
  expect_rows(spool, 5);
  for (uint64_t i = 5; i < 9; ++i) ASSERT_TRUE(spool.append(row_number(i)));
  expect_rows(spool, 9);
}

TEST(IntervalSpool, CanBeMoved) {
  IntervalSpool spool(2);
  for (uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(spool.append(row_number(i)));
  IntervalSpool moved(std::move(spool));
  expect_rows(moved, 5);
  IntervalSpool assigned(1);
  ASSERT_TRUE(assigned.append(row_number(0)));
  ASSERT_TRUE(assigned.append(row_number(1)));
  assigned = std::move(moved);
  expect_rows(assigned, 5);
}

TEST(IntervalSpool, SaysWhereItCannotWrite) {
  const char* before = std::getenv("TMPDIR");
  const std::string saved = before != nullptr ? before : "";
  setenv("TMPDIR", "/nonexistent", 1);
  IntervalSpool spool(1);
  EXPECT_TRUE(spool.append(row_number(0)));
  const auto status = spool.append(row_number(1));
  before != nullptr ? setenv("TMPDIR", saved.c_str(), 1) : unsetenv("TMPDIR");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, core::ErrorCode::kIo);
  EXPECT_THAT(status.error().message, testing::HasSubstr("/nonexistent: No such file"));
  expect_rows(spool, 1);
}

}  // namespace
}  // namespace cqlperf::measure
