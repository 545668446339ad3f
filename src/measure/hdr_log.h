#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "measure/histogram.h"

namespace cqlperf::measure {

// Writes an interval log, format version 1.3: one line per interval and tag. Times are in seconds
// with 3 decimals, intervals relative to the base time, the maximum in milliseconds. Every line is
// flushed, so that a killed run leaves a readable file. One owner thread.
class HdrLogWriter {
 public:
  // Creates or replaces the file and writes the format version and `comments` (one line each), so
  // that an unwritable path or a full disk shows before a run starts.
  static core::Result<HdrLogWriter> open(const std::string& path,
                                         const std::vector<std::string>& comments);

  // Writes start time, base time and the column names: once, before the first interval.
  // `base_wall_ns` counts from 1970-01-01T00:00:00Z.
  core::Status write_base_time(int64_t base_wall_ns);
  // As it was written; none before that.
  std::optional<int64_t> base_wall_ns() const { return base_wall_ns_; }

  // `start_ns` counts from the base time. `tag` has no comma, blank or line end. An empty histogram
  // is written too: an interval in which nothing was done is a fact.
  core::Status write_interval(std::string_view tag, int64_t start_ns, int64_t length_ns,
                              const Histogram& histogram);

  // Closes the file; errors that appear only now are reported.
  core::Status close();

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  HdrLogWriter(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  core::Status write_text(const std::string& text);

  std::unique_ptr<std::FILE, FileCloser> file_;
  std::string path_;
  std::optional<int64_t> base_wall_ns_;
};

// One line of an interval log. Times as in the file, to the millisecond.
struct HdrLogInterval {
  std::string tag;  // empty for a line without one
  int64_t start_ns = 0;
  int64_t length_ns = 0;
  Histogram histogram;
};

struct HdrLogHeader {
  int64_t start_wall_ns = 0;
  int64_t base_wall_ns = 0;
};

// Reads a log that HdrLogWriter wrote and calls `visit` for each interval, in the order of the
// file. An error names the path and the line.
core::Result<HdrLogHeader> read_hdr_log(const std::string& path,
                                        const std::function<void(HdrLogInterval)>& visit);

}  // namespace cqlperf::measure
