#include "protocol/compression.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "samples.h"

namespace cqlperf::protocol {
namespace {

using testing::HasSubstr;

constexpr Compression kWays[] = {Compression::kLz4, Compression::kSnappy};

Bytes compressed(Compression compression, ByteView body) {
  core::Buffer out;
  append_compressed(out, compression, body);
  return to_bytes(out.bytes());
}

core::Result<Bytes> decompressed(Compression compression, ByteView body,
                                 uint32_t body_max = kFrameBodyMax) {
  core::Buffer out;
  const auto status = append_decompressed(out, compression, body, body_max);
  if (!status) return std::unexpected(status.error());
  return to_bytes(out.bytes());
}

std::string error_of(Compression compression, ByteView body, uint32_t body_max = kFrameBodyMax) {
  const auto result = decompressed(compression, body, body_max);
  return result ? "no error" : result.error().message;
}

TEST(Compression, HasTheNamesOfStartup) {
  EXPECT_EQ(compression_name(Compression::kLz4), "lz4");
  EXPECT_EQ(compression_name(Compression::kSnappy), "snappy");
  for (const Compression each : {Compression::kNone, Compression::kLz4, Compression::kSnappy}) {
    EXPECT_EQ(parse_compression(compression_name(each)), each);
  }
  EXPECT_EQ(parse_compression("LZ4"), Compression::kLz4);
  EXPECT_FALSE(parse_compression("zstd"));
  EXPECT_FALSE(parse_compression("lz"));
  EXPECT_FALSE(parse_compression(""));
}

TEST(Compression, Version5HasNoSnappy) {
  EXPECT_FALSE(is_available(Compression::kSnappy, Version::kV5));
  EXPECT_TRUE(is_available(Compression::kLz4, Version::kV5));
  EXPECT_TRUE(is_available(Compression::kSnappy, Version::kV4));
}

TEST(Compression, GivesBackWhatItWasGiven) {
  core::Random random(1);
  for (const Compression way : kWays) {
    for (const size_t size : {1, 2, 100, 70'000, 3'000'000}) {
      Bytes body(size);
      for (size_t i = 0; i < size; i += 3) body[i] = static_cast<uint8_t>(random.next());
      const auto result = decompressed(way, compressed(way, body));
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(*result, body);
    }
    EXPECT_LT(compressed(way, Bytes(10'000)).size(), 1000u);
  }
}

TEST(Compression, BytesAsOthersWriteThem) {
  const Bytes lz4 = {0, 0, 0, 5, 0x50, 'h', 'e', 'l', 'l', 'o'};
  EXPECT_EQ(compressed(Compression::kLz4, as_bytes("hello")), lz4);
  EXPECT_EQ(*decompressed(Compression::kLz4, lz4), to_bytes(as_bytes("hello")));
  const Bytes snappy = {5, 0x10, 'h', 'e', 'l', 'l', 'o'};
  EXPECT_EQ(compressed(Compression::kSnappy, as_bytes("hello")), snappy);
  EXPECT_EQ(*decompressed(Compression::kSnappy, snappy), to_bytes(as_bytes("hello")));
}

TEST(Compression, AnEmptyBodyMayHaveBeenCompressed) {
  EXPECT_EQ(*decompressed(Compression::kLz4, Bytes{0, 0, 0, 0, 0}), Bytes());
  EXPECT_EQ(*decompressed(Compression::kSnappy, Bytes{0}), Bytes());
}

TEST(Compression, AFewBytesCannotClaimMany) {
  const Bytes lz4 = {0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(error_of(Compression::kLz4, lz4), HasSubstr("claims to hold 2147483647 bytes"));
  const Bytes negative = {0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(error_of(Compression::kLz4, negative), HasSubstr("claims to hold 4294967295"));
  const Bytes snappy = {0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0, 0, 0, 0, 0};
  EXPECT_THAT(error_of(Compression::kSnappy, snappy), HasSubstr("claims to hold 2147483647 bytes"));
  const Bytes within = {0x0F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(error_of(Compression::kLz4, within), HasSubstr("which 6 bytes cannot"));
  const Bytes within_snappy = {0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(error_of(Compression::kSnappy, within_snappy), HasSubstr("which 10 bytes cannot"));
}

TEST(Compression, NothingIsAllocatedForAFalseClaim) {
  core::Buffer out;
  const Bytes lz4 = {0x0F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0};
  EXPECT_FALSE(append_decompressed(out, Compression::kLz4, lz4, kFrameBodyMax));
  const Bytes snappy = {0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0, 0, 0};
  EXPECT_FALSE(append_decompressed(out, Compression::kSnappy, snappy, kFrameBodyMax));
  EXPECT_EQ(out.capacity(), 0u);
}

TEST(Compression, TheLimitIsOfTheContent) {
  for (const Compression way : kWays) {
    const Bytes body = compressed(way, Bytes(1000));
    EXPECT_TRUE(decompressed(way, body, 1000));
    EXPECT_THAT(error_of(way, body, 999), HasSubstr("1000 bytes, at most 999"));
  }
}

TEST(Compression, TheMostThatABlockCanHoldIsAccepted) {
  for (const Compression way : kWays) {
    const Bytes body = compressed(way, Bytes(20'000'000));
    const auto result = decompressed(way, body);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->size(), 20'000'000u);
  }
}

TEST(Compression, WhatIsCutOrWithoutAgreementIsAnError) {
  const Bytes text(300, 'x');
  for (const Compression way : kWays) {
    const Bytes body = compressed(way, text);
    for (size_t size = 0; size < body.size(); ++size) {
      EXPECT_FALSE(decompressed(way, ByteView(body).first(size))) << size;
    }
    EXPECT_THAT(error_of(Compression::kNone, body), HasSubstr("no compression was agreed"));
  }
}

TEST(Compression, SurvivesMutations) {
  core::Random random(3);
  const Bytes text = to_bytes(as_bytes("INSERT INTO test (a, b) VALUES (1, 2); INSERT INTO test"));
  for (const Compression way : kWays) {
    const Bytes good = compressed(way, text);
    for (int round = 0; round < 50'000; ++round) {
      Bytes body = good;
      for (uint64_t left = 1 + random.below(3); left > 0; --left) {
        body[random.below(body.size())] = static_cast<uint8_t>(random.next());
      }
      const auto result = decompressed(way, body);
      EXPECT_TRUE(result || result.error().code == core::ErrorCode::kProtocol);
    }
  }
}

TEST(CompressedFrames, OnlyThoseThatGetSmallerAreCompressed) {
  core::Buffer frames;
  append_frame(frames, Version::kV4, 1, Options{});            // no body
  append_frame(frames, Version::kV4, 2, Prepare{"SELECT a"});  // too small to gain
  append_frame(frames, Version::kV4, 3, Prepare{std::string(1000, 'x')});
  for (const Compression way : kWays) {
    core::Buffer out;
    out.append("before");
    append_compressed_frames(out, way, frames.bytes());
    out.consume(6);
    ByteView rest = out.bytes();
    ByteView original = frames.bytes();
    for (const bool is_compressed : {false, false, true}) {
      const auto frame = next_frame(rest, Direction::kRequest);
      ASSERT_TRUE(frame && *frame);
      const auto expected = next_frame(original, Direction::kRequest);
      EXPECT_EQ((*frame)->header.flags, is_compressed ? kFlagCompression : 0);
      EXPECT_EQ((*frame)->header.stream, (*expected)->header.stream);
      const Bytes body =
          is_compressed ? *decompressed(way, (*frame)->body) : to_bytes((*frame)->body);
      EXPECT_EQ(body, to_bytes((*expected)->body));
      rest = rest.subspan((*frame)->size());
      original = original.subspan((*expected)->size());
    }
    EXPECT_TRUE(rest.empty());
    EXPECT_LT(out.size(), 200u);
  }
}

}  // namespace
}  // namespace cqlperf::protocol
