#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "measure/hdr_codec.h"
#include "measure/hdr_log.h"

namespace cqlperf::measure {

namespace {

using core::ErrorCode;
using core::fail;

constexpr double kNanosPerSecond = 1e9;
// Times beyond this (over 290 years) do not fit in 64 bits of nanoseconds.
constexpr double kMaxSeconds = 9.2e9;

// Seconds at the start of `text`, in nanoseconds; what follows them is left in `text`.
std::optional<int64_t> take_seconds(std::string_view& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || !(seconds >= 0 && seconds <= kMaxSeconds)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return std::llround(seconds * kNanosPerSecond);
}

// What stands before the next comma, which is removed too; none when there is no comma.
std::optional<std::string_view> take_field(std::string_view& text) {
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view field = text.substr(0, comma);
  text.remove_prefix(comma + 1);
  return field;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::unexpected<core::Error> malformed(std::string_view what) {
  return fail(ErrorCode::kUsage, std::string(what));
}

core::Status read_comment(std::string_view line, HdrLogHeader& header) {
  int64_t* time_ns = nullptr;
  if (take_prefix(line, "#[StartTime: ")) time_ns = &header.start_wall_ns;
  if (take_prefix(line, "#[BaseTime: ")) time_ns = &header.base_wall_ns;
  if (time_ns == nullptr) return {};
  const auto seconds_ns = take_seconds(line);
  if (!seconds_ns) return malformed("a time in seconds was expected after its name");
  *time_ns = *seconds_ns;
  return {};
}

core::Result<HdrLogInterval> read_interval(std::string_view line) {
  HdrLogInterval interval;
  if (take_prefix(line, "Tag=")) {
    const auto tag = take_field(line);
    if (!tag) return malformed("a comma was expected after the tag");
    interval.tag = *tag;
  }
  const auto start = take_field(line);
  const auto length = take_field(line);
  const auto max = take_field(line);
  if (!start || !length || !max) {
    return malformed("start, length, maximum and histogram were expected, with commas between");
  }
  std::string_view start_text = *start;
  std::string_view length_text = *length;
  const auto start_ns = take_seconds(start_text);
  const auto length_ns = take_seconds(length_text);
  if (!start_ns || !length_ns || !start_text.empty() || !length_text.empty()) {
    return malformed(
        fmt::format("start '{}' and length '{}' are not both seconds", *start, *length));
  }
  interval.start_ns = *start_ns;
  interval.length_ns = *length_ns;
  auto histogram = decode_v2(line);
  if (!histogram) return std::unexpected(histogram.error());
  interval.histogram = std::move(*histogram);
  return interval;
}

core::Status read_line(std::string_view line, HdrLogHeader& header,
                       const std::function<void(HdrLogInterval)>& visit) {
  if (line.empty() || line.starts_with('"')) return {};  // the column names
  if (line.starts_with('#')) return read_comment(line, header);
  auto interval = read_interval(line);
  if (!interval) return std::unexpected(interval.error());
  visit(std::move(*interval));
  return {};
}

}  // namespace

core::Result<HdrLogHeader> read_hdr_log(const std::string& path,
                                        const std::function<void(HdrLogInterval)>& visit) {
  std::ifstream file(path);
  if (!file) {
    return fail(ErrorCode::kIo,
                fmt::format("cannot read the interval log {}: {}", path, std::strerror(errno)));
  }
  HdrLogHeader header;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (core::Status status = read_line(line, header, visit); !status) {
      return fail(status.error().code,
                  fmt::format("{}:{}: {}", path, number, status.error().message));
    }
  }
  if (file.bad()) return fail(ErrorCode::kIo, fmt::format("cannot read {} to its end", path));
  return header;
}

}  // namespace cqlperf::measure
