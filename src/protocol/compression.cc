#include "protocol/compression.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <lz4.h>
#include <snappy.h>

#include "core/byte_reader.h"
#include "core/check.h"

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kWhat = "compressed body";
constexpr size_t kLz4LengthSize = 4;
// More than this many bytes from each compressed one is not possible: a match of LZ4 grows by 255
// for each byte, one of Snappy makes 64 of three.
constexpr size_t kLz4RatioMax = 255;
constexpr size_t kSnappyRatioMax = 32;

const char* as_chars(const uint8_t* bytes) { return reinterpret_cast<const char*>(bytes); }
char* as_chars(uint8_t* bytes) { return reinterpret_cast<char*>(bytes); }

void append_lz4(core::Buffer& out, ByteView body) {
  const int size = static_cast<int>(body.size());
  const int room = LZ4_compressBound(size);
  out.append_i32(size);
  uint8_t* at = out.reserve(static_cast<size_t>(room));
  const int written = LZ4_compress_default(as_chars(body.data()), as_chars(at), size, room);
  CQLPERF_CHECK(written > 0, "LZ4 has room for the worst case");
  out.commit(static_cast<size_t>(written));
}

void append_snappy(core::Buffer& out, ByteView body) {
  uint8_t* at = out.reserve(snappy::MaxCompressedLength(body.size()));
  size_t written = 0;
  snappy::RawCompress(as_chars(body.data()), body.size(), as_chars(at), &written);
  out.commit(written);
}

core::Status check_claim(size_t claimed, size_t compressed, size_t ratio_max, uint32_t body_max) {
  if (claimed > body_max) {
    return malformed(kWhat, fmt::format("it claims to hold {} bytes, at most {} are allowed",
                                        claimed, body_max));
  }
  if (claimed > compressed * ratio_max) {
    return malformed(kWhat, fmt::format("it claims to hold {} bytes, which {} bytes cannot",
                                        claimed, compressed));
  }
  return {};
}

core::Status append_from_lz4(core::Buffer& out, ByteView compressed, uint32_t body_max) {
  core::ByteReader in(compressed);
  const auto claimed = static_cast<uint32_t>(in.read_i32());
  if (!in.ok()) return malformed(kWhat, "no length before the LZ4 block");
  const ByteView block = in.read_rest();
  if (auto status = check_claim(claimed, block.size(), kLz4RatioMax, body_max); !status) {
    return status;
  }
  uint8_t* at = out.reserve(claimed);
  const int made = LZ4_decompress_safe(as_chars(block.data()), as_chars(at),
                                       static_cast<int>(block.size()), static_cast<int>(claimed));
  if (made < 0 || static_cast<uint32_t>(made) != claimed) {
    return malformed(kWhat, fmt::format("no LZ4 block of {} bytes", claimed));
  }
  out.commit(claimed);
  return {};
}

core::Status append_from_snappy(core::Buffer& out, ByteView compressed, uint32_t body_max) {
  size_t claimed = 0;
  if (!snappy::GetUncompressedLength(as_chars(compressed.data()), compressed.size(), &claimed)) {
    return malformed(kWhat, "no length at the front of the Snappy data");
  }
  if (auto status = check_claim(claimed, compressed.size(), kSnappyRatioMax, body_max); !status) {
    return status;
  }
  uint8_t* at = out.reserve(claimed);
  if (!snappy::RawUncompress(as_chars(compressed.data()), compressed.size(), as_chars(at))) {
    return malformed(kWhat, fmt::format("no Snappy data of {} bytes", claimed));
  }
  out.commit(claimed);
  return {};
}

// Appends one frame, compressed when that makes it smaller.
void append_compressed_frame(core::Buffer& out, Compression compression, ByteView frame) {
  const ByteView body = frame.subspan(kFrameHeaderSize);
  if (body.empty()) return out.append(frame);
  const size_t start = out.size();
  out.append(frame.first(kFrameHeaderSize));
  append_compressed(out, compression, body);
  if (out.size() - start >= frame.size()) {
    out.truncate(start);
    return out.append(frame);
  }
  out.data()[start + detail::kFlagsOffset] |= kFlagCompression;
  end_frame(out, start);
}

}  // namespace

std::string_view compression_name(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "none";
    case Compression::kLz4:
      return "lz4";
    case Compression::kSnappy:
      return "snappy";
  }
  return "";
}

std::optional<Compression> parse_compression(std::string_view name) {
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  for (const Compression compression :
       {Compression::kNone, Compression::kLz4, Compression::kSnappy}) {
    if (std::ranges::equal(name, compression_name(compression), is_same)) return compression;
  }
  return std::nullopt;
}

void append_compressed(core::Buffer& out, Compression compression, ByteView body) {
  CQLPERF_CHECK(!body.empty() && body.size() <= kFrameBodyMax, "a body that can be compressed");
  CQLPERF_CHECK(compression != Compression::kNone, "compression without a way to do it");
  compression == Compression::kLz4 ? append_lz4(out, body) : append_snappy(out, body);
}

core::Status append_decompressed(core::Buffer& out, Compression compression, ByteView compressed,
                                 uint32_t body_max) {
  switch (compression) {
    case Compression::kLz4:
      return append_from_lz4(out, compressed, body_max);
    case Compression::kSnappy:
      return append_from_snappy(out, compressed, body_max);
    case Compression::kNone:
      break;
  }
  return malformed(kWhat, "no compression was agreed");
}

void append_compressed_frames(core::Buffer& out, Compression compression, ByteView frames) {
  while (!frames.empty()) {
    const size_t size = detail::frame_size(frames);
    append_compressed_frame(out, compression, frames.first(size));
    frames = frames.subspan(size);
  }
}

}  // namespace cqlperf::protocol
