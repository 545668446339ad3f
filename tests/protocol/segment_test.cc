#include "protocol/segment.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "protocol/auth_success.h"
#include "samples.h"

namespace cqlperf::protocol {
namespace {

using testing::HasSubstr;

constexpr SegmentKind kKinds[] = {SegmentKind::kUncompressed, SegmentKind::kLz4};

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

core::Buffer buffer_of(ByteView bytes) {
  core::Buffer buffer;
  buffer.append(bytes);
  return buffer;
}

Bytes segments_of(SegmentKind kind, ByteView frames) {
  core::Buffer out;
  append_segments(out, kind, frames);
  return to_bytes(out.bytes());
}

// A frame whose size is `size` in all, with content that LZ4 cannot make smaller.
void append_frame_of(core::Buffer& out, size_t size) {
  core::Random random(size);
  Bytes token(size - kFrameHeaderSize - 4);
  std::ranges::generate(token, [&] { return static_cast<uint8_t>(random.next()); });
  append_frame(out, Version::kV5, 1, AuthSuccess{std::move(token)});
}

core::Buffer frames_of(std::initializer_list<size_t> sizes) {
  core::Buffer frames;
  for (const size_t size : sizes) append_frame_of(frames, size);
  return frames;
}

// Decodes all of it; what was decoded, or the error.
core::Result<Bytes> decode(SegmentDecoder& decoder, ByteView segments) {
  core::Buffer input = buffer_of(segments);
  for (;;) {
    const auto decoded = decoder.decode(input);
    if (!decoded) return std::unexpected(decoded.error());
    if (!*decoded) return to_bytes(decoder.frames().bytes());
  }
}

core::Result<Bytes> decode(SegmentKind kind, ByteView segments) {
  SegmentDecoder decoder(kind);
  return decode(decoder, segments);
}

std::string error_of(SegmentKind kind, ByteView segments) {
  const auto decoded = decode(kind, segments);
  return decoded ? "no error" : decoded.error().message;
}

// How many segments there are, and how many of them hold whole frames.
std::pair<int, int> count_segments(ByteView segments) {
  int all = 0, whole = 0;
  while (!segments.empty()) {
    const uint32_t header = segments[0] | segments[1] << 8 | segments[2] << 16;
    all++;
    whole += header >> 17 & 1;
    segments = segments.subspan(6 + (header & kSegmentPayloadMax) + 4);
  }
  return {all, whole};
}

const Bytes kOptions = from_hex("050000000500000000");

TEST(Segment, OptionsAsOthersWriteIt) {
  const Bytes plain = from_hex("090002a4c8c10500000005000000001086284d");
  EXPECT_EQ(segments_of(SegmentKind::kUncompressed, kOptions), plain);
  EXPECT_EQ(*decode(SegmentKind::kUncompressed, plain), kOptions);
  const Bytes stored = from_hex("0900000004c2b8950500000005000000001086284d");
  EXPECT_EQ(segments_of(SegmentKind::kLz4, kOptions), stored);
  EXPECT_EQ(*decode(SegmentKind::kLz4, stored), kOptions);
}

TEST(Segment, AnEmptyOneHoldsNothing) {
  EXPECT_EQ(*decode(SegmentKind::kUncompressed, from_hex("0000026a36c4d37e7744")), Bytes());
}

TEST(Segment, ChecksumsAsOthersHaveThem) {
  EXPECT_EQ(segment_crc24(0x020009, 3), 0xC1C8A4);
  EXPECT_EQ(segment_crc24(0x020000, 3), 0xC4366A);
  EXPECT_EQ(segment_crc32({}), 0x44777ED3);
  EXPECT_EQ(segment_crc32(kOptions), 0x4D288610);
}

TEST(Segment, NothingMakesNoSegment) {
  for (const SegmentKind kind : kKinds) EXPECT_TRUE(segments_of(kind, {}).empty());
}

TEST(Segment, ManyFramesShareOne) {
  const core::Buffer frames = frames_of({13, 100, 20'000});
  const Bytes segments = segments_of(SegmentKind::kUncompressed, frames.bytes());
  EXPECT_EQ(count_segments(segments), std::pair(1, 1));
  EXPECT_EQ(*decode(SegmentKind::kUncompressed, segments), to_bytes(frames.bytes()));
}

TEST(Segment, IsFilledToItsLimitAndNotBeyond) {
  const auto count = [](std::initializer_list<size_t> sizes) {
    return count_segments(segments_of(SegmentKind::kUncompressed, frames_of(sizes).bytes()));
  };
  EXPECT_EQ(count({kSegmentPayloadMax}), std::pair(1, 1));
  EXPECT_EQ(count({kSegmentPayloadMax - 100, 100}), std::pair(1, 1));
  EXPECT_EQ(count({kSegmentPayloadMax - 99, 100}), std::pair(2, 2));
  EXPECT_EQ(count({kSegmentPayloadMax + 1}), std::pair(2, 0));
  EXPECT_EQ(count({2 * kSegmentPayloadMax}), std::pair(2, 0));
  EXPECT_EQ(count({2 * kSegmentPayloadMax + 1}), std::pair(3, 0));
  EXPECT_EQ(count({50, 200'000, 50, 50}), std::pair(4, 2));
}

TEST(Segment, EveryMixOfSizesComesBack) {
  const core::Buffer frames =
      frames_of({13, kSegmentPayloadMax, 500'000, 13, 13, kSegmentPayloadMax + 1, 200'000, 13});
  for (const SegmentKind kind : kKinds) {
    const Bytes segments = segments_of(kind, frames.bytes());
    EXPECT_EQ(*decode(kind, segments), to_bytes(frames.bytes()));
  }
}

TEST(Segment, Lz4MakesThemSmaller) {
  core::Buffer frames;
  for (int16_t i = 0; i < 100; ++i) {
    append_frame(frames, Version::kV5, i, Query{"SELECT * FROM system.local", {}});
  }
  append_frame(frames, Version::kV5, 0, AuthSuccess{Bytes(300'000, 'x')});
  const Bytes segments = segments_of(SegmentKind::kLz4, frames.bytes());
  EXPECT_LT(segments.size(), frames.size() / 50);
  EXPECT_EQ(*decode(SegmentKind::kLz4, segments), to_bytes(frames.bytes()));
}

TEST(Segment, WaitsForEveryByte) {
  const core::Buffer frames = frames_of({50, 131'072});
  for (const SegmentKind kind : kKinds) {
    const Bytes first = segments_of(kind, frames.bytes().first(50));
    SegmentDecoder decoder(kind);
    core::Buffer input;
    for (size_t size = 0; size + 1 < first.size(); ++size) {
      input.append(ByteView(first).subspan(size, 1));
      const auto decoded = decoder.decode(input);
      ASSERT_TRUE(decoded && !*decoded) << size;
    }
    input.append(ByteView(first).last(1));
    EXPECT_TRUE(*decoder.decode(input));
    EXPECT_TRUE(input.empty());
    EXPECT_EQ(decoder.frames().size(), 50u);
  }
}

TEST(Segment, FramesMayBeConsumedInBetween) {
  const core::Buffer frames = frames_of({20, 300'000, 20});
  const Bytes segments = segments_of(SegmentKind::kLz4, frames.bytes());
  SegmentDecoder decoder(SegmentKind::kLz4);
  core::Buffer input = buffer_of(segments);
  std::vector<size_t> sizes;
  while (*decoder.decode(input)) {
    for (;;) {
      const auto frame = next_frame(decoder.frames().bytes(), Direction::kResponse);
      ASSERT_TRUE(frame) << frame.error().message;
      if (!*frame) break;
      sizes.push_back((*frame)->size());
      decoder.frames().consume(sizes.back());
    }
  }
  EXPECT_THAT(sizes, testing::ElementsAre(20, 300'000, 20));
  EXPECT_TRUE(decoder.frames().empty());
}

TEST(Segment, EveryWrongBitIsNoticed) {
  for (const SegmentKind kind : kKinds) {
    const Bytes good = segments_of(kind, kOptions);
    for (size_t bit = 0; bit < good.size() * 8; ++bit) {
      Bytes bad = good;
      bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      const std::string error = error_of(kind, bad);
      const size_t header_size = good.size() - kOptions.size() - 4;
      EXPECT_THAT(error, HasSubstr(bit / 8 < header_size ? "checksum of its header"
                                                         : "checksum of its payload"))
          << bit;
    }
  }
}

// A segment with right checksums, whatever it holds. `raw_size`: of an LZ4 one.
Bytes segment(ByteView payload, bool is_self_contained, std::optional<uint64_t> raw_size = {}) {
  const int header_size = raw_size ? 5 : 3;
  uint64_t header = payload.size() | raw_size.value_or(0) << 17;
  header |= uint64_t{is_self_contained} << (raw_size ? 34 : 17);
  Bytes bytes;
  const auto put = [&](uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
  };
  put(header, header_size);
  put(segment_crc24(header, static_cast<size_t>(header_size)), 3);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  put(segment_crc32(payload), 4);
  return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Segment, ASelfContainedOneHoldsWholeFrames) {
  const auto plain = SegmentKind::kUncompressed;
  const Bytes cut(kOptions.begin(), kOptions.end() - 1);
  EXPECT_THAT(error_of(plain, segment(cut, true)), HasSubstr("its last frame is cut"));
  EXPECT_THAT(error_of(plain, segment(kOptions + cut, true)), HasSubstr("its last frame is cut"));
  const core::Buffer large = frames_of({100});
  EXPECT_THAT(error_of(plain, segment(large.bytes().first(99), true)),
              HasSubstr("its last frame is cut"));
  EXPECT_EQ(error_of(plain, segment(kOptions + kOptions, true)), "no error");
}

TEST(Segment, PartsOfAFrameFollowEachOther) {
  const auto plain = SegmentKind::kUncompressed;
  const core::Buffer large = frames_of({100});
  const Bytes first = segment(large.bytes().first(60), false);
  const Bytes second = segment(large.bytes().subspan(60), false);
  EXPECT_EQ(*decode(plain, first + second), to_bytes(large.bytes()));
  EXPECT_THAT(error_of(plain, first + segment(kOptions, true)),
              HasSubstr("40 bytes of a frame were to come"));
  EXPECT_THAT(error_of(plain, first + first),
              HasSubstr("60 bytes of a large frame, of which 40 were to come"));
  EXPECT_THAT(error_of(plain, segment(large.bytes().first(8), false)),
              HasSubstr("less than its header"));
  EXPECT_THAT(error_of(plain, segment(to_bytes(large.bytes()) + Bytes{5}, false)),
              HasSubstr("101 bytes of a large frame, of which 100"));
}

TEST(Segment, AFrameOverTheLimitIsRefusedAtItsFirstPart) {
  SegmentDecoder decoder(SegmentKind::kUncompressed, 1000);
  const Bytes claim = from_hex("0500000007000003e9");
  EXPECT_THAT(decode(decoder, segment(claim, false)).error().message,
              HasSubstr("a body of 1001 bytes, at most 1000"));
  SegmentDecoder other(SegmentKind::kUncompressed, 1000);
  EXPECT_TRUE(decode(other, segment(from_hex("0500000007000003e8"), false)));
  EXPECT_LT(other.frames().capacity(), size_t{1000});
}

TEST(Segment, BrokenLz4IsNoticed) {
  const Bytes zeros(1000);
  const Bytes good = segments_of(SegmentKind::kLz4, frames_of({13}).bytes());
  EXPECT_EQ(error_of(SegmentKind::kLz4, good), "no error");
  for (const uint64_t raw_size : {1u, 999u, 131'071u}) {
    EXPECT_THAT(error_of(SegmentKind::kLz4, segment(zeros, true, raw_size)),
                HasSubstr("no LZ4 block of " + std::to_string(raw_size)));
  }
  EXPECT_THAT(error_of(SegmentKind::kLz4, segment({}, true, 9)), HasSubstr("no LZ4 block of 9"));
}

TEST(Segment, LargeBuffersAreGivenBack) {
  const Bytes large = segments_of(SegmentKind::kUncompressed, frames_of({4 << 20}).bytes());
  SegmentDecoder decoder(SegmentKind::kUncompressed);
  ASSERT_TRUE(decode(decoder, large));
  decoder.frames().clear();
  ASSERT_TRUE(decode(decoder, segment(kOptions, true)));
  EXPECT_LT(decoder.frames().capacity(), size_t{1} << 20);
}

// Valid checksums let the mutations reach what is behind them.
TEST(Segment, SurvivesMutations) {
  core::Random random(7);
  const Bytes payload = to_bytes(frames_of({13, 40, 13}).bytes());
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = payload;
    for (uint64_t left = random.below(4); left > 0; --left) {
      bytes[random.below(bytes.size())] = static_cast<uint8_t>(random.next());
    }
    bytes.resize(random.below(bytes.size() + 1));
    const bool is_lz4 = random.below(2) == 0;
    const auto raw_size = is_lz4 ? std::optional(random.below(200)) : std::nullopt;
    const Bytes one = segment(bytes, random.below(2) == 0, raw_size);
    const auto kind = is_lz4 ? SegmentKind::kLz4 : SegmentKind::kUncompressed;
    const auto decoded = decode(kind, one);
    EXPECT_TRUE(!decoded || is_lz4 || *decoded == bytes);
    EXPECT_TRUE(decoded || decoded.error().code == core::ErrorCode::kProtocol);
  }
}

TEST(Segment, ThoseOfThePythonDriverAreRead) {
  const std::string folder = CQLPERF_SOURCE_DIR "/tests/protocol/vectors/";
  std::string name, hex;
  Bytes frames;
  std::ifstream requests(folder + "requests_v5.txt");
  while (requests >> name >> hex) frames = frames + from_hex(hex);
  ASSERT_FALSE(frames.empty());
  std::ifstream segments(folder + "segments.txt");
  segments >> name >> hex;
  EXPECT_EQ(*decode(SegmentKind::kUncompressed, from_hex(hex)), frames);
  segments >> name >> hex;
  const auto decoded = decode(SegmentKind::kLz4, from_hex(hex));
  ASSERT_TRUE(decoded) << decoded.error().message;
  const size_t large = 9 + 4 + 300'000;
  ASSERT_EQ(decoded->size(), 2 * frames.size() + large);
  EXPECT_TRUE(std::equal(frames.begin(), frames.end(), decoded->begin()));
  EXPECT_TRUE(std::equal(frames.rbegin(), frames.rend(), decoded->rbegin()));
}

}  // namespace
}  // namespace cqlperf::protocol
