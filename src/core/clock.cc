#include "core/clock.h"

#include <time.h>

namespace cqlperf::core {
namespace {

int64_t read_clock_ns(clockid_t id) {
  timespec value;
  clock_gettime(id, &value);
  return value.tv_sec * kNanosPerSecond + value.tv_nsec;
}

}  // namespace

int64_t SteadyClock::now_ns() const { return read_clock_ns(CLOCK_MONOTONIC); }

const Clock& steady_clock() {
  static const SteadyClock clock;
  return clock;
}

int64_t wall_clock_ns() { return read_clock_ns(CLOCK_REALTIME); }
int64_t process_cpu_ns() { return read_clock_ns(CLOCK_PROCESS_CPUTIME_ID); }
int64_t thread_cpu_ns() { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace cqlperf::core
