#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cqlperf::measure {

// Why the achieved rate differs from the asked one.
enum class ShortfallCause {
  kNone,          // no rate was asked, or it was met within 1 %
  kWindowFull,    // parallelism did not allow for more
  kClientCpu,     // this program had no CPU time left
  kServerErrors,  // operations were sent in time, but failed
  kNotConnected,  // there was no connection to send on
  kUnfinished,    // operations were still in flight when the time was over
  kNoAnswers,     // the run was given up, since the server answered nothing any more
  kBacklog,       // faster than asked: operations from before the measured time were caught up
  kUnknown,       // none of the above was seen
};

// A stable name for machine-readable output: "none", "window_full", "client_cpu", "server_errors",
// "not_connected", "unfinished", "no_answers", "backlog", "unknown".
std::string_view shortfall_name(ShortfallCause cause);

struct Shortfall {
  ShortfallCause cause = ShortfallCause::kNone;
  std::string sentence;  // for people: what was seen and what to change; empty for kNone
};

struct ShortfallInput {
  double asked_rate = 0;  // 0: none was asked
  double achieved_rate = 0;
  double measured_seconds = 0;
  uint64_t errors = 0;
  uint64_t skipped = 0;
  uint64_t in_flight_at_end = 0;
  uint64_t parallelism = 0;               // operations in flight that were allowed, all workers
  std::optional<double> mean_service_ns;  // of the successful operations
  double window_full_share = 0;           // of the measured time, mean of the workers, 0 to 1
  double not_ready_share = 0;             // likewise
  double busiest_worker_cpu = 0;          // share of one core, 0 to 1
  bool busy_polling = false;              // the workers spin: their CPU share says nothing
  int64_t lag_max_ns = 0;
  bool gave_up = false;  // nothing was answered for so long that the run ended itself
};

// Pure. Little's law gives the parallelism that the asked rate needs: rate x mean service time.
Shortfall explain_shortfall(const ShortfallInput& input);

}  // namespace cqlperf::measure
