#include "core/interrupt.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace cqlperf::core {
namespace {

constexpr int kExitInterrupted = 130;
constexpr std::chrono::milliseconds kLookEvery(50);
// One wish to stop may come as several signals: `timeout` signals the process and its group.
constexpr int64_t kSameWishNs = 100'000'000;

std::atomic<bool> interrupt_flag{false};
std::atomic<int64_t> first_signal_ns{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free,
              "used in a signal handler");

int64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void on_signal(int) {
  const int64_t at_ns = now_ns();
  if (!interrupt_flag.exchange(true))
    first_signal_ns.store(at_ns);
  else if (at_ns - first_signal_ns.load() > kSameWishNs)
    _exit(kExitInterrupted);
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
  // A closed pipe or socket, or a file at its limit, is an error of that write, not the end of the
  // process.
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

bool interrupted() { return interrupt_flag.load(std::memory_order_relaxed); }

void wait_unless_interrupted(int64_t nanos) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanos);
  for (auto now = std::chrono::steady_clock::now(); now < end && !interrupted();
       now = std::chrono::steady_clock::now())
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(end - now, kLookEvery));
}

void set_interrupted(bool value) { interrupt_flag.store(value); }

}  // namespace cqlperf::core
