#include "workload/mix.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/check.h"

namespace cqlperf::workload {
namespace {

core::Error mix_error(std::string_view text, std::string_view problem) {
  return {core::ErrorCode::kUsage,
          fmt::format("the mix '{}': {}; a good one is insert=1,read=3", text, problem)};
}

std::optional<OperationKind> parse_kind(std::string_view name) {
  for (const OperationKind kind : {OperationKind::kInsert, OperationKind::kRead})
    if (name == kind_name(kind)) return kind;
  return {};
}

std::optional<uint32_t> parse_weight(std::string_view text) {
  uint32_t weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && weight >= 1 && weight <= kMixWeightMax ? std::optional(weight) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

core::Result<MixPart> parse_part(std::string_view mix, std::string_view part) {
  const size_t equals = part.find('=');
  if (equals == std::string_view::npos)
    return std::unexpected(
        mix_error(mix, fmt::format("'{}' has no weight (KIND=WEIGHT)", trimmed(part))));
  const std::string_view name = trimmed(part.substr(0, equals));
  const std::string_view number = trimmed(part.substr(equals + 1));
  const auto kind = parse_kind(name);
  if (!kind)
    return std::unexpected(
        mix_error(mix, fmt::format("there is no operation '{}', only insert and read", name)));
  const auto weight = parse_weight(number);
  if (!weight)
    return std::unexpected(
        mix_error(mix, fmt::format("the weight '{}' of {} is not a whole number from 1 to {}",
                                   number, name, kMixWeightMax)));
  return MixPart{*kind, *weight};
}

}  // namespace

std::string_view kind_name(OperationKind kind) {
  return kind == OperationKind::kInsert ? "insert" : "read";
}

core::Result<std::vector<MixPart>> parse_mix(std::string_view text) {
  std::vector<MixPart> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const auto part = parse_part(text, text.substr(start, end - start));
    if (!part) return std::unexpected(part.error());
    const auto same_kind = [&](const MixPart& other) { return other.kind == part->kind; };
    if (std::ranges::any_of(parts, same_kind))
      return std::unexpected(
          mix_error(text, fmt::format("{} is there twice", kind_name(part->kind))));
    parts.push_back(*part);
    start = end + 1;
  }
  return parts;
}

MixPattern::MixPattern(const std::vector<MixPart>& parts) {
  CQLPERF_CHECK(!parts.empty() && parts.size() <= UINT8_MAX, "a mix of nothing");
  int64_t common = 0;
  int64_t total = 0;
  for (const MixPart& part : parts) {
    common = std::gcd(common, int64_t{part.weight});
    total += part.weight;
  }
  // In each step every part gains its weight, and the one that has most is next and pays the total.
  std::vector<int64_t> credit(parts.size(), 0);
  for (int64_t step = 0; step < total / common; ++step) {
    for (size_t i = 0; i < parts.size(); ++i) credit[i] += parts[i].weight;
    const auto next = std::ranges::max_element(credit);
    *next -= total;
    pattern_.push_back(static_cast<uint8_t>(next - credit.begin()));
  }
}

}  // namespace cqlperf::workload
