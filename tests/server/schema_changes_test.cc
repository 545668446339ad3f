#include "server/schema_changes.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/limits.h"

namespace cqlperf::server {
namespace {

TEST(SchemaChanges, RunOneAfterTheOther) {
  std::vector<int> order;
  std::promise<void> done;
  SchemaChanges changes;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(changes.post([&order, i](bool) { order.push_back(i); }));
  ASSERT_TRUE(changes.post([&](bool) { done.set_value(); }));
  ASSERT_EQ(done.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(SchemaChanges, TooManyThatWaitAreRefused) {
  std::promise<void> started;
  std::promise<void> may_end;
  SchemaChanges changes;
  ASSERT_TRUE(changes.post([&](bool) {
    started.set_value();
    may_end.get_future().wait();
  }));
  started.get_future().wait();
  for (size_t i = 0; i < kSchemaChangesWaitingMax; ++i) ASSERT_TRUE(changes.post([](bool) {}));
  EXPECT_FALSE(changes.post([](bool) {}));
  may_end.set_value();
}

TEST(SchemaChanges, StopRefusesWhatWaits) {
  std::promise<void> started;
  std::promise<void> may_end;
  std::atomic<bool> has_run = false;
  std::atomic<int> refused = 0;
  int accepted = 1;
  const auto waiting = [&](bool is_refused) {
    is_refused ? void(++refused) : void(has_run = true);
  };
  SchemaChanges changes;
  ASSERT_TRUE(changes.post([&](bool) {
    started.set_value();
    may_end.get_future().wait();
  }));
  started.get_future().wait();
  ASSERT_TRUE(changes.post(waiting));
  std::thread stopper([&] { changes.stop(); });
  // Refused from the moment that stop() was called; only then may the first one end. Posted slowly,
  // since more than so many that wait are refused too.
  for (; changes.post(waiting); ++accepted)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LT(accepted, static_cast<int>(kSchemaChangesWaitingMax));
  may_end.set_value();
  stopper.join();
  EXPECT_FALSE(has_run);
  EXPECT_EQ(refused, accepted) << "each has an answer";
}

}  // namespace
}  // namespace cqlperf::server
