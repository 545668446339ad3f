#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <sys/epoll.h>

namespace cqlperf::net {

// What an EventLoop calls when a watched file descriptor is ready.
class EventHandler {
 public:
  // `events` is what epoll said: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR or a union of them.
  virtual void on_events(uint32_t events) = 0;

 protected:
  ~EventHandler() = default;
};

// Names one call_at(). Never reused while the loop lives; kNoTimer names none.
using TimerId = uint64_t;
inline constexpr TimerId kNoTimer = 0;

// Times that mean "as soon as it can" and "never" to EventLoop::poll().
inline constexpr int64_t kPollNow = 0;
inline constexpr int64_t kPollForever = std::numeric_limits<int64_t>::max();

// Waits for file descriptors (epoll, level-triggered) and timers of one thread. All times are
// CLOCK_MONOTONIC nanoseconds, those of core::steady_clock().
// Owner thread: one at a time; it may be handed to another thread between two polls. Only wake()
// may be called from elsewhere. Callbacks may watch, unwatch, set and cancel timers at will, and
// may destroy any handler that they have unwatched; they must not call poll().
// In the steady state nothing here allocates: the tables only grow to their largest size.
class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // The handler must live until unwatch(fd). A descriptor is watched at most once.
  void watch(int fd, uint32_t events, EventHandler& handler);
  void modify(int fd, uint32_t events);
  // After this the handler is not called again, not even for events that were already fetched.
  // Call it before the descriptor is closed.
  void unwatch(int fd);

  // Waits until a descriptor is ready, a timer is due, wake() is called or `deadline_ns` has
  // passed (it never sleeps when that is already so), takes the time, runs the handlers, then the
  // timers that are due. Returns how many descriptors were ready; 0 after a signal.
  int poll(int64_t deadline_ns);

  // The time as it was taken last: after each wait and at each refresh_now(). Costs nothing.
  int64_t now_ns() const { return now_ns_; }
  int64_t refresh_now();

  // Calls `callback` once from poll(), at `at_ns` or as soon after it as poll() runs. A timer that
  // a timer's callback sets fires in the next poll() at the earliest.
  TimerId call_at(int64_t at_ns, std::function<void()> callback);
  // Forgets a timer; one that has fired, was cancelled or is kNoTimer is ignored.
  void cancel(TimerId timer);
  // When the next timer is due; kPollForever without one.
  int64_t next_timer_ns();

  // Ends the current or the next wait. Any thread, and signal handlers.
  void wake();

 private:
  struct Watch {
    EventHandler* handler = nullptr;
    uint32_t generation = 0;
  };
  struct TimerSlot {
    std::function<void()> callback;
    uint32_t generation = 1;
    bool pending = false;
  };
  struct TimerEntry {
    int64_t at_ns;
    uint64_t sequence;
    TimerId id;
  };

  int wait(int64_t deadline_ns);
  void dispatch(const epoll_event& event);
  void drain_wake();
  void fire_timers();
  bool is_pending(TimerId id) const;
  void release_slot(TimerId id);
  void pop_timer();
  void drop_cancelled_timers();

  static constexpr int kEventsMax = 256;

  int epoll_fd_;
  int wake_fd_;
  int64_t now_ns_ = 0;
  uint64_t next_sequence_ = 0;
  // Indexed by descriptor. An event carries the generation of the watch that it belongs to, so an
  // event of a watch that has ended in the same batch is recognised and dropped.
  std::vector<Watch> watches_;
  std::vector<TimerSlot> slots_;
  std::vector<uint32_t> free_slots_;
  // A binary heap, the next one first. Cancelled timers stay until they come up or outnumber the
  // others.
  std::vector<TimerEntry> heap_;
  size_t cancelled_in_heap_ = 0;
  std::array<epoll_event, kEventsMax> events_;
};

// Asks the kernel to wake this thread as exactly as it can (timer slack 1 ns instead of 50 us); for
// threads that pace requests.
void set_precise_timers();

}  // namespace cqlperf::net
