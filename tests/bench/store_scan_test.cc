#include "bench/store_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store_task_fixture.h"

namespace cqlperf::bench {
namespace {

using testing::ElementsAre;

class ScanTaskTest : public StoreTaskTest {
 protected:
  static constexpr int64_t kKeys = 10;

  ScanTaskTest() {
    completions_.set_turn([this](int64_t) { ++turns_; });
  }

  ScanTask scan(uint64_t ranges, ScanTask::Config config = {.page_bytes = 1000}) {
    ranges_ = split_ring(ranges);
    return {config, ranges_, values_, ledger_, kWindow, tally_};
  }

  std::vector<uint8_t> value(int64_t key) const {
    core::Buffer out;
    values_.append_head(key, out);
    out.append(values_.tail(key));
    return {out.bytes().begin(), out.bytes().end()};
  }
  // A page with these rows; `state`: of the next page, if there is one.
  std::vector<uint8_t> page(const std::vector<std::pair<int64_t, std::vector<uint8_t>>>& rows,
                            std::string_view state = {}) {
    core::Buffer out;
    protocol::RowsMetadata metadata;
    metadata.column_count = 2;
    if (!state.empty()) metadata.paging_state = protocol::Bytes(state.begin(), state.end());
    const size_t start = protocol::begin_rows(out, protocol::Version::kV4, metadata);
    for (const auto& [key, bytes] : rows) {
      out.append_i32(8);
      out.append_i64(key);
      out.append_i32(static_cast<int32_t>(bytes.size()));
      out.append(bytes);
    }
    protocol::end_rows(out, start, static_cast<int32_t>(rows.size()));
    return {out.bytes().begin(), out.bytes().end()};
  }
  std::vector<uint8_t> good_page(int64_t first, int64_t end, std::string_view state = {}) {
    std::vector<std::pair<int64_t, std::vector<uint8_t>>> rows;
    for (int64_t key = first; key < end; ++key) rows.emplace_back(key, value(key));
    return page(rows, state);
  }

