#include "protocol/negotiation.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

constexpr int kNone = 0;

// The decimal number at the front of `text`, which it takes; kNone when there is none.
int take_number(std::string_view& text) {
  int number = kNone;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return kNone;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// The largest N below `limit` of a list such as `3/v3, 4/v4, 5/v5-beta)`; beta versions do not
// count.
int largest_listed(std::string_view list, int limit) {
  int largest = kNone;
  list = list.substr(0, list.find(')'));
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    const bool is_beta = item.ends_with("-beta");
    const int number = take_number(item);
    if (!is_beta && number < limit) largest = std::max(largest, number);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return largest;
}

// What follows `phrase` in the text; empty when it is not there.
std::string_view text_after(std::string_view text, std::string_view phrase) {
  const size_t at = text.find(phrase);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + phrase.size());
}

}  // namespace

ErrorMessage unsupported_version_error(int version) {
  return ErrorMessage::of(
      ErrorCode::kProtocolError,
      fmt::format("Invalid or unsupported protocol version ({}); supported versions are (3/v3, "
                  "4/v4, 5/v5)",
                  version));
}

std::optional<Version> older_version(Version tried, Version header, std::string_view text) {
  const int limit = static_cast<int>(tried);
  int found = limit - 1;
  if (header < tried) found = static_cast<int>(header);
  // Cassandra from 4.0 on, and before.
  std::string_view greatest = text_after(text, "and the greatest is ");
  if (const int named = take_number(greatest); named != kNone && named < limit) found = named;
  const std::string_view list = text_after(text, "supported versions are (");
  if (!list.empty()) found = largest_listed(list, limit);
  if (found < static_cast<int>(kVersionMin)) return std::nullopt;
  return static_cast<Version>(found);
}

}  // namespace cqlperf::protocol
