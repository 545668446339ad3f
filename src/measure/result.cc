#include "measure/result.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "core/check.h"

namespace cqlperf::measure {

LatencyStats latency_stats(const Histogram& histogram, std::span<const double> extra_percentiles) {
  const auto at = [&](double percentile) -> std::optional<int64_t> {
    const auto value_ns = histogram.value_at_percentile(percentile);
    if (!value_ns) return std::nullopt;
    // A bucket's high end may be above the maximum, which is exact: a p99 over it would look wrong.
    return std::min(*value_ns, *histogram.max_ns());
  };
  LatencyStats stats;
  stats.count = histogram.count();
  stats.over_range = histogram.over_range();
  stats.mean_ns = histogram.mean_ns();
  stats.min_ns = histogram.min_ns();
  stats.p50_ns = at(50);
  stats.p90_ns = at(90);
  stats.p99_ns = at(99);
  stats.p99_9_ns = at(99.9);
  stats.max_ns = histogram.max_ns();
  for (const double percentile : extra_percentiles) {
    stats.extra.push_back({percentile, at(percentile)});
  }
  return stats;
}

std::string percentile_name(double percentile) {
  // The shortest digits that read back as the same number, without an exponent.
  std::array<char, 400> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), percentile,
                                          std::chars_format::fixed);
  CQLPERF_CHECK(error == std::errc(), "no double takes that many digits");
  std::string name = "p" + std::string(digits.data(), end);
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace cqlperf::measure
