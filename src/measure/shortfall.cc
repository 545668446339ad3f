#include "measure/shortfall.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.h"

namespace cqlperf::measure {

namespace {

using core::format_count;
using core::format_duration_ns;
using core::format_rate;

constexpr double kTolerance = 0.01;
// A worker that uses this share of its core has no time left for more: the rest goes into waking
// up.
constexpr double kBusyCpu = 0.9;
// Shares of the measured time below this cannot explain a shortfall of over 1 %.
constexpr double kMinShare = 0.005;

bool reaches(double rate, const ShortfallInput& input) {
  return rate >= input.asked_rate * (1 - kTolerance);
}

double per_second(uint64_t count, const ShortfallInput& input) {
  return input.measured_seconds > 0 ? static_cast<double>(count) / input.measured_seconds : 0;
}

ShortfallCause find_cause(const ShortfallInput& input) {
  if (input.gave_up) return ShortfallCause::kNoAnswers;
  if (input.asked_rate <= 0 || input.measured_seconds <= 0) return ShortfallCause::kNone;
  // One operation more or less is how a short schedule ends.
  const double difference = std::abs(input.achieved_rate - input.asked_rate);
  if (difference * input.measured_seconds <= 1) return ShortfallCause::kNone;
  if (input.achieved_rate > input.asked_rate * (1 + kTolerance)) return ShortfallCause::kBacklog;
  if (reaches(input.achieved_rate, input)) return ShortfallCause::kNone;
  // What accounts for the whole difference by itself comes first.
  const double errors_rate = per_second(input.errors, input);
  if (reaches(input.achieved_rate + errors_rate, input)) return ShortfallCause::kServerErrors;
  // So does a server that answers with errors only, and makes the rest of the load wait.
  if (input.achieved_rate == 0 && input.errors > 0) return ShortfallCause::kServerErrors;
  // Without a connection nothing else can be judged. A client without CPU time also lets the window
  // fill, since it does not come to reading answers: so CPU comes before the window.
  if (input.not_ready_share > std::max(kMinShare, input.window_full_share)) {
    return ShortfallCause::kNotConnected;
  }
  if (!input.busy_polling && input.busiest_worker_cpu >= kBusyCpu) {
    return ShortfallCause::kClientCpu;
  }
  const double in_flight_rate = per_second(input.in_flight_at_end, input);
  if (input.window_full_share > kMinShare) return ShortfallCause::kWindowFull;
  if (reaches(input.achieved_rate + errors_rate + in_flight_rate, input)) {
    return ShortfallCause::kUnfinished;
  }
  return input.errors > 0 ? ShortfallCause::kServerErrors : ShortfallCause::kUnknown;
}

std::string window_advice(const ShortfallInput& input) {
  const std::string seen = fmt::format(
      "all {} operations that --parallelism allows were in flight for {:.0f} % of the "
      "time",
      format_count(static_cast<int64_t>(input.parallelism)), input.window_full_share * 100);
  if (!input.mean_service_ns) return seen + ", and none was answered; look at the server";
  const double needed = std::ceil(input.asked_rate * *input.mean_service_ns / 1e9);
  const std::string law = fmt::format(
      "{} at a mean service time of {} needs {} in flight", format_rate(input.asked_rate),
      format_duration_ns(*input.mean_service_ns), format_count(static_cast<int64_t>(needed)));
  if (needed > static_cast<double>(input.parallelism)) {
    return fmt::format(
        "{}; {} (rate x time): set --parallelism to that or more, or ask for less when the server "
        "is at its limit",
        seen, law);
  }
  return fmt::format(
      "{}; {} on average (rate x time), so the server stalled now and then: look at "
      "its pauses, or set --parallelism higher to ride them out",
      seen, law);
}

std::string explain_cause(ShortfallCause cause, const ShortfallInput& input) {
  switch (cause) {
    case ShortfallCause::kNone:
      return {};
    case ShortfallCause::kWindowFull:
      return window_advice(input);
    case ShortfallCause::kClientCpu:
      return fmt::format(
          "this program was the limit: its busiest worker used {:.0f} % of a core; "
          "give it more --threads on idle cores, or run it on another machine than "
          "the server",
          input.busiest_worker_cpu * 100);
    case ShortfallCause::kServerErrors:
      return fmt::format("{} operations ({}) failed; see the errors by kind",
                         format_count(static_cast<int64_t>(input.errors)),
                         format_rate(per_second(input.errors, input)));
    case ShortfallCause::kNotConnected:
      return fmt::format(
          "operations waited for a connection for {:.0f} % of the time; look at the "
          "server and at the errors by kind",
          input.not_ready_share * 100);
    case ShortfallCause::kUnfinished:
      return fmt::format(
          "{} operations were still in flight when the time was over; run longer, or "
          "look at why the server answers late",
          format_count(static_cast<int64_t>(input.in_flight_at_end)));
    case ShortfallCause::kNoAnswers:
      return "the run gave up, since the server had answered nothing for long; see the errors by "
             "kind";
    case ShortfallCause::kBacklog:
      return "operations that came due before the measured time were answered in it; use a longer "
             "run, or a warm-up at a rate that the server can follow";
    case ShortfallCause::kUnknown:
      return fmt::format(
          "no cause was seen in the program ({} operations skipped, worst loop lag "
          "{}); look for other load on this machine",
          format_count(static_cast<int64_t>(input.skipped)),
          format_duration_ns(static_cast<double>(input.lag_max_ns)));
  }
  return {};
}

}  // namespace

std::string_view shortfall_name(ShortfallCause cause) {
  switch (cause) {
    case ShortfallCause::kNone:
      return "none";
    case ShortfallCause::kWindowFull:
      return "window_full";
    case ShortfallCause::kClientCpu:
      return "client_cpu";
    case ShortfallCause::kServerErrors:
      return "server_errors";
    case ShortfallCause::kNotConnected:
      return "not_connected";
    case ShortfallCause::kUnfinished:
      return "unfinished";
    case ShortfallCause::kNoAnswers:
      return "no_answers";
    case ShortfallCause::kBacklog:
      return "backlog";
    case ShortfallCause::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Shortfall explain_shortfall(const ShortfallInput& input) {
  const ShortfallCause cause = find_cause(input);
  if (cause == ShortfallCause::kNone) return {};
  if (cause == ShortfallCause::kNoAnswers) return {cause, explain_cause(cause, input)};
  return {cause, fmt::format("{} was asked and {} achieved: {}", format_rate(input.asked_rate),
                             format_rate(input.achieved_rate), explain_cause(cause, input))};
}

}  // namespace cqlperf::measure
