#include "report/store_progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/figures.h"

namespace cqlperf::report {
namespace {

constexpr size_t kWidestBar = 40;
constexpr size_t kNarrowestBar = 5;

// A phase may meet more rows than it expects, which are not more than all.
double share_done(const StoreBar& bar) {
  if (bar.keys_total == 0) return 0;
  return std::min(1.0, static_cast<double>(bar.keys) / static_cast<double>(bar.keys_total));
}

std::string percent(const StoreBar& bar) {
  // Rounded down: 100 % is all of it.
  return fmt::format("{} %", static_cast<int>(share_done(bar) * 100));
}

std::string done_of_total(const StoreBar& bar) {
  if (bar.phase == measure::StorePhase::kDelete)
    return fmt::format("{} of {} keys", count_text(bar.keys), count_text(bar.keys_total));
  const auto bytes = [&](uint64_t keys) {
    return core::format_byte_size(static_cast<int64_t>(keys * bar.value_bytes));
  };
  return fmt::format("{} of {}", bytes(bar.keys), bytes(bar.keys_total));
}

std::string speed(const StoreBar& bar) {
  if (bar.phase == measure::StorePhase::kDelete)
    return fmt::format("{} keys/s", count_text(static_cast<uint64_t>(bar.requests_per_second)));
  return fmt::format("{:.1f} MB/s", bar.bytes_per_second / 1e6);
}

// By the mean since the start, so that it does not jump.
std::string time_left(const StoreBar& bar) {
  const double share = share_done(bar);
  if (share <= 0) return "-:-- left";
  return clock_text(bar.seconds * (1 - share) / share) + " left";
}

}  // namespace

std::string store_bar(const StoreBar& bar, size_t width) {
  const std::string name = measure::store_phase_name(bar.phase);
  // Fixed columns, so that the line does not jump either.
  const std::string rest = fmt::format(" {:>5}  {}  {}  {}", percent(bar), done_of_total(bar),
                                       speed(bar), time_left(bar));
  const size_t taken = name.size() + rest.size() + 3;  // a blank and the brackets
  if (taken + kNarrowestBar > width) return (name + rest).substr(0, width);
  const size_t cells = std::min(kWidestBar, width - taken);
  const auto full = static_cast<size_t>(share_done(bar) * static_cast<double>(cells));
  return fmt::format("{} [{}{}]{}", name, std::string(full, '#'), std::string(cells - full, '.'),
                     rest);
}

std::string store_progress_line(const StoreBar& bar) {
  return fmt::format("{}: {}, {}, {}, {}\n", measure::store_phase_name(bar.phase), percent(bar),
                     done_of_total(bar), speed(bar), time_left(bar));
}

}  // namespace cqlperf::report
