#include "measure/hdr_codec.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>
#include <zlib.h>

#include "core/buffer.h"
#include "core/byte_reader.h"
#include "core/check.h"

namespace cqlperf::measure {

namespace {

using core::ErrorCode;
using core::fail;

// Base cookies of the V2 encodings; 0x10 says that counts are ZigZag LEB128 numbers.
constexpr uint32_t kPayloadCookie = 0x1c849303 | 0x10;
constexpr uint32_t kCompressedCookie = 0x1c849304 | 0x10;
constexpr size_t kHeaderSize = 40;
constexpr size_t kMaxNumberSize = 9;
// More than any histogram of our shape takes, so that a hostile text cannot make us allocate.
constexpr size_t kMaxPayloadSize = kHeaderSize + kMaxNumberSize * Histogram::kBucketCount;

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> make_base64_values() {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kBase64Digits.size(); ++i) {
    values[static_cast<uint8_t>(kBase64Digits[i])] = static_cast<int8_t>(i);
  }
  return values;
}
constexpr std::array<int8_t, 256> kBase64Values = make_base64_values();

std::vector<uint8_t> encode_counts(const Histogram& histogram) {
  std::vector<uint8_t> bytes;
  int64_t zeros = 0;
  const auto end_run = [&] {
    // A single empty bucket is written as the count 0, as the reference does.
    if (zeros > 0) append_zigzag(bytes, zeros == 1 ? 0 : -zeros);
    zeros = 0;
  };
  for (size_t i = 0; i < histogram.end_index(); ++i) {
    const uint64_t count = histogram.count_at(i);
    if (count == 0) {
      ++zeros;
      continue;
    }
    end_run();
    append_zigzag(bytes, static_cast<int64_t>(count));
  }
  return bytes;
}

core::Buffer encode_payload(const Histogram& histogram) {
  const std::vector<uint8_t> counts = encode_counts(histogram);
  core::Buffer payload(kHeaderSize + counts.size());
  payload.append_i32(static_cast<int32_t>(kPayloadCookie));
  payload.append_i32(static_cast<int32_t>(counts.size()));
  payload.append_i32(0);  // normalizing index offset
  payload.append_i32(Histogram::kSignificantDigits);
  payload.append_i64(Histogram::kLowestDiscernibleNs);
  payload.append_i64(Histogram::kHighestNs);
  payload.append_i64(std::bit_cast<int64_t>(1.0));  // integer to double conversion ratio
  payload.append(counts);
  return payload;
}

std::unexpected<core::Error> malformed(std::string_view what) {
  return fail(ErrorCode::kUsage, fmt::format("not a V2 compressed HdrHistogram: {}", what));
}

core::Result<std::vector<uint8_t>> decompress(std::span<const uint8_t> bytes) {
  core::ByteReader reader(bytes);
  const auto cookie = static_cast<uint32_t>(reader.read_i32());
  if (!reader.ok() || cookie != kCompressedCookie) {
    return malformed(
        fmt::format("cookie {:#x} where {:#x} was expected", cookie, kCompressedCookie));
  }
  const int32_t length = reader.read_i32();
  if (length < 0 || static_cast<size_t>(length) != reader.remaining()) {
    return malformed(
        fmt::format("{} compressed bytes announced, {} present", length, reader.remaining()));
  }
  const auto compressed = reader.read_rest();
  std::vector<uint8_t> payload(kMaxPayloadSize);
  uLongf payload_size = payload.size();
  const int status = uncompress(payload.data(), &payload_size, compressed.data(),
                                static_cast<uLong>(compressed.size()));
  if (status != Z_OK) return malformed(fmt::format("zlib error {}", status));
  payload.resize(payload_size);
  return payload;
}

// Reads the header, and leaves the reader at the counts.
core::Status check_header(core::ByteReader& reader) {
  const auto cookie = static_cast<uint32_t>(reader.read_i32());
  const int32_t length = reader.read_i32();
  const int32_t index_offset = reader.read_i32();
  const int32_t digits = reader.read_i32();
  const int64_t lowest = reader.read_i64();
  const int64_t highest = reader.read_i64();
  const auto ratio = std::bit_cast<double>(reader.read_i64());
  if (!reader.ok()) return malformed("its header is cut short");
  if (cookie != kPayloadCookie) {
    return malformed(
        fmt::format("payload cookie {:#x} where {:#x} was expected", cookie, kPayloadCookie));
  }
  if (length < 0 || static_cast<size_t>(length) != reader.remaining()) {
    return malformed(
        fmt::format("{} bytes of counts announced, {} present", length, reader.remaining()));
  }
  if (index_offset != 0 || ratio != 1.0 || digits != Histogram::kSignificantDigits ||
      lowest != Histogram::kLowestDiscernibleNs || highest != Histogram::kHighestNs) {
    return malformed(fmt::format(
        "it has values from {} to {} with {} digits (offset {}, ratio {}); only logs of this "
        "program can be read: values from {} to {} with {} digits (offset 0, ratio 1)",
        lowest, highest, digits, index_offset, ratio, Histogram::kLowestDiscernibleNs,
        Histogram::kHighestNs, Histogram::kSignificantDigits));
  }
  return {};
}

core::Result<Histogram> decode_counts(std::span<const uint8_t> bytes) {
  Histogram histogram;
  uint64_t index = 0;
  while (!bytes.empty()) {
    const std::optional<int64_t> number = take_zigzag(bytes);
    if (!number) return malformed("its counts are cut short");
    // Negated as unsigned: INT64_MIN has no positive counterpart.
    const uint64_t run = *number < 0 ? 0 - static_cast<uint64_t>(*number) : 1;
    if (run > Histogram::kBucketCount - index) return malformed("it has too many buckets");
    if (*number > 0) {
      const auto count = static_cast<uint64_t>(*number);
      if (count > INT64_MAX - histogram.count()) return malformed("its counts are too large");
      histogram.record_bucket(index, count);
    }
    index += run;
  }
  return histogram;
}

}  // namespace

