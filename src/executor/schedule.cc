#include "executor/schedule.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/check.h"

namespace cqlperf::executor {

uint64_t Schedule::operations_before(int64_t offset_ns) const {
  CQLPERF_CHECK(!closed_loop(), "the closed loop has no due times");
  if (offset_ns <= 0) return 0;
  const double guess = std::ceil(static_cast<double>(offset_ns) / period_ns_);
  if (guess > static_cast<double>(kOperationsMax)) return kOperationsMax;
  // The guess is a few units off at most, from the rounding of three floating-point operations.
  auto count = static_cast<uint64_t>(guess);
  while (count > 0 && due_offset_ns(count - 1) >= offset_ns) --count;
  while (count < kOperationsMax && due_offset_ns(count) < offset_ns) ++count;
  return count;
}

uint32_t window_share(uint32_t parallelism, Stripe stripe) {
  return parallelism / stripe.workers + (stripe.worker < parallelism % stripe.workers ? 1 : 0);
}

core::Result<uint64_t> operations_of_runs(double rate, uint64_t runs) {
  CQLPERF_CHECK(rate > 0, "runs of the closed loop have no fixed number of operations");
  if (static_cast<double>(runs) * rate > static_cast<double>(kOperationsMax)) {
    return core::fail(core::ErrorCode::kUsage,
                      fmt::format("{} runs at {}/s are more than {} operations: ask for fewer runs "
                                  "or a lower rate",
                                  runs, rate, kOperationsMax));
  }
  const double seconds = std::min(static_cast<double>(runs), 9e9);
  return Schedule(rate).operations_before(static_cast<int64_t>(seconds) * core::kNanosPerSecond);
}

}  // namespace cqlperf::executor
