#include "protocol/frame_stream.h"

#include "core/check.h"

namespace cqlperf::protocol {
namespace {

// A buffer that a large frame has made larger than this is given back when the frame is gone.
constexpr size_t kKeptBytesMax = size_t{1} << 20;

void clear(core::Buffer& buffer) {
  buffer.clear();
  if (buffer.capacity() > kKeptBytesMax) buffer.release();
}

SegmentKind segment_kind(Compression compression) {
  CQLPERF_CHECK(is_available(compression, Version::kV5), "a compression that v5 does not have");
  return compression == Compression::kLz4 ? SegmentKind::kLz4 : SegmentKind::kUncompressed;
}

}  // namespace

void FrameReader::start_segments() {
  segments_.emplace(segment_kind(compression_), body_max_);
  is_plain_ = false;
}

core::Result<std::optional<Frame>> FrameReader::next_transformed(core::Buffer& input) {
  core::Buffer& taken_from = taken_in_segments_ ? segments_->frames() : input;
  taken_from.consume(std::exchange(taken_, 0));
  if (segments_) return next_in_segments(input);
  auto frame = next_plain(input);
  const bool is_compressed = frame && *frame && ((*frame)->header.flags & kFlagCompression) != 0;
  return is_compressed ? decompress(**frame) : std::move(frame);
}

core::Result<std::optional<Frame>> FrameReader::next_in_segments(core::Buffer& input) {
  for (;;) {
    auto frame = next_frame(segments_->frames().bytes(), from_, body_max_);
    if (!frame) return frame;
    if (*frame) {
      taken_ = (*frame)->size();
      taken_in_segments_ = true;
      (*frame)->header.flags &= ~kFlagCompression;  // v5 gives it no meaning
      return frame;
    }
    const auto decoded = segments_->decode(input);
    if (!decoded) return std::unexpected(decoded.error());
    if (!*decoded) return std::nullopt;
  }
}

core::Result<std::optional<Frame>> FrameReader::decompress(const Frame& frame) {
  clear(body_);
  if (auto status = append_decompressed(body_, compression_, frame.body, body_max_); !status) {
    return std::unexpected(std::move(status.error()));
  }
  FrameHeader header = frame.header;
  header.flags &= ~kFlagCompression;
  header.body_size = static_cast<uint32_t>(body_.size());
  return Frame{header, body_.bytes()};
}

void FrameWriter::start(Version version, Compression compression) {
  CQLPERF_CHECK(is_available(compression, version), "a compression that the version does not have");
  segments_ = version >= Version::kV5;
  compression_ = compression;
}

void FrameWriter::write(core::Buffer& frames, core::Buffer& out) {
  if (segments_) {
    append_segments(out, segment_kind(compression_), frames.bytes());
  } else if (compression_ != Compression::kNone) {
    append_compressed_frames(out, compression_, frames.bytes());
  } else {
    out.append(frames.bytes());
  }
  clear(frames);
}

}  // namespace cqlperf::protocol
