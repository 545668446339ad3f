#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units.h"

namespace cqlperf::report {

// `16,384`.
inline std::string count_text(uint64_t value) {
  return core::format_count(static_cast<int64_t>(value));
}

// `1.20 ms`, and a dash where nothing was recorded.
template <class Number>
std::string latency_text(const std::optional<Number>& nanos) {
  return nanos ? core::format_duration_ns(static_cast<double>(*nanos)) : "-";
}

// `0:12`, `2:00:00`: hours only when there are such.
std::string clock_text(double seconds);

}  // namespace cqlperf::report
