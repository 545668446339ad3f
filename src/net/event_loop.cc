#include "net/event_loop.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "core/check.h"
#include "core/clock.h"

namespace cqlperf::net {

namespace {

uint32_t slot_of(TimerId id) { return static_cast<uint32_t>(id); }
uint32_t generation_of(TimerId id) { return static_cast<uint32_t>(id >> 32); }

constexpr auto kLaterFirst = [](const auto& a, const auto& b) {
  return std::tie(a.at_ns, a.sequence) > std::tie(b.at_ns, b.sequence);
};

}  // namespace

EventLoop::EventLoop()
    : epoll_fd_(epoll_create1(EPOLL_CLOEXEC)), wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CQLPERF_CHECK(epoll_fd_ >= 0 && wake_fd_ >= 0,
                "cannot make an event loop: is the limit of open files (ulimit -n) reached?");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<uint32_t>(wake_fd_);
  CQLPERF_CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event) == 0, "cannot watch wake()");
  refresh_now();
}

EventLoop::~EventLoop() {
  ::close(wake_fd_);
  ::close(epoll_fd_);
}

int64_t EventLoop::refresh_now() {
  now_ns_ = core::steady_clock().now_ns();
  return now_ns_;
}

void EventLoop::watch(int fd, uint32_t events, EventHandler& handler) {
  const auto index = static_cast<size_t>(fd);
  if (index >= watches_.size()) watches_.resize(index + 1);
  Watch& watch = watches_[index];
  CQLPERF_CHECK(watch.handler == nullptr, "the descriptor is watched already");
  watch.handler = &handler;
  epoll_event event{};
  event.events = events;
  event.data.u64 = (uint64_t{watch.generation} << 32) | index;
  CQLPERF_CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0, "epoll cannot add this");
}

void EventLoop::modify(int fd, uint32_t events) {
  const auto index = static_cast<size_t>(fd);
  CQLPERF_CHECK(index < watches_.size() && watches_[index].handler,
                "the descriptor is not watched");
  epoll_event event{};
  event.events = events;
  event.data.u64 = (uint64_t{watches_[index].generation} << 32) | index;
  CQLPERF_CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event) == 0, "epoll cannot modify this");
}

void EventLoop::unwatch(int fd) {
  const auto index = static_cast<size_t>(fd);
  CQLPERF_CHECK(index < watches_.size() && watches_[index].handler,
                "the descriptor is not watched");
  watches_[index].handler = nullptr;
  watches_[index].generation++;
  CQLPERF_CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr) == 0, "unwatch after close");
}

int EventLoop::poll(int64_t deadline_ns) {
  const int count = wait(std::min(deadline_ns, next_timer_ns()));
  refresh_now();
  for (int i = 0; i < count; i++) dispatch(events_[static_cast<size_t>(i)]);
  fire_timers();
  return count;
}

// The time is taken again before a sleep, since the turn that ends here may have been long.
int EventLoop::wait(int64_t deadline_ns) {
  timespec timeout{};
  if (deadline_ns > now_ns_ && deadline_ns > refresh_now()) {
    const int64_t left_ns = deadline_ns - now_ns_;
    timeout.tv_sec = left_ns / core::kNanosPerSecond;
    timeout.tv_nsec = left_ns % core::kNanosPerSecond;
  }
  const timespec* limit = deadline_ns == kPollForever ? nullptr : &timeout;
  const int count = epoll_pwait2(epoll_fd_, events_.data(), kEventsMax, limit, nullptr);
  CQLPERF_CHECK(count >= 0 || errno == EINTR, "epoll_pwait2 failed (it needs Linux 5.11)");
  return std::max(count, 0);
}

void EventLoop::dispatch(const epoll_event& event) {
  const auto index = static_cast<uint32_t>(event.data.u64);
  if (index == static_cast<uint32_t>(wake_fd_)) return drain_wake();
  const Watch& watch = watches_[index];
  const bool current = watch.generation == static_cast<uint32_t>(event.data.u64 >> 32);
  if (watch.handler && current) watch.handler->on_events(event.events);
}

void EventLoop::drain_wake() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_fd_, &count, sizeof count);
}

void EventLoop::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = ::write(wake_fd_, &one, sizeof one);
}

TimerId EventLoop::call_at(int64_t at_ns, std::function<void()> callback) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  TimerSlot& slot = slots_[index];
  slot.callback = std::move(callback);
  slot.pending = true;
  const TimerId id = (uint64_t{slot.generation} << 32) | index;
  heap_.push_back({at_ns, next_sequence_++, id});
  std::push_heap(heap_.begin(), heap_.end(), kLaterFirst);
  return id;
}

bool EventLoop::is_pending(TimerId id) const {
  const uint32_t index = slot_of(id);
  return index < slots_.size() && slots_[index].pending &&
         slots_[index].generation == generation_of(id);
}

void EventLoop::release_slot(TimerId id) {
  TimerSlot& slot = slots_[slot_of(id)];
  slot.callback = nullptr;
  slot.pending = false;
  slot.generation++;
  free_slots_.push_back(slot_of(id));
}

void EventLoop::cancel(TimerId timer) {
  if (!is_pending(timer)) return;
  release_slot(timer);
  cancelled_in_heap_++;
  if (cancelled_in_heap_ > heap_.size() / 2) drop_cancelled_timers();
}

void EventLoop::drop_cancelled_timers() {
  std::erase_if(heap_, [this](const TimerEntry& entry) { return !is_pending(entry.id); });
  std::make_heap(heap_.begin(), heap_.end(), kLaterFirst);
  cancelled_in_heap_ = 0;
}

void EventLoop::pop_timer() {
  std::pop_heap(heap_.begin(), heap_.end(), kLaterFirst);
  heap_.pop_back();
}

int64_t EventLoop::next_timer_ns() {
  while (!heap_.empty() && !is_pending(heap_.front().id)) {
    pop_timer();
    cancelled_in_heap_--;
  }
  return heap_.empty() ? kPollForever : heap_.front().at_ns;
}

// Timers that callbacks set have larger sequence numbers and wait for the next turn, so a timer
// that sets itself again for now cannot keep the loop here.
void EventLoop::fire_timers() {
  const uint64_t sequence_end = next_sequence_;
  while (next_timer_ns() <= now_ns_ && heap_.front().sequence < sequence_end) {
    const TimerId id = heap_.front().id;
    const std::function<void()> callback = std::move(slots_[slot_of(id)].callback);
    pop_timer();
    release_slot(id);
    callback();
  }
}

void set_precise_timers() { prctl(PR_SET_TIMERSLACK, 1UL); }

}  // namespace cqlperf::net
