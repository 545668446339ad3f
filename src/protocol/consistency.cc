#include "protocol/consistency.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kNames[] = {"ANY",    "ONE",          "TWO",          "THREE",
                                       "QUORUM", "ALL",          "LOCAL_QUORUM", "EACH_QUORUM",
                                       "SERIAL", "LOCAL_SERIAL", "LOCAL_ONE"};

char normalize(char c) {
  return c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

}  // namespace

std::string_view consistency_name(Consistency consistency) {
  const auto index = static_cast<size_t>(consistency);
  return index < std::size(kNames) ? kNames[index] : "UNKNOWN";
}

core::Result<Consistency> parse_consistency(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), normalize);
  const auto* found = std::ranges::find(kNames, upper);
  if (found != std::end(kNames)) return static_cast<Consistency>(found - kNames);
  return core::fail(core::ErrorCode::kUsage,
                    fmt::format("`{}` is not a consistency level: it is one of {}", name,
                                fmt::join(kNames, ", ")));
}

bool is_serial(Consistency consistency) {
  return consistency == Consistency::kSerial || consistency == Consistency::kLocalSerial;
}

Consistency read_consistency(core::ByteReader& in) {
  const uint16_t value = in.read_u16();
  if (value < std::size(kNames)) return static_cast<Consistency>(value);
  in.set_failed();
  return Consistency::kAny;
}

}  // namespace cqlperf::protocol
