#include "bench/store_keys.h"

#include <gtest/gtest.h>

#include "store_task_fixture.h"

namespace cqlperf::bench {
namespace {

class KeyTaskTest : public StoreTaskTest {
 protected:
  KeyTask writer(int64_t first, int64_t step, int64_t keys) {
    return {KeyTask::Kind::kWrite, 0, first, step, keys, &values_, kWindow, tally_};
  }
  static int64_t key_in(const core::Buffer& values) {
    int64_t key = 0;
    for (size_t i = 4; i < 12; ++i) key = (key << 8) | values.data()[i];
    return key;
  }

  workload::StoreValues values_{{.value_bytes = 100}};
  StoreTally tally_;
};

TEST_F(KeyTaskTest, EveryKeyOfAllStripesIsWrittenOnce) {
  for (const int64_t workers : {1, 3, 7}) {
    std::vector<int> seen(20, 0);
    for (int64_t worker = 0; worker < workers; ++worker) {
      KeyTask task = writer(worker, workers, 20);
      for (uint64_t i = 0; i < task.operations(); ++i) {
        const uint32_t slot = start(task);
        ++seen[static_cast<size_t>(key_in(values(task, slot)))];
        succeed(task, slot, void_result());
      }
    }
    EXPECT_EQ(seen, std::vector<int>(20, 1));
  }
  EXPECT_EQ(tally_.keys, 60u);
  EXPECT_EQ(tally_.bytes, 6000u);
}

TEST_F(KeyTaskTest, MoreWorkersThanKeys) {
  EXPECT_EQ(writer(5, 8, 5).operations(), 0u);
  EXPECT_EQ(writer(4, 8, 5).operations(), 1u);
}

TEST_F(KeyTaskTest, WritesTheKeyAndTheWholeValue) {
  KeyTask task = writer(7, 1, 8);
  const core::Buffer out = values(task, start(task));
  ASSERT_EQ(out.size(), 4 + 8 + 4 + 100u);
  EXPECT_EQ(out.data()[15], 100);
  EXPECT_EQ(values_.check(7, out.bytes().subspan(16)), workload::ValueState::kOk);
}

TEST_F(KeyTaskTest, DeletesByKeyAlone) {
  KeyTask task(KeyTask::Kind::kDelete, 2, 0, 1, 1, nullptr, kWindow, tally_);
  const uint32_t slot = start(task);
  core::Buffer out;
  task.write_values(slot, out);
  EXPECT_EQ(out.size(), 12u);
  succeed(task, slot, void_result());
  EXPECT_EQ(tally_.keys, 1u);
  EXPECT_EQ(tally_.bytes, 0u);
}

TEST_F(KeyTaskTest, AFailedKeyIsSentAgain) {
  KeyTask task = writer(0, 1, 2);
  const uint32_t slot = start(task);
  fail(task, slot, "WriteTimeout");
  EXPECT_EQ(left(task), 2u);
  EXPECT_EQ(key_in(values(task, start(task))), 0);
  EXPECT_EQ(key_in(values(task, start(task))), 1);
  EXPECT_EQ(tally_.retried, 1u);
  EXPECT_FALSE(completions_.stopped());
}

TEST_F(KeyTaskTest, AKeyThatKeepsFailingEndsThePhaseAndIsNamed) {
  KeyTask task = writer(0, 1, 1);
  for (uint32_t i = 1; i < kStoreAttemptsMax; ++i) {
    fail(task, start(task), "WriteTimeout");
    ASSERT_FALSE(completions_.stopped()) << i;
  }
  fail(task, start(task), "WriteTimeout");
  EXPECT_TRUE(completions_.stopped());
  EXPECT_EQ(task.problem(), "key 0 could not be written: WriteTimeout: no");
}

TEST_F(KeyTaskTest, LostConnectionsAreNoAttempts) {
  KeyTask task = writer(0, 1, 1);
  for (uint32_t i = 0; i < 3 * kStoreAttemptsMax; ++i)
    fail(task, start(task), "ConnectionLost", false);
  EXPECT_FALSE(completions_.stopped());
  succeed(task, start(task), void_result());
  EXPECT_EQ(tally_.keys, 1u);
  EXPECT_EQ(left(task), 0u);
}

TEST_F(KeyTaskTest, WhatTheServerCallsInvalidIsNotSentAgain) {
  KeyTask task = writer(0, 1, 100);
  fail(task, start(task), protocol::error_name(0x2200));
  EXPECT_TRUE(completions_.stopped());
  EXPECT_NE(task.problem().find("key 0"), std::string::npos);
  EXPECT_EQ(tally_.retried, 0u);
}

TEST_F(KeyTaskTest, ARequestThatCouldNotBeSentComesNext) {
  KeyTask task = writer(0, 1, 3);
  task.take(0);
  task.put_back(0);
  EXPECT_EQ(key_in(values(task, start(task))), 0);
  EXPECT_EQ(key_in(values(task, start(task))), 1);
}

TEST_F(KeyTaskTest, AnAnswerThatIsNotVoidIsAFailure) {
  KeyTask task = writer(0, 1, 1);
  succeed(task, start(task), std::vector<uint8_t>{0, 0, 0, 2});
  EXPECT_EQ(tally_.keys, 0u);
  EXPECT_EQ(left(task), 1u);
}

}  // namespace
}  // namespace cqlperf::bench
