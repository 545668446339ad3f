#include "measure/hdr_log.h"

#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/check.h"
#include "core/clock.h"
#include "measure/hdr_codec.h"

namespace cqlperf::measure {

namespace {

using core::ErrorCode;
using core::fail;
using core::Status;

constexpr double kNanosPerSecond = 1e9;
constexpr double kNanosPerMilli = 1e6;

std::string time_line(std::string_view name, int64_t wall_ns) {
  return fmt::format("#[{}: {:.3f} (seconds since epoch)", name,
                     static_cast<double>(wall_ns) / kNanosPerSecond);
}

}  // namespace

core::Result<HdrLogWriter> HdrLogWriter::open(const std::string& path,
                                              const std::vector<std::string>& comments) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    return fail(ErrorCode::kIo,
                fmt::format("cannot create the interval log {}: {}", path, std::strerror(errno)));
  }
  HdrLogWriter writer(file, path);
  std::string text;
  for (const std::string& comment : comments) text += fmt::format("#[{}]\n", comment);
  text += "#[Histogram log format version 1.3]\n";
  if (Status status = writer.write_text(text); !status) return std::unexpected(status.error());
  return writer;
}

Status HdrLogWriter::write_base_time(int64_t base_wall_ns) {
  base_wall_ns_ = base_wall_ns;
  const auto seconds = static_cast<std::time_t>(base_wall_ns / core::kNanosPerSecond);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return write_text(fmt::format(
      "{}, {:%Y-%m-%dT%H:%M:%SZ}]\n{}]\n"
      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
      time_line("StartTime", base_wall_ns), utc, time_line("BaseTime", base_wall_ns)));
}

Status HdrLogWriter::write_interval(std::string_view tag, int64_t start_ns, int64_t length_ns,
                                    const Histogram& histogram) {
  CQLPERF_CHECK(tag.find_first_of(", \r\n") == std::string_view::npos, "a tag is one word");
  const int64_t max_ns =
      histogram.empty() ? 0 : Histogram::highest_equivalent_ns(histogram.end_index() - 1);
  return write_text(fmt::format(
      "Tag={},{:.3f},{:.3f},{:.3f},{}\n", tag, static_cast<double>(start_ns) / kNanosPerSecond,
      static_cast<double>(length_ns) / kNanosPerSecond,
      static_cast<double>(max_ns) / kNanosPerMilli, encode_v2(histogram)));
}

Status HdrLogWriter::write_text(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() &&
      std::fflush(file_.get()) == 0) {
    return {};
  }
  return fail(ErrorCode::kIo,
              fmt::format("cannot write the interval log {}: {}", path_, std::strerror(errno)));
}

Status HdrLogWriter::close() {
  if (std::fclose(file_.release()) == 0) return {};
  return fail(ErrorCode::kIo,
              fmt::format("cannot close the interval log {}: {}", path_, std::strerror(errno)));
}

}  // namespace cqlperf::measure