  workload::StoreValues values_{{.value_bytes = 100}};
  RowLedger ledger_{kKeys};
  StoreTally tally_;
  std::vector<TokenSpan> ranges_;
  int turns_ = 0;
};

TEST_F(ScanTaskTest, ARangeIsReadToItsEndPageByPage) {
  ScanTask task = scan(1);
  uint32_t slot = start(task);
  EXPECT_TRUE(task.page_of(slot).state.empty());
  EXPECT_EQ(task.page_of(slot).rows, 8) << "1000 bytes of rows of 116";
  succeed(task, slot, good_page(0, 6, "next"));
  EXPECT_EQ(turns_, 1) << "the next page is asked for before this one is looked at";
  ASSERT_EQ(left(task), 1u);
  slot = start(task);
  const auto state = task.page_of(slot).state;
  EXPECT_EQ(std::string(state.begin(), state.end()), "next");
  succeed(task, slot, good_page(6, kKeys));
  EXPECT_EQ(left(task), 0u);
  EXPECT_EQ(turns_, 1);
  const auto findings = task.findings();
  EXPECT_TRUE(findings.verification.ok());
  EXPECT_TRUE(findings.missing_ranges.empty());
  EXPECT_EQ(findings.pages, 2u);
  EXPECT_EQ(ledger_.unmarked().count, 0u);
  EXPECT_EQ(tally_.keys, 10u);
  EXPECT_EQ(tally_.bytes, 1000u);
}

TEST_F(ScanTaskTest, BindsTheEndsOfEachRange) {
  ScanTask task = scan(2);
  EXPECT_EQ(task.operations(), 2u);
  start(task);
  const core::Buffer out = values(task, start(task));
  ASSERT_EQ(out.size(), 24u);
  EXPECT_EQ(out.data()[3], 8);
  EXPECT_EQ(out.data()[16], 0x7f) << "the last token of the ring";
}

TEST_F(ScanTaskTest, ARangeThatWasBegunGoesOnBeforeOthersBegin) {
  ScanTask task = scan(5);
  const uint32_t slot = start(task);
  succeed(task, slot, good_page(0, 1, "more"));
  EXPECT_FALSE(task.page_of(start(task)).state.empty());
  EXPECT_TRUE(task.page_of(start(task)).state.empty());
}

TEST_F(ScanTaskTest, FaultsAreToldApart) {
  ScanTask task = scan(1);
  auto short_value = value(1);
  short_value.pop_back();
  auto wrong_value = value(2);
  wrong_value[50] ^= 1;
  succeed(task, start(task),
          page({{0, value(0)},
                {1, short_value},
                {2, wrong_value},
                {3, value(4)},
                {0, value(0)},
                {kKeys, value(kKeys)},
                {-1, {}}}));
  const auto found = task.findings().verification;
  EXPECT_THAT(found.short_row.first_keys, ElementsAre(1));
  EXPECT_THAT(found.wrong.first_keys, ElementsAre(2, 3));
  EXPECT_THAT(found.extra.first_keys, ElementsAre(-1, 0, kKeys));
  EXPECT_THAT(ledger_.unmarked().first_keys, ElementsAre(4, 5, 6, 7, 8));
  EXPECT_EQ(ledger_.unmarked().count, 6u);
}

TEST_F(ScanTaskTest, WithoutVerifyingKeysAreCountedAllTheSame) {
  ScanTask task = scan(1, {.page_bytes = 1000, .verify = false});
  succeed(task, start(task), page({{0, {}}, {1, value(3)}, {11, {}}}));
  const auto found = task.findings().verification;
  EXPECT_EQ(found.wrong.count + found.short_row.count, 0u);
  EXPECT_EQ(found.extra.count, 1u);
  EXPECT_EQ(ledger_.unmarked().count, 8u);
}

TEST_F(ScanTaskTest, InATableThatShouldBeEmptyEveryRowIsExtra) {
  ScanTask task = scan(1, {.page_bytes = 1000, .expect_rows = false});
  succeed(task, start(task), good_page(0, 2));
  EXPECT_EQ(task.findings().verification.extra.count, 2u);
}

TEST_F(ScanTaskTest, APageThatTimesOutIsAskedForAgainSmaller) {
  ScanTask task = scan(1);
  succeed(task, start(task), good_page(0, 5, "next"));
  uint32_t slot = start(task);
  const int32_t rows = task.page_of(slot).rows;
  fail(task, slot, "ReadTimeout");
  ASSERT_EQ(left(task), 1u);
  slot = start(task);
  EXPECT_EQ(task.page_of(slot).rows, rows / 2);
  EXPECT_FALSE(task.page_of(slot).state.empty()) << "the same page";
  succeed(task, slot, good_page(5, kKeys));
  EXPECT_TRUE(task.findings().missing_ranges.empty());
  EXPECT_EQ(tally_.retried, 1u);
}

TEST_F(ScanTaskTest, ARangeThatCannotBeReadIsNamedAndTheOthersGoOn) {
  ScanTask task = scan(2);
  const uint32_t other = start(task);
  for (uint32_t i = 0; i < kStoreAttemptsMax; ++i) fail(task, start(task), "ReadTimeout");
  succeed(task, other, good_page(0, kKeys));
  EXPECT_EQ(left(task), 0u);
  EXPECT_FALSE(completions_.stopped());
  const auto missing = task.findings().missing_ranges;
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].after, ranges_[1].after);
  EXPECT_EQ(missing[0].up_to, ranges_[1].up_to);
  EXPECT_EQ(missing[0].reason, "ReadTimeout: no");
}

TEST_F(ScanTaskTest, WhatTheServerCallsInvalidEndsTheRead) {
  ScanTask task = scan(3);
  fail(task, start(task), protocol::error_name(0x2200));
  EXPECT_TRUE(completions_.stopped());
  EXPECT_EQ(task.findings().missing_ranges.size(), 3u);
  EXPECT_EQ(task.findings().missing_ranges[1].reason, "it was not reached");
}

TEST_F(ScanTaskTest, ARangeThatWasBegunSaysSo) {
  ScanTask task = scan(2);
  succeed(task, start(task), good_page(0, 1, "more"));
  EXPECT_EQ(task.findings().missing_ranges[0].reason, "it was begun");
  EXPECT_EQ(task.findings().missing_ranges[1].reason, "it was not reached");
}

TEST_F(ScanTaskTest, AnAnswerThatIsNoPageIsAFailure) {
  ScanTask task = scan(1);
  succeed(task, start(task), void_result());
  EXPECT_EQ(left(task), 1u);
  EXPECT_EQ(task.findings().pages, 0u);
}

}  // namespace
}  // namespace cqlperf::bench
