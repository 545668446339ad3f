#include "core/units.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <span>

#include <fmt/format.h>

namespace cqlperf::core {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kDurationUnits[] = {{"ns", 1},     {"us", 1e3},   {"\u00b5s", 1e3}, {"ms", 1e6},
                                   {"s", 1e9},    {"", 1e9},     {"m", 60e9},      {"min", 60e9},
                                   {"h", 3600e9}, {"d", 86400e9}};
constexpr Unit kByteUnits[] = {
    {"", 1},       {"B", 1},        {"k", 1024.0}, {"K", 1024.0},   {"KiB", 1024.0}, {"kB", 1e3},
    {"KB", 1e3},   {"m", 0x1p20},   {"M", 0x1p20}, {"MiB", 0x1p20}, {"MB", 1e6},     {"g", 0x1p30},
    {"G", 0x1p30}, {"GiB", 0x1p30}, {"GB", 1e9},   {"T", 0x1p40},   {"TiB", 0x1p40}, {"TB", 1e12}};
constexpr Unit kCountUnits[] = {{"", 1},    {"k", 1e3}, {"K", 1e3}, {"M", 1e6},
                                {"m", 1e6}, {"G", 1e9}, {"B", 1e9}};

struct Quantity {
  std::string_view what;      // "duration"
  std::string_view examples;  // "10s, 200ms, 1.5m"
  std::span<const Unit> units;
  double largest;
};

std::unexpected<Error> bad_quantity(const Quantity& quantity, std::string_view text,
                                    std::string_view why) {
  return fail(ErrorCode::kUsage, fmt::format("'{}' is not a {}: {}; write for example {}", text,
                                             quantity.what, why, quantity.examples));
}

Result<double> parse_quantity(const Quantity& quantity, std::string_view text) {
  if (text.empty()) return bad_quantity(quantity, text, "it is empty");
  double number = 0;
  // Plain decimals only: exponents ("1e999"), "inf" and "nan" are nothing that a person means here.
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error == std::errc::result_out_of_range) return bad_quantity(quantity, text, "too large");
  if (error != std::errc() || !std::isfinite(number))
    return bad_quantity(quantity, text, "it does not start with a number");
  if (std::signbit(number)) return bad_quantity(quantity, text, "it is negative");
  const std::string_view suffix(rest, text.data() + text.size() - rest);
  for (const Unit& unit : quantity.units) {
    if (unit.name != suffix) continue;
    const double value = number * unit.factor;
    if (value > quantity.largest) return bad_quantity(quantity, text, "too large");
    return value;
  }
  return bad_quantity(quantity, text, fmt::format("'{}' is not a unit of it", suffix));
}

Result<int64_t> parse_whole(const Quantity& quantity, std::string_view text) {
  const auto value = parse_quantity(quantity, text);
  if (!value) return std::unexpected(value.error());
  const double rounded = std::round(*value);
  // 2.5M is a whole number written short; 2.5 is not a whole number.
  if (std::abs(*value - rounded) > 1e-6 * std::max(1.0, rounded) * 1e-6)
    return bad_quantity(quantity, text, "it is not a whole number");
  return static_cast<int64_t>(rounded);
}

std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

Result<int64_t> parse_duration_ns(std::string_view text) {
  static const Quantity kDuration{"duration", "10s, 200ms or 1.5m", kDurationUnits,
                                  365.0 * 86400e9};
  const auto value = parse_quantity(kDuration, text);
  if (!value) return std::unexpected(value.error());
  return static_cast<int64_t>(std::llround(*value));
}

Result<int64_t> parse_byte_size(std::string_view text) {
  static const Quantity kByteSize{"size", "64KiB, 1GiB or 4096", kByteUnits, 0x1p60};
  return parse_whole(kByteSize, text);
}

Result<int64_t> parse_count(std::string_view text) {
  static const Quantity kCount{"count", "5000, 100k or 2.5M", kCountUnits, 1e15};
  return parse_whole(kCount, text);
}

Result<double> parse_rate(std::string_view text) {
  static const Quantity kRate{"rate", "5000, 100k or 0.5 (operations per second)", kCountUnits,
                              1e9};
  const auto value = parse_quantity(kRate, text);
  if (!value) return value;
  if (*value > 0 && *value < 1e-6) return bad_quantity(kRate, text, "less than 0.000001");
  return value;
}

std::string format_duration_ns(double nanos) {
  if (nanos <= 0) return "0 ns";
  struct Step {
    double below;
    double unit;
    const char* name;
  };
  constexpr Step kSteps[] = {{999.5, 1, "ns"}, {999.5e3, 1e3, "us"}, {999.5e6, 1e6, "ms"}};
  for (const Step& step : kSteps)
    if (nanos < step.below) return three_digits(nanos / step.unit) + " " + step.name;
  return three_digits(nanos / 1e9) + " s";
}

std::string format_byte_size(int64_t bytes) {
  constexpr const char* kNames[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  size_t step = 0;
  while (value >= 1024 && step + 1 < std::size(kNames)) {
    value /= 1024;
    ++step;
  }
  return fmt::format("{} {}", std::round(value * 10) / 10, kNames[step]);
}

std::string format_count(int64_t count) {
  std::string digits = fmt::format("{}", count);
  const size_t first = digits.starts_with('-') ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string format_rate(double per_second) {
  return fmt::format("{:.{}f}/s", per_second, per_second >= 100 || per_second == 0 ? 0 : 2);
}

}  // namespace cqlperf::core
