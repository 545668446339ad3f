#include "executor/plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.h"

namespace cqlperf::executor {
namespace {

constexpr double kRateMin = 1e-6;
constexpr double kRateMax = 1e9;
constexpr int64_t kDurationMaxNs = 365LL * 24 * 3600 * core::kNanosPerSecond;

core::Status out_of_range(std::string_view what, std::string_view found, std::string_view range) {
  return core::fail(core::ErrorCode::kUsage,
                    fmt::format("{} is {}: must be {}", what, found, range));
}

core::Status check_duration(std::string_view what, int64_t value_ns, int64_t min_ns) {
  if (value_ns >= min_ns && value_ns <= kDurationMaxNs) return {};
  return out_of_range(what, fmt::format("{} ns", value_ns),
                      fmt::format("from {} ns to 365 days", min_ns));
}

core::Status check_load(const Plan& plan) {
  const bool paced = plan.rate >= kRateMin && plan.rate <= kRateMax;
  if (plan.rate != 0 && !paced)
    return out_of_range("the rate", fmt::format("{}/s", plan.rate), "0 or from 0.000001 to 10^9");
  if (plan.parallelism < 1 || plan.parallelism > kParallelismMax)
    return out_of_range("the parallelism", fmt::to_string(plan.parallelism),
                        fmt::format("from 1 to {}", kParallelismMax));
  if (plan.threads < 1 || plan.threads > kThreadsMax)
    return out_of_range("the number of threads", fmt::to_string(plan.threads),
                        fmt::format("from 1 to {}", kThreadsMax));
  return {};
}

core::Status check_end(const Plan& plan) {
  if (!plan.count && !plan.duration_ns)
    return core::fail(core::ErrorCode::kUsage, "a run needs an end: a count or a duration");
  if (plan.count && *plan.count > kOperationsMax)
    return out_of_range("the count", fmt::to_string(*plan.count), "at most 10^15");
  if (plan.duration_ns) return check_duration("the duration", *plan.duration_ns, 0);
  return {};
}

}  // namespace

core::Status validate(const Plan& plan) {
  if (auto status = check_load(plan); !status) return status;
  if (auto status = check_end(plan); !status) return status;
  if (auto status = check_duration("the late limit", plan.late_after_ns, 0); !status) return status;
  if (auto status = check_duration("the interval", plan.interval_ns, core::kNanosPerMilli); !status)
    return status;
  if (auto status = check_duration("the pacing tick", plan.pacing_tick_ns, 0); !status)
    return status;
  if (auto status = check_duration("the drain time-out", plan.drain_timeout_ns, 0); !status)
    return status;
  return check_duration("the stall time-out", plan.stall_timeout_ns, core::kNanosPerMilli);
}

uint32_t worker_count(const Plan& plan) { return std::min(plan.threads, plan.parallelism); }

uint64_t total_operations(const Plan& plan) {
  uint64_t total = plan.count.value_or(kOperationsMax);
  const Schedule schedule(plan.rate);
  if (plan.duration_ns && !schedule.closed_loop())
    total = std::min(total, schedule.operations_before(*plan.duration_ns));
  return total;
}

Plan warm_up_plan(const Plan& plan, int64_t duration_ns) {
  Plan warm_up = plan;
  warm_up.count.reset();
  warm_up.duration_ns = duration_ns;
  return warm_up;
}

}  // namespace cqlperf::executor
