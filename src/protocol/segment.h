#pragma once

#include <cstddef>
#include <cstdint>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

// Segments of the native protocol v5 (section 2 of its specification). After STARTUP was answered,
// all bytes of a connection travel in them: a header with its CRC24, up to 128 KiB of whole frames
// or a part of a larger one, and a CRC32. With LZ4 a segment is compressed, or stored as it is.

inline constexpr size_t kSegmentPayloadMax = 131'071;  // bytes, before compression

enum class SegmentKind : uint8_t { kUncompressed, kLz4 };

// The checksums: of the 3 or 5 bytes of a header as a little-endian number, and of a payload.
uint32_t segment_crc24(uint64_t header, size_t size);
uint32_t segment_crc32(ByteView payload);

// Appends `frames`, which must be whole, in as few segments as they fit in. A frame over
// kSegmentPayloadMax gets segments of its own.
void append_segments(core::Buffer& out, SegmentKind kind, ByteView frames);

// Takes segments apart. Owner thread: the connection's.
class SegmentDecoder {
 public:
  // Frames with a body over `body_max` are errors before they are kept.
  explicit SegmentDecoder(SegmentKind kind, uint32_t body_max = kFrameBodyMax)
      : kind_(kind), body_max_(body_max) {}

  // Takes one segment from the front of `input` and appends what it holds to frames(). False when
  // more bytes are needed. kProtocol when a checksum or a length is wrong, or when the parts do not
  // make whole frames; the connection is of no use after that.
  core::Result<bool> decode(core::Buffer& input);

  // What was decoded and not consumed yet: whole frames, and the front of a large one of which
  // segments are still to come. The caller consumes the frames.
  core::Buffer& frames() { return frames_; }

 private:
  struct Header {
    size_t payload_size = 0;  // on the wire
    size_t raw_size = 0;      // decompressed; 0 when it is stored as it is
    bool is_self_contained = false;
  };

  core::Result<Header> read_header(const uint8_t* bytes) const;
  core::Status take_payload(const Header& header, ByteView payload);
  core::Status append_payload(const Header& header, ByteView payload);
  core::Status check_whole(ByteView frames) const;
  core::Status check_part(ByteView part);

  SegmentKind kind_;
  uint32_t body_max_;
  core::Buffer frames_;
  size_t missing_ = 0;  // bytes of a large frame that are still to come
};

}  // namespace cqlperf::protocol
