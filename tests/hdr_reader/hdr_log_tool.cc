// Our side of the comparison with the reference implementation. `write LOG VALUES` writes a log
// with histograms of many shapes and the numbers of one of them, and prints the line for each;
// `read LOG` prints the lines for a log. Lines are as in HdrReader.java.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/clock.h"
#include "core/random.h"
#include "measure/hdr_log.h"
#include "measure/histogram.h"

namespace cqlperf::measure {
namespace {

constexpr int64_t kBaseWallNs = 1'700'000'000'250'000'000;

int64_t to_ms(int64_t ns) { return std::llround(static_cast<double>(ns) / 1e6); }

void print_line(std::string_view tag, int64_t start_wall_ns, int64_t length_ns,
                const Histogram& histogram) {
  int64_t lowest_ns = 0;
  int64_t highest_ns = 0;
  if (!histogram.empty()) {
    lowest_ns = Histogram::lowest_equivalent_ns(Histogram::index_of(*histogram.min_ns()));
    highest_ns = Histogram::highest_equivalent_ns(histogram.end_index() - 1);
  }
  fmt::print("{} {} {} {} {} {} {}", tag, to_ms(start_wall_ns), to_ms(length_ns), histogram.count(),
             lowest_ns, highest_ns, histogram.mean_ns().value_or(0));
  for (const double percentile : {0.0, 0.01, 1.0, 10.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.991,
                                  99.999, 99.9999, 100.0}) {
    fmt::print(" {}", histogram.value_at_percentile(percentile).value_or(0));
  }
  fmt::print("\n");
}

int report(const core::Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  return 1;
}

struct Shape {
  const char* tag;
  int count;
  std::function<int64_t(core::Random&)> next_ns;
};

int64_t exponential_ns(core::Random& random, double mean_ns) {
  return static_cast<int64_t>(-std::log(1 - random.unit()) * mean_ns);
}

std::vector<Shape> shapes() {
  return {
      {"empty", 0, [](core::Random&) { return int64_t{0}; }},
      {"zero", 3, [](core::Random&) { return int64_t{0}; }},
      {"constant", 1, [](core::Random&) { return int64_t{37'000}; }},
      {"below-bucket-end", 2000,
       [](core::Random& r) { return static_cast<int64_t>(r.below(2048)); }},
      {"uniform", 100'000,
       [](core::Random& r) { return static_cast<int64_t>(r.below(10'000'000)); }},
      {"exponential", 200'000, [](core::Random& r) { return exponential_ns(r, 700'000); }},
      {"two-peaks", 10'001,
       [](core::Random& r) {
         return r.below(1000) == 0 ? 2'000'000'000 + exponential_ns(r, 1e6)
                                   : exponential_ns(r, 50'000);
       }},
      {"every-magnitude", 50'000,
       [](core::Random& r) { return static_cast<int64_t>(std::exp(r.unit() * 28.9)); }},
      {"over-range", 100, [](core::Random&) { return Histogram::kHighestNs * 2; }},
  };
}

core::Status write_shapes(HdrLogWriter& writer, std::FILE* values) {
  core::Random random(42);
  int64_t start_ns = 0;
  for (const Shape& shape : shapes()) {
    Histogram histogram;
    const bool keep_values = std::string_view(shape.tag) == "every-magnitude";
    for (int i = 0; i < shape.count; ++i) {
      const int64_t value_ns = shape.next_ns(random);
      histogram.record(value_ns);
      if (keep_values) fmt::print(values, "{}\n", value_ns);
    }
    const int64_t length_ns = core::kNanosPerSecond + start_ns / 7 / 1'000'000 * 1'000'000;
    if (auto status = writer.write_interval(shape.tag, start_ns, length_ns, histogram); !status) {
      return status;
    }
    print_line(shape.tag, kBaseWallNs + start_ns, length_ns, histogram);
    start_ns += length_ns;
  }
  Histogram large;
  large.record(12'345, (uint64_t{1} << 32) + 1);
  large.record(2'000'000, uint64_t{1} << 54);
  large.record(9'000'000, 12);
  print_line("large-counts", kBaseWallNs + start_ns, 377'000'000, large);
  return writer.write_interval("large-counts", start_ns, 377'000'000, large);
}

int write_log(const std::string& log_path, const std::string& values_path) {
  auto writer = HdrLogWriter::open(log_path, {"written for a comparison"});
  if (!writer) return report(writer.error());
  if (auto status = writer->write_base_time(kBaseWallNs); !status) return report(status.error());
  std::FILE* values = std::fopen(values_path.c_str(), "w");
  if (values == nullptr) return report({core::ErrorCode::kIo, "cannot write " + values_path});
  const core::Status written = write_shapes(*writer, values);
  std::fclose(values);
  if (!written) return report(written.error());
  if (auto status = writer->close(); !status) return report(status.error());
  return 0;
}

int read_log(const std::string& log_path) {
  std::vector<HdrLogInterval> intervals;
  const auto header = read_hdr_log(
      log_path, [&](HdrLogInterval interval) { intervals.push_back(std::move(interval)); });
  if (!header) return report(header.error());
  for (const HdrLogInterval& interval : intervals) {
    print_line(interval.tag, header->base_wall_ns + interval.start_ns, interval.length_ns,
               interval.histogram);
  }
  return 0;
}

}  // namespace
}  // namespace cqlperf::measure

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 3 && arguments[0] == "write") {
    return cqlperf::measure::write_log(arguments[1], arguments[2]);
  }
  if (arguments.size() == 2 && arguments[0] == "read") {
    return cqlperf::measure::read_log(arguments[1]);
  }
  fmt::print(stderr, "usage: hdr_log_tool write LOG VALUES | read LOG\n");
  return 2;
}
