#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "server/ddl_properties.h"
#include "server/table_options.h"

namespace cqlperf::server {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The number before `unit`, when there is nothing else: digits, maybe with a point.
std::optional<double> number_before(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  const bool is_plain =
      std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return is_plain ? parse_double(text) : std::nullopt;
}

std::optional<double> percentile(std::string_view upper) {
  const auto number = number_before(upper, "PERCENTILE");
  return number ? number : number_before(upper, "P");
}

// At most four digits after the point, no zeros at the end.
std::string percentile_text(double number) {
  std::string text = fmt::format("{:.4f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + 'p';
}

std::optional<std::string> delay_text(std::string_view upper) {
  const auto delay_ms = number_before(upper, "MS");
  if (!delay_ms || *delay_ms > 1e15) return std::nullopt;
  return fmt::format("{}ms", static_cast<int64_t>(*delay_ms));
}

std::unexpected<protocol::ErrorMessage> not_taken(std::string_view given) {
  return config_error(fmt::format("Invalid value {} for option 'speculative_retry'", given));
}

cql::Result<std::string> percentile_policy(std::string_view given, double number) {
  if (number > 0 && number < 100) return percentile_text(number);
  return config_error(fmt::format(
      "Invalid value {} for PERCENTILE option 'speculative_retry': must be between (0.0 and "
      "100.0)",
      given));
}

// MIN or MAX of a percentile and a delay, in either order.
cql::Result<std::string> hybrid_policy(std::string_view given, std::string_view upper) {
  const std::string_view inside = upper.substr(4, upper.size() - 5);
  const size_t comma = inside.find(',');
  if (comma == std::string_view::npos) return not_taken(given);
  std::string_view first = trimmed(inside.substr(0, comma));
  std::string_view second = trimmed(inside.substr(comma + 1));
  if (!percentile(first)) std::swap(first, second);
  const auto number = percentile(first);
  const auto delay = delay_text(second);
  if (!number || !delay) return not_taken(given);
  auto policy = percentile_policy(given, *number);
  if (!policy) return policy;
  return fmt::format("{}({},{})", upper.substr(0, 3), *policy, *delay);
}

}  // namespace

cql::Result<std::string> retry_policy(std::string_view given) {
  const std::string upper = to_upper(trimmed(given));
  if (upper == "ALWAYS") return upper;
  if (upper == "NEVER" || upper == "NONE") return "NEVER";
  if (auto delay = delay_text(upper)) return *delay;
  if (const auto number = percentile(upper)) return percentile_policy(given, *number);
  const bool is_hybrid = upper.starts_with("MIN(") || upper.starts_with("MAX(");
  if (is_hybrid && upper.ends_with(')')) return hybrid_policy(given, upper);
  return not_taken(given);
}

}  // namespace cqlperf::server
