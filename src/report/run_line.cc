#include "report/run_line.h"

#include <fmt/format.h>
#include <time.h>

#include "core/clock.h"

namespace cqlperf::report {
namespace {

// `whole` units and what is left of one, with the zeros at the end cut off.
std::string decimal(int64_t nanos, int64_t unit_ns, int digits) {
  std::string text = fmt::format("{}", nanos / unit_ns);
  if (const int64_t rest = nanos % unit_ns; rest != 0) {
    text += fmt::format(".{:0{}}", rest, digits);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

}  // namespace

std::string go_duration(int64_t nanos) {
  if (nanos == 0) return "0s";
  if (nanos < core::kNanosPerMicro) return fmt::format("{}ns", nanos);
  if (nanos < core::kNanosPerMilli) return decimal(nanos, core::kNanosPerMicro, 3) + "\u00b5s";
  if (nanos < core::kNanosPerSecond) return decimal(nanos, core::kNanosPerMilli, 6) + "ms";
  const int64_t minutes = nanos / (60 * core::kNanosPerSecond);
  std::string text;
  if (minutes >= 60) text += fmt::format("{}h", minutes / 60);
  if (minutes > 0) text += fmt::format("{}m", minutes % 60);
  return text + decimal(nanos % (60 * core::kNanosPerSecond), core::kNanosPerSecond, 9) + "s";
}

std::string run_line(int64_t wall_time_ns, int64_t throughput, int64_t mean_latency_ns) {
  const time_t seconds = wall_time_ns / core::kNanosPerSecond;
  tm local = {};
  localtime_r(&seconds, &local);
  char when[32];
  strftime(when, sizeof when, "%Y/%m/%d %H:%M:%S", &local);
  return fmt::format("{} INFO Stats: throughput={} avg_latency:={}\n", when, throughput,
                     go_duration(mean_latency_ns));
}

}  // namespace cqlperf::report
