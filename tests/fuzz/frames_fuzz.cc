#include <optional>
#include <span>

#include "fuzz_input.h"
#include "protocol/envelope.h"
#include "protocol/frame_stream.h"
#include "protocol/segment.h"

// Frames as they come from a socket, in pieces: plain, with compressed bodies, and in segments,
// which get the right checksums here, as nothing but noise would be left of them otherwise. And
// what FrameWriter writes is what FrameReader reads.
namespace cqlperf::protocol {
namespace {

using fuzz::FuzzInput;

void visit_frame(const Frame& frame) {
  CQLPERF_CHECK(frame.body.size() == frame.header.body_size, "a frame is whole");
  if (frame.header.is_response) {
    static_cast<void>(split_response(frame));
  } else {
    static_cast<void>(split_request(frame));
  }
}

// Reads all frames that `input` holds. False when the peer is broken.
bool drain(FrameReader& reader, core::Buffer& input) {
  while (true) {
    const auto frame = reader.next(input);
    if (!frame) return false;
    if (!*frame) return true;
    visit_frame(**frame);
  }
}

// Appends a segment whose lengths and payload are what the fuzzer says, with right checksums.
void append_sealed(core::Buffer& out, SegmentKind kind, FuzzInput& input) {
  const size_t header_size = kind == SegmentKind::kLz4 ? 5 : 3;
  const uint8_t flags = input.take_u8();
  const size_t raw_size = input.take_u8() << 4;
  const auto payload = input.take_block();
  const uint64_t self_contained = flags & 1;
  uint64_t header = payload.size();
  header |= kind == SegmentKind::kLz4 ? uint64_t{raw_size} << 17 | self_contained << 34
                                      : self_contained << 17;
  out.append(&header, header_size);
  const uint32_t header_crc = segment_crc24(header, header_size);
  out.append(&header_crc, 3);
  out.append(payload);
  const uint32_t payload_crc = segment_crc32(payload);
  out.append(&payload_crc, sizeof payload_crc);
}

void fuzz_segments(FrameReader& reader, Compression compression, FuzzInput& input) {
  const SegmentKind kind =
      compression == Compression::kLz4 ? SegmentKind::kLz4 : SegmentKind::kUncompressed;
  reader.start_segments();
  core::Buffer received;
  bool intact = true;
  while (intact && !input.empty()) {
    append_sealed(received, kind, input);
    intact = drain(reader, received);
  }
}

void fuzz_pieces(FrameReader& reader, FuzzInput& input) {
  core::Buffer received;
  bool intact = true;
  while (intact && !input.empty()) {
    received.append(input.take_block());
    intact = drain(reader, received);
  }
}

// A body of the fuzzer, in one frame, there and back again.
void fuzz_writer(Version version, Compression compression, FuzzInput& input) {
  const auto body = input.take_rest();
  core::Buffer frames;
  const size_t start = begin_frame(frames, version, false, 0, 7, Opcode::kQuery);
  frames.append(body);
  end_frame(frames, start);
  FrameWriter writer;
  writer.start(version, compression);
  core::Buffer wire;
  writer.write(frames, wire);
  FrameReader reader(Direction::kRequest);
  reader.set_compression(compression);
  if (version == Version::kV5) reader.start_segments();
  const auto frame = reader.next(wire);
  CQLPERF_CHECK(frame.has_value() && frame->has_value(), "a frame arrives");
  CQLPERF_CHECK(std::ranges::equal((*frame)->body, body), "its body is what was sent");
}

}  // namespace
}  // namespace cqlperf::protocol

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cqlperf::protocol;
  FuzzInput input(data, size);
  constexpr uint32_t kBodyMax = 1 << 20;
  const Direction from = input.take_below(2) == 0 ? Direction::kRequest : Direction::kResponse;
  const auto compression = static_cast<Compression>(input.take_below(3));
  const auto version = static_cast<Version>(3 + input.take_below(3));
  FrameReader reader(from, kBodyMax);
  if (compression != Compression::kNone) reader.set_compression(compression);
  switch (input.take_below(4)) {
    case 0:
      fuzz_pieces(reader, input);
      break;
    case 1:
      if (is_available(compression, Version::kV5)) fuzz_segments(reader, compression, input);
      break;
    case 2:
      if (is_available(compression, Version::kV5)) {
        reader.start_segments();
        fuzz_pieces(reader, input);
      }
      break;
    default:
      if (is_available(compression, version)) fuzz_writer(version, compression, input);
  }
  return 0;
}
