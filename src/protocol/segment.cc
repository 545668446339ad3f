#include "protocol/segment.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <lz4.h>
#include <zlib.h>

#include "core/check.h"

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kWhat = "segment";
constexpr size_t kCrc24Size = 3;
constexpr size_t kCrc32Size = 4;
constexpr int kLengthBits = 17;
// A frame this large that has been taken gives its memory back.
constexpr size_t kKeptBytesMax = size_t{1} << 20;

constexpr size_t header_size(SegmentKind kind) { return kind == SegmentKind::kLz4 ? 5 : 3; }

constexpr std::array<uint32_t, 256> make_crc24_table() {
  constexpr uint32_t kPolynomial = 0x1974F0B;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t crc = byte << 16;
    for (int bit = 0; bit < 8; ++bit) {
      crc <<= 1;
      if ((crc & 0x100'0000) != 0) crc ^= kPolynomial;
    }
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrc24Table = make_crc24_table();

// What every payload's checksum begins with.
uint32_t crc32_seed() {
  constexpr uint8_t kSeedBytes[] = {0xFA, 0x2D, 0x55, 0xCA};
  static const auto seed = static_cast<uint32_t>(crc32(0, kSeedBytes, sizeof kSeedBytes));
  return seed;
}

void put_little_endian(uint8_t* at, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) at[i] = static_cast<uint8_t>(value >> (8 * i));
}

uint64_t get_little_endian(const uint8_t* at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{at[i]} << (8 * i);
  return value;
}

uint64_t pack_header(SegmentKind kind, size_t payload_size, size_t raw_size,
                     bool is_self_contained) {
  if (kind == SegmentKind::kUncompressed) {
    return payload_size | uint64_t{is_self_contained} << kLengthBits;
  }
  return payload_size | raw_size << kLengthBits | uint64_t{is_self_contained} << 2 * kLengthBits;
}

// Compresses the payload to `at`, or copies it when that makes it no smaller; gives the size there
// and sets `raw_size` as the header has it.
size_t write_payload(SegmentKind kind, ByteView payload, uint8_t* at, size_t room,
                     size_t& raw_size) {
  if (kind == SegmentKind::kLz4) {
    const int made = LZ4_compress_default(reinterpret_cast<const char*>(payload.data()),
                                          reinterpret_cast<char*>(at),
                                          static_cast<int>(payload.size()), static_cast<int>(room));
    if (made > 0 && static_cast<size_t>(made) < payload.size()) {
      raw_size = payload.size();
      return static_cast<size_t>(made);
    }
  }
  std::copy(payload.begin(), payload.end(), at);
  return payload.size();
}

void append_segment(core::Buffer& out, SegmentKind kind, ByteView payload, bool is_self_contained) {
  const size_t head = header_size(kind) + kCrc24Size;
  const size_t room = static_cast<size_t>(LZ4_compressBound(static_cast<int>(payload.size())));
  uint8_t* at = out.reserve(head + room + kCrc32Size);
  size_t raw_size = 0;
  const size_t size = write_payload(kind, payload, at + head, room, raw_size);
  const uint64_t header = pack_header(kind, size, raw_size, is_self_contained);
  put_little_endian(at, header, header_size(kind));
  put_little_endian(at + header_size(kind), segment_crc24(header, header_size(kind)), kCrc24Size);
  put_little_endian(at + head + size, segment_crc32({at + head, size}), kCrc32Size);
  out.commit(head + size + kCrc32Size);
}

// How many bytes at the front are whole frames that fit one segment together.
size_t packed_size(ByteView frames) {
  size_t packed = 0;
  while (packed < frames.size()) {
    const size_t size = detail::frame_size(frames.subspan(packed));
    if (packed + size > kSegmentPayloadMax) break;
    packed += size;
  }
  return packed;
}

void append_in_parts(core::Buffer& out, SegmentKind kind, ByteView frame) {
  while (!frame.empty()) {
    const size_t size = std::min(frame.size(), kSegmentPayloadMax);
    append_segment(out, kind, frame.first(size), false);
    frame = frame.subspan(size);
  }
}

std::unexpected<core::Error> wrong_checksum(std::string_view of, uint32_t found,
                                            uint32_t expected) {
  return malformed(
      kWhat, fmt::format("the checksum of its {} is {:#x}, expected {:#x}", of, found, expected));
}

}  // namespace

uint32_t segment_crc24(uint64_t header, size_t size) {
  uint32_t crc = 0x875060;
  for (size_t i = 0; i < size; ++i, header >>= 8) {
    crc = (crc << 8 ^ kCrc24Table[(crc >> 16 ^ header) & 0xFF]) & 0xFF'FFFF;
  }
  return crc;
}

uint32_t segment_crc32(ByteView payload) {
  if (payload.empty()) return crc32_seed();  // zlib takes no bytes at null for a new beginning
  return static_cast<uint32_t>(
      crc32(crc32_seed(), payload.data(), static_cast<uInt>(payload.size())));
}

void append_segments(core::Buffer& out, SegmentKind kind, ByteView frames) {
  while (!frames.empty()) {
    size_t size = packed_size(frames);
    if (size > 0) {
      append_segment(out, kind, frames.first(size), true);
    } else {
      size = detail::frame_size(frames);
      append_in_parts(out, kind, frames.first(size));
    }
    frames = frames.subspan(size);
  }
}

core::Result<SegmentDecoder::Header> SegmentDecoder::read_header(const uint8_t* bytes) const {
  const size_t size = header_size(kind_);
  const uint64_t packed = get_little_endian(bytes, size);
  const auto found = static_cast<uint32_t>(get_little_endian(bytes + size, kCrc24Size));
  const uint32_t expected = segment_crc24(packed, size);
  if (found != expected) return wrong_checksum("header", found, expected);
  const bool is_lz4 = kind_ == SegmentKind::kLz4;
  return Header{packed & kSegmentPayloadMax,
                is_lz4 ? packed >> kLengthBits & kSegmentPayloadMax : 0,
                (packed >> (is_lz4 ? 2 : 1) * kLengthBits & 1) != 0};
}

core::Result<bool> SegmentDecoder::decode(core::Buffer& input) {
  const size_t head = header_size(kind_) + kCrc24Size;
  if (input.size() < head) return false;
  const auto header = read_header(input.data());
  if (!header) return std::unexpected(header.error());
  const size_t size = head + header->payload_size + kCrc32Size;
  if (input.size() < size) return false;
  const ByteView payload = input.bytes().subspan(head, header->payload_size);
  const uint8_t* end = payload.data() + payload.size();
  const auto found = static_cast<uint32_t>(get_little_endian(end, kCrc32Size));
  const uint32_t expected = segment_crc32(payload);
  if (found != expected) return wrong_checksum("payload", found, expected);
  if (auto taken = take_payload(*header, payload); !taken) return std::unexpected(taken.error());
  input.consume(size);
  return true;
}

core::Status SegmentDecoder::take_payload(const Header& header, ByteView payload) {
  if (frames_.empty() && frames_.capacity() > kKeptBytesMax) frames_.release();
  const size_t before = frames_.size();
  if (auto status = append_payload(header, payload); !status) return status;
  const ByteView added = frames_.bytes().subspan(before);
  return header.is_self_contained ? check_whole(added) : check_part(added);
}

core::Status SegmentDecoder::append_payload(const Header& header, ByteView payload) {
  if (header.raw_size == 0) {
    frames_.append(payload);
    return {};
  }
  uint8_t* at = frames_.reserve(header.raw_size);
  const int made = LZ4_decompress_safe(
      reinterpret_cast<const char*>(payload.data()), reinterpret_cast<char*>(at),
      static_cast<int>(payload.size()), static_cast<int>(header.raw_size));
  if (made < 0 || static_cast<size_t>(made) != header.raw_size) {
    return malformed(kWhat, fmt::format("no LZ4 block of {} bytes", header.raw_size));
  }
  frames_.commit(header.raw_size);
  return {};
}

core::Status SegmentDecoder::check_whole(ByteView frames) const {
  if (missing_ > 0) {
    return malformed(kWhat,
                     fmt::format("self-contained, but {} bytes of a frame were to come", missing_));
  }
  while (!frames.empty()) {
    if (frames.size() < kFrameHeaderSize || detail::frame_size(frames) > frames.size()) {
      return malformed(kWhat, "self-contained, but its last frame is cut");
    }
    frames = frames.subspan(detail::frame_size(frames));
  }
  return {};
}

// The first part of a large frame holds at least its header (which Cassandra expects too), so what
// is to come is known from there on.
core::Status SegmentDecoder::check_part(ByteView part) {
  if (missing_ == 0) {
    if (part.size() < kFrameHeaderSize) {
      return malformed(kWhat,
                       fmt::format("{} bytes of a large frame, less than its header", part.size()));
    }
    const size_t body_size = detail::frame_size(part) - kFrameHeaderSize;
    if (body_size > body_max_) {
      return malformed(kWhat, fmt::format("a frame with a body of {} bytes, at most {} are allowed",
                                          body_size, body_max_));
    }
    missing_ = kFrameHeaderSize + body_size;
  }
  if (part.size() > missing_) {
    return malformed(kWhat, fmt::format("{} bytes of a large frame, of which {} were to come",
                                        part.size(), missing_));
  }
  missing_ -= part.size();
  return {};
}

}  // namespace cqlperf::protocol
