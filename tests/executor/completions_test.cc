#include "executor/completions.h"

#include <deque>

#include <gtest/gtest.h>

#include "measure/recorder.h"

namespace cqlperf::executor {
namespace {

class CompletionsTest : public ::testing::Test {
 protected:
  uint32_t start(Completions& completions, int64_t due_ns, int64_t sent_ns) {
    const uint32_t slot = completions.next_slot();
    completions.started({index_++, slot, due_ns}, sent_ns);
    return slot;
  }

  measure::SampleExchange exchange_{1, 2};
  measure::Recorder recorder_{exchange_, 0};
  uint64_t index_ = 0;
};

TEST_F(CompletionsTest, SlotsAreReusedFirstInFirstOut) {
  Completions completions(3, recorder_, nullptr);
  EXPECT_EQ(start(completions, 0, 0), 0u);
  EXPECT_EQ(start(completions, 0, 0), 1u);
  EXPECT_EQ(start(completions, 0, 0), 2u);
  EXPECT_TRUE(completions.full());
  completions.succeeded(1, 5);
  completions.succeeded(0, 6);
  EXPECT_EQ(completions.in_flight(), 1u);
  EXPECT_EQ(start(completions, 0, 7), 1u);
  EXPECT_EQ(start(completions, 0, 7), 0u);
}

TEST_F(CompletionsTest, AllSlotsGoRoundAnyNumberOfTimes) {
  for (const uint32_t window : {1u, 2u, 5u, 64u, 1000u}) {
    Completions completions(window, recorder_, nullptr);
    std::deque<uint32_t> in_flight;
    for (int i = 0; i < 5000; ++i) {
      if (completions.full()) {
        completions.succeeded(in_flight.front(), 1);
        in_flight.pop_front();
      }
      in_flight.push_back(start(completions, 0, 0));
      EXPECT_LT(in_flight.back(), window);
    }
    EXPECT_EQ(completions.in_flight(), window);
    EXPECT_EQ(completions.completed(), 5000 - window);
  }
}

TEST_F(CompletionsTest, TimesCountFromTheDueTimeAndFromTheSend) {
  Completions completions(1, recorder_, nullptr);
  const uint32_t slot = start(completions, 100, 150);
  completions.succeeded(slot, 400, 1);
  const measure::Latencies& latencies = recorder_.current().kinds[1];
  EXPECT_EQ(latencies.response.max_ns(), 300);
  EXPECT_EQ(latencies.service.max_ns(), 250);
  EXPECT_TRUE(recorder_.current().kinds[0].response.empty());
}

TEST_F(CompletionsTest, ManyOverloadedAnswersAtOnceAreOneStep) {
  Completions completions(100, recorder_, nullptr);
  for (int i = 0; i < 100; ++i) start(completions, 0, 0);
  for (uint32_t slot = 0; slot < 100; ++slot)
    completions.failed(slot, {"overloaded", "", true}, 10);
  EXPECT_EQ(completions.paused_until_ns(), 10 + core::kNanosPerMilli);
  EXPECT_EQ(recorder_.current().errors.total(), 100u);
}

TEST_F(CompletionsTest, AnEndThatWasReportedTwiceIsAFaultOfOurOwn) {
  Completions completions(2, recorder_, nullptr);
  const uint32_t slot = start(completions, 0, 0);
  completions.succeeded(slot, 1);
  EXPECT_DEATH(completions.succeeded(slot, 2), "not in flight");
  EXPECT_DEATH(completions.succeeded(7, 2), "not in flight");
}

}  // namespace
}  // namespace cqlperf::executor
