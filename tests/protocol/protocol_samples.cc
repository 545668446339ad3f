// Prints responses as frames in hex, one a line: version, name, frame. python_driver_test.py
// decodes them with the Python driver.
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/envelope.h"
#include "protocol/segment.h"
#include "samples.h"

namespace cqlperf::protocol {
namespace {

void print_frame(Version version, std::string_view name, const core::Buffer& frame) {
  fmt::print("{} {} {:02x}\n", static_cast<int>(version), name, fmt::join(frame.bytes(), ""));
}

void print_responses(Version version) {
  samples::visit_responses(version, [&](std::string_view name, const auto& message) {
    core::Buffer out;
    append_frame(out, version, 77, message);
    print_frame(version, name, out);
  });
  ResponseEnvelope envelope;
  envelope.tracing_id = samples::kTimeuuid;
  envelope.warnings = {"first", "second"};
  envelope.custom_payload = {{"key", samples::kId}, {"none", std::nullopt}};
  core::Buffer out;
  append_frame(out, version, 77, ResultMessage{SetKeyspace{"ks"}}, envelope);
  print_frame(version, "envelope", out);
}

// Small frames, and one that does not fit a segment, as frames and in both kinds of segments.
void print_segments() {
  core::Buffer frames;
  for (int16_t stream = 0; stream < 3; ++stream)
    append_frame(frames, Version::kV5, stream, Ready{});
  const std::string large(300'000, 'x');
  append_frame(frames, Version::kV5, 3, AuthSuccess{to_bytes(as_bytes(large))});
  append_frame(frames, Version::kV5, 4, Ready{});
  print_frame(Version::kV5, "segments_frames", frames);
  for (const SegmentKind kind : {SegmentKind::kUncompressed, SegmentKind::kLz4}) {
    core::Buffer segments;
    append_segments(segments, kind, frames.bytes());
    print_frame(Version::kV5, kind == SegmentKind::kLz4 ? "segments_lz4" : "segments_plain",
                segments);
  }
}

}  // namespace
}  // namespace cqlperf::protocol

int main() {
  cqlperf::protocol::print_responses(cqlperf::protocol::Version::kV3);
  cqlperf::protocol::print_responses(cqlperf::protocol::Version::kV4);
  cqlperf::protocol::print_responses(cqlperf::protocol::Version::kV5);
  cqlperf::protocol::print_segments();
}
