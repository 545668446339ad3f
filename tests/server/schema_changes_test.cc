#include "server/schema_changes.h"

#include <atomic>
#include <future>
#include <vector>

#include <gtest/gtest.h>

#include "server/limits.h"

namespace cqlperf::server {
namespace {

TEST(SchemaChanges, RunOneAfterTheOther) {
  std::vector<int> order;
  std::promise<void> done;
  SchemaChanges changes;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(changes.post([&order, i] { order.push_back(i); }));
  ASSERT_TRUE(changes.post([&] { done.set_value(); }));
  ASSERT_EQ(done.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(SchemaChanges, TooManyThatWaitAreRefused) {
  std::promise<void> started;
  std::promise<void> may_end;
  SchemaChanges changes;
  ASSERT_TRUE(changes.post([&] {
    started.set_value();
    may_end.get_future().wait();
  }));
  started.get_future().wait();
  for (size_t i = 0; i < kSchemaChangesWaitingMax; ++i) ASSERT_TRUE(changes.post([] {}));
  EXPECT_FALSE(changes.post([] {}));
  may_end.set_value();
}

TEST(SchemaChanges, StopDropsWhatWaits) {
  std::promise<void> started;
  std::promise<void> may_end;
  std::atomic<bool> has_run = false;
  SchemaChanges changes;
  ASSERT_TRUE(changes.post([&] {
    started.set_value();
    may_end.get_future().wait();
  }));
  started.get_future().wait();
  ASSERT_TRUE(changes.post([&] { has_run = true; }));
  std::thread stopper([&] { changes.stop(); });
  // Refused from the moment that stop() was called; only then may the first one end.
  while (changes.post([&] { has_run = true; })) std::this_thread::yield();
  may_end.set_value();
  stopper.join();
  EXPECT_FALSE(has_run);
}

}  // namespace
}  // namespace cqlperf::server
