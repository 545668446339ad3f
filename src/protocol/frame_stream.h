#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/compression.h"
#include "protocol/frame.h"
#include "protocol/segment.h"

namespace cqlperf::protocol {

// How the frames of one connection travel, in either direction: as they are until STARTUP has been
// answered, then with compressed bodies (v3, v4) or in segments (v5). Owner thread of both classes:
// the connection's.

// Takes the frames of a connection from what was received.
//
//   for (;;) {
//     auto frame = reader.next(input);
//     if (!frame) ...       // the peer is broken
//     if (!*frame) break;   // the rest is still to come
//     ...
//   }
class FrameReader {
 public:
  explicit FrameReader(Direction from, uint32_t body_max = kFrameBodyMax)
      : from_(from), body_max_(body_max) {}

  // What bodies may be compressed with: for a client as soon as it has sent STARTUP.
  void set_compression(Compression compression) {
    compression_ = compression;
    is_plain_ = compression == Compression::kNone && !segments_;
  }
  // v5: all that comes after the frame that next() gave last is in segments, compressed ones with
  // LZ4.
  void start_segments();

  // The next frame, with its body decompressed and no such flag, or std::nullopt when more bytes
  // are needed, or kProtocol as next_frame() and SegmentDecoder have it. Consumes the frame before
  // it: a frame is valid until the next call. Every call is given the same buffer. Frames may wait
  // in here when `input` is empty. Where no compression was agreed, a compressed body comes as it
  // is, and split_request() and split_response() refuse it.
  core::Result<std::optional<Frame>> next(core::Buffer& input) {
    // One result for all cases, so that it is made where the caller has it.
    core::Result<std::optional<Frame>> frame =
        is_plain_ ? next_plain(input) : next_transformed(input);
    return frame;
  }

  // When next() has just given none: how many bytes the frame at the front of `input` lacks; 0 when
  // that is not known, as in segments, which are small.
  size_t missing(const core::Buffer& input) const {
    if (segments_ || input.size() < kFrameHeaderSize) return 0;
    return detail::frame_size(input.bytes()) - input.size();
  }

 private:
  core::Result<std::optional<Frame>> next_plain(core::Buffer& input) {
    input.consume(std::exchange(taken_, 0));
    auto frame = next_frame(input.bytes(), from_, body_max_);
    if (frame && *frame) taken_ = (*frame)->size();
    return frame;
  }
  core::Result<std::optional<Frame>> next_transformed(core::Buffer& input);
  core::Result<std::optional<Frame>> next_in_segments(core::Buffer& input);
  core::Result<std::optional<Frame>> decompress(const Frame& frame);

  Direction from_;
  uint32_t body_max_;
  bool is_plain_ = true;
  Compression compression_ = Compression::kNone;
  size_t taken_ = 0;  // bytes of the frame that next() gave last
  bool taken_in_segments_ = false;
  std::optional<SegmentDecoder> segments_;
  core::Buffer body_;  // decompressed
};

// Gives frames the form in which they travel.
class FrameWriter {
 public:
  // From here on: segments in v5, compressed bodies below, if any. Call it when STARTUP was
  // answered; the answer itself goes out before. The compression must be one that the version has.
  void start(Version version, Compression compression);

  // True when frames travel as they are: then they may be written to the connection's buffer
  // without this class.
  bool is_plain() const { return !segments_ && compression_ == Compression::kNone; }
  // Moves all that `frames` holds, which must be whole frames, to the end of `out` in that form.
  // The more frames at a time, the fewer segments.
  void write(core::Buffer& frames, core::Buffer& out);

 private:
  bool segments_ = false;
  Compression compression_ = Compression::kNone;
};

}  // namespace cqlperf::protocol