void append_zigzag(std::vector<uint8_t>& bytes, int64_t value) {
  uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  for (size_t i = 1; i < kMaxNumberSize && rest >= 0x80; ++i) {
    bytes.push_back(static_cast<uint8_t>(rest | 0x80));
    rest >>= 7;
  }
  bytes.push_back(static_cast<uint8_t>(rest));
}

std::optional<int64_t> take_zigzag(std::span<const uint8_t>& bytes) {
  uint64_t rest = 0;
  for (size_t i = 0; i < kMaxNumberSize && i < bytes.size(); ++i) {
    const bool last_possible = i + 1 == kMaxNumberSize;
    const uint64_t bits = last_possible ? bytes[i] : bytes[i] & 0x7f;
    rest |= bits << (7 * i);
    if (last_possible || (bytes[i] & 0x80) == 0) {
      bytes = bytes.subspan(i + 1);
      return static_cast<int64_t>((rest >> 1) ^ (0 - (rest & 1)));
    }
  }
  return std::nullopt;
}

std::string encode_base64(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t present = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < present ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; ++k) {
      text += k <= present ? kBase64Digits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::vector<uint8_t>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_padding = i >= text.size() - padding;
    const int value = is_padding ? 0 : kBase64Values[static_cast<uint8_t>(text[i])];
    if (value < 0) return std::nullopt;
    group = group << 6 | static_cast<uint32_t>(value);
    if (i % 4 != 3) continue;
    for (const int shift : {16, 8, 0}) bytes.push_back(static_cast<uint8_t>(group >> shift));
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string encode_v2(const Histogram& histogram) {
  const core::Buffer payload = encode_payload(histogram);
  uLongf compressed_size = compressBound(payload.size());
  std::vector<uint8_t> compressed(compressed_size);
  const int status = compress2(compressed.data(), &compressed_size, payload.data(),
                               static_cast<uLong>(payload.size()), Z_DEFAULT_COMPRESSION);
  CQLPERF_CHECK(status == Z_OK, "zlib refused a buffer of the size that it asked for");
  core::Buffer encoded(8 + compressed_size);
  encoded.append_i32(static_cast<int32_t>(kCompressedCookie));
  encoded.append_i32(static_cast<int32_t>(compressed_size));
  encoded.append(compressed.data(), compressed_size);
  return encode_base64(encoded.bytes());
}

core::Result<Histogram> decode_v2(std::string_view base64) {
  const auto bytes = decode_base64(base64);
  if (!bytes) return malformed("it is not base64");
  const auto payload = decompress(*bytes);
  if (!payload) return std::unexpected(payload.error());
  core::ByteReader reader(*payload);
  if (core::Status status = check_header(reader); !status) return std::unexpected(status.error());
  return decode_counts(reader.read_rest());
}

}  // namespace cqlperf::measure
