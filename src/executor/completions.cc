#include "executor/completions.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace cqlperf::executor {
namespace {

constexpr int64_t kBackoffMinNs = core::kNanosPerMilli;
constexpr int64_t kBackoffMaxNs = core::kNanosPerSecond;

}  // namespace

Completions::Completions(uint32_t window, measure::Recorder& recorder, RunTracker* tracker)
    : recorder_(recorder),
      tracker_(tracker),
      started_(window),
      free_(std::bit_ceil(window)),
      free_mask_(std::bit_ceil(window) - 1),
      free_count_(window) {
  CQLPERF_CHECK(window > 0, "a window without slots");
  std::iota(free_.begin(), free_.begin() + window, 0);
}

void Completions::failed(uint32_t slot, const Failure& failure, int64_t done_ns) {
  const Started operation = take_back(slot);
  recorder_.record_failure(failure.kind, failure.message, operation.due_ns, done_ns);
  if (tracker_ != nullptr) tracker_->failed(operation.index);
  if (!failure.answered) ++unanswered_;
  // Failures that come during a pause were caused before it: one pause, one doubling.
  if (!failure.overloaded || done_ns < paused_until_ns_) return;
  backoff_ns_ = std::clamp(2 * backoff_ns_, kBackoffMinNs, kBackoffMaxNs);
  paused_until_ns_ = done_ns + backoff_ns_;
}

}  // namespace cqlperf::executor
