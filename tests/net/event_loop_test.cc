#include "net/event_loop.h"

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/clock.h"

namespace cqlperf::net {
namespace {

using core::kNanosPerMilli;
using core::kNanosPerSecond;

// An event descriptor that is ready for as long as it is not drained.
class ReadySource final : public EventHandler {
 public:
  ReadySource(EventLoop& loop, std::function<void(uint32_t)> action)
      : loop_(loop), action_(std::move(action)), fd_(eventfd(1, EFD_NONBLOCK)) {
    loop_.watch(fd_, EPOLLIN, *this);
  }
  ~ReadySource() {
    if (watched_) unwatch();
    close(fd_);
  }
  void unwatch() {
    loop_.unwatch(fd_);
    watched_ = false;
  }
  int fd() const { return fd_; }
  void on_events(uint32_t events) override { action_(events); }

 private:
  EventLoop& loop_;
  std::function<void(uint32_t)> action_;
  int fd_;
  bool watched_ = true;
};

int64_t soon_ns() { return core::steady_clock().now_ns() + 5 * kNanosPerSecond; }

TEST(EventLoop, TellsReadinessUntilItIsTaken) {
  EventLoop loop;
  int calls = 0;
  ReadySource source(loop, [&](uint32_t events) {
    EXPECT_TRUE(events & EPOLLIN);
    calls++;
  });
  EXPECT_EQ(loop.poll(soon_ns()), 1);
  EXPECT_EQ(loop.poll(soon_ns()), 1);
  EXPECT_EQ(calls, 2);
}

TEST(EventLoop, ReturnsAtOnceWhenTheDeadlineHasPassed) {
  EventLoop loop;
  EXPECT_EQ(loop.poll(kPollNow), 0);
  EXPECT_EQ(loop.poll(loop.now_ns()), 0);
  EXPECT_EQ(loop.poll(-1), 0);
}

TEST(EventLoop, SleepsUntilTheDeadlineAndNoShorter) {
  EventLoop loop;
  const int64_t deadline_ns = core::steady_clock().now_ns() + 3 * kNanosPerMilli;
  EXPECT_EQ(loop.poll(deadline_ns), 0);
  EXPECT_GE(loop.now_ns(), deadline_ns);
}

TEST(EventLoop, ModifyChangesWhatIsWaitedFor) {
  EventLoop loop;
  uint32_t seen = 0;
  ReadySource source(loop, [&](uint32_t events) { seen = events; });
  loop.modify(source.fd(), EPOLLOUT);
  EXPECT_EQ(loop.poll(soon_ns()), 1);
  EXPECT_EQ(seen, uint32_t{EPOLLOUT});
}

TEST(EventLoop, AHandlerDestroyedInTheSameBatchIsNotCalled) {
  EventLoop loop;
  std::vector<std::unique_ptr<ReadySource>> sources;
  int calls = 0;
  for (int i = 0; i < 2; i++)
    sources.push_back(std::make_unique<ReadySource>(loop, [&, i](uint32_t) {
      calls++;
      sources[static_cast<size_t>(1 - i)].reset();
    }));
  EXPECT_EQ(loop.poll(soon_ns()), 2);
  EXPECT_EQ(calls, 1);
}

TEST(EventLoop, AnEventOfTheOldWatchDoesNotReachTheNewOneOfTheSameDescriptor) {
  EventLoop loop;
  int old_calls = 0;
  int new_calls = 0;
  ReadySource target(loop, [&](uint32_t) { old_calls++; });
  struct Counting final : EventHandler {
    explicit Counting(int& calls_in) : calls(calls_in) {}
    void on_events(uint32_t) override { calls++; }
    int& calls;
  } replacement(new_calls);
  bool replaced = false;
  const auto replace = [&](uint32_t) {
    if (replaced) return;
    replaced = true;
    target.unwatch();
    loop.watch(target.fd(), EPOLLIN, replacement);
  };
  ReadySource before(loop, replace);
  loop.unwatch(target.fd());  // so that `before` comes first in the ready list
  loop.watch(target.fd(), EPOLLIN, target);
  EXPECT_EQ(loop.poll(soon_ns()), 2);
  EXPECT_EQ(old_calls, 0);
  EXPECT_EQ(new_calls, 0);
  loop.poll(soon_ns());
  EXPECT_EQ(new_calls, 1);
  loop.unwatch(target.fd());
}

TEST(EventLoop, TimersFireInOrderOnceTheyAreDue) {
  EventLoop loop;
  std::vector<int> order;
  const int64_t now_ns = loop.refresh_now();
  loop.call_at(now_ns + 2, [&] { order.push_back(2); });
  loop.call_at(now_ns + 1, [&] { order.push_back(1); });
  loop.call_at(now_ns + 2, [&] { order.push_back(3); });
  loop.call_at(now_ns + 3600 * kNanosPerSecond, [&] { order.push_back(4); });
  EXPECT_EQ(loop.next_timer_ns(), now_ns + 1);
  while (order.size() < 3) loop.poll(soon_ns());
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
  EXPECT_EQ(loop.next_timer_ns(), now_ns + 3600 * kNanosPerSecond);
}

TEST(EventLoop, PollDoesNotSleepPastATimer) {
  EventLoop loop;
  bool fired = false;
  loop.call_at(loop.refresh_now() + kNanosPerMilli, [&] { fired = true; });
  loop.poll(kPollForever);
  EXPECT_TRUE(fired);
}

TEST(EventLoop, ACancelledTimerDoesNotFire) {
  EventLoop loop;
  bool fired = false;
  const TimerId timer = loop.call_at(loop.now_ns(), [&] { fired = true; });
  loop.cancel(timer);
  loop.cancel(timer);
  loop.cancel(kNoTimer);
  EXPECT_EQ(loop.next_timer_ns(), kPollForever);
  loop.poll(kPollNow);
  EXPECT_FALSE(fired);
}

TEST(EventLoop, CancellingAFiredTimerLeavesItsSuccessorAlone) {
  EventLoop loop;
  int fired = 0;
  const TimerId first = loop.call_at(loop.now_ns(), [&] { fired++; });
  loop.poll(kPollNow);
  const TimerId second = loop.call_at(loop.now_ns(), [&] { fired++; });
  EXPECT_NE(first, second);
  loop.cancel(first);
  loop.poll(kPollNow);
  EXPECT_EQ(fired, 2);
}

TEST(EventLoop, ATimerThatSetsItselfAgainDoesNotHoldTheLoop) {
  EventLoop loop;
  int fired = 0;
  std::function<void()> again = [&] {
    fired++;
    loop.call_at(loop.now_ns(), again);
  };
  again();
  loop.poll(kPollForever);
  EXPECT_EQ(fired, 2);
  loop.poll(kPollForever);
  EXPECT_EQ(fired, 3);
}

TEST(EventLoop, ACallbackMayCancelAnotherTimerThatIsDue) {
  EventLoop loop;
  bool fired = false;
  TimerId other = kNoTimer;
  loop.call_at(loop.now_ns(), [&] { loop.cancel(other); });
  other = loop.call_at(loop.now_ns(), [&] { fired = true; });
  loop.poll(kPollNow);
  EXPECT_FALSE(fired);
}

TEST(EventLoop, ManyCancelledTimersDoNotDisturbTheOthers) {
  EventLoop loop;
  int fired = 0;
  const int64_t later_ns = loop.now_ns() + 1000 * kNanosPerSecond;
  for (int i = 0; i < 1000; i++) {
    loop.cancel(loop.call_at(later_ns + i, [&] { fired = -1; }));
    if (i % 100 == 0) loop.call_at(loop.now_ns(), [&] { fired++; });
  }
  loop.poll(kPollNow);
  EXPECT_EQ(fired, 10);
  EXPECT_EQ(loop.next_timer_ns(), kPollForever);
}

TEST(EventLoop, WakeEndsAWaitOfAnotherThread) {
  EventLoop loop;
  std::thread waker([&] { loop.wake(); });
  EXPECT_EQ(loop.poll(soon_ns()), 1);
  waker.join();
  EXPECT_EQ(loop.poll(kPollNow), 0);
}

TEST(EventLoop, MayBeHandedToAnotherThread) {
  EventLoop loop;
  int fired = 0;
  loop.call_at(loop.now_ns(), [&] { fired++; });
  std::thread([&] { loop.poll(kPollNow); }).join();
  loop.call_at(loop.now_ns(), [&] { fired++; });
  loop.poll(kPollNow);
  EXPECT_EQ(fired, 2);
}

}  // namespace
}  // namespace cqlperf::net
