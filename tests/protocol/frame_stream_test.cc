#include "protocol/frame_stream.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/envelope.h"
#include "samples.h"

namespace cqlperf::protocol {
namespace {

using testing::HasSubstr;

struct Agreement {
  Version version;
  Compression compression;
};
constexpr Agreement kAgreements[] = {
    {Version::kV3, Compression::kNone}, {Version::kV4, Compression::kNone},
    {Version::kV3, Compression::kLz4},  {Version::kV4, Compression::kSnappy},
    {Version::kV5, Compression::kNone}, {Version::kV5, Compression::kLz4},
};

// Texts of sizes that make one segment of many frames and many segments of one.
const std::vector<std::string> kTexts = {
    "a", std::string(300, 'b'), "c", std::string(400'000, 'd'), std::string(131'058, 'e'), "f"};

// READY as it is, then a PREPARE for each text in the form that was agreed.
core::Buffer conversation(const Agreement& agreement) {
  core::Buffer out;
  append_frame(out, agreement.version, 0, Options{});
  FrameWriter writer;
  EXPECT_TRUE(writer.is_plain());
  writer.start(agreement.version, agreement.compression);
  core::Buffer frames;
  int16_t stream = 1;
  for (const std::string& text : kTexts) {
    append_frame(frames, agreement.version, stream++, Prepare{text});
  }
  writer.write(frames, out);
  EXPECT_TRUE(frames.empty());
  return out;
}

// Takes frames and gives the texts; the first frame starts what was agreed.
class Listener {
 public:
  explicit Listener(const Agreement& agreement) : agreement_(agreement) {}
  void take(core::Buffer& input) {
    for (;;) {
      const auto frame = reader_.next(input);
      ASSERT_TRUE(frame) << frame.error().message;
      if (!*frame) return;
      take(**frame);
    }
  }
  std::vector<std::string> texts;

 private:
  void take(const Frame& frame) {
    EXPECT_EQ(frame.header.flags, 0);
    EXPECT_EQ(frame.header.body_size, frame.body.size());
    if (frame.header.opcode == Opcode::kOptions) {
      reader_.set_compression(agreement_.compression);
      if (agreement_.version >= Version::kV5) reader_.start_segments();
      return;
    }
    const auto prepare = Prepare::decode_body(agreement_.version, frame.body);
    ASSERT_TRUE(prepare) << prepare.error().message;
    texts.emplace_back(prepare->query);
    EXPECT_EQ(frame.header.stream, texts.size());
  }

  Agreement agreement_;
  FrameReader reader_{Direction::kRequest};
};

TEST(FrameStream, WhatIsWrittenIsRead) {
  for (const Agreement& agreement : kAgreements) {
    core::Buffer input = conversation(agreement);
    Listener listener(agreement);
    listener.take(input);
    EXPECT_EQ(listener.texts, kTexts);
    EXPECT_TRUE(input.empty());
  }
}

TEST(FrameStream, HoweverItIsCut) {
  for (const Agreement& agreement : kAgreements) {
    const core::Buffer all = conversation(agreement);
    for (const size_t piece : {size_t{13}, size_t{4096}, size_t{150'000}}) {
      Listener listener(agreement);
      core::Buffer input;
      for (ByteView rest = all.bytes(); !rest.empty();) {
        const size_t size = std::min(piece, rest.size());
        input.append(rest.first(size));
        listener.take(input);
        rest = rest.subspan(size);
      }
      EXPECT_EQ(listener.texts, kTexts) << piece;
    }
  }
}

TEST(FrameStream, CompressionMakesItSmaller) {
  EXPECT_LT(conversation({Version::kV4, Compression::kLz4}).size(), 10'000u);
  EXPECT_LT(conversation({Version::kV4, Compression::kSnappy}).size(), 40'000u);
  EXPECT_LT(conversation({Version::kV5, Compression::kLz4}).size(), 10'000u);
  EXPECT_GT(conversation({Version::kV5, Compression::kNone}).size(), 500'000u);
}

TEST(FrameStream, AFrameIsValidUntilTheNext) {
  core::Buffer input = conversation({Version::kV4, Compression::kNone});
  FrameReader reader(Direction::kRequest);
  ASSERT_TRUE(reader.next(input));
  const auto frame = reader.next(input);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ(Prepare::decode_body(Version::kV4, (*frame)->body)->query, "a");
  EXPECT_EQ(input.data() + kFrameHeaderSize, (*frame)->body.data());
}

TEST(FrameStream, BodiesOverTheLimitAreRefused) {
  for (const Agreement& agreement : kAgreements) {
    core::Buffer input = conversation(agreement);
    FrameReader reader(Direction::kRequest, 100'000);
    reader.set_compression(agreement.compression);
    ASSERT_TRUE(reader.next(input));
    if (agreement.version >= Version::kV5) reader.start_segments();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(*reader.next(input));
    const auto frame = reader.next(input);
    ASSERT_FALSE(frame);
    EXPECT_THAT(frame.error().message, HasSubstr(" bytes, at most 100000"));
  }
}

TEST(FrameStream, ACompressedBodyNeedsAnAgreement) {
  core::Buffer input = conversation({Version::kV4, Compression::kLz4});
  FrameReader reader(Direction::kRequest);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(*reader.next(input));
  const auto frame = reader.next(input);
  ASSERT_TRUE(frame && *frame);
  EXPECT_THAT(split_request(**frame).error().message, HasSubstr("no compression was agreed"));
}

TEST(FrameStream, InVersion5TheFlagOfCompressionMeansNothing) {
  core::Buffer frames;
  append_frame(frames, Version::kV5, 1, Prepare{"a"});
  frames.data()[1] |= kFlagCompression;
  core::Buffer input;
  append_segments(input, SegmentKind::kUncompressed, frames.bytes());
  FrameReader reader(Direction::kRequest);
  reader.start_segments();
  const auto frame = reader.next(input);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->header.flags, 0);
  EXPECT_EQ(Prepare::decode_body(Version::kV5, (*frame)->body)->query, "a");
}

TEST(FrameStream, BrokenSegmentsAndFramesInThemAreErrors) {
  core::Buffer input = conversation({Version::kV5, Compression::kNone});
  input.data()[kFrameHeaderSize] ^= 1;
  FrameReader reader(Direction::kRequest);
  ASSERT_TRUE(reader.next(input));
  reader.start_segments();
  EXPECT_THAT(reader.next(input).error().message, HasSubstr("checksum of its header"));

  core::Buffer frames;
  append_frame(frames, Version::kV5, 1, Ready{});  // not for a client to say
  core::Buffer wrong;
  append_segments(wrong, SegmentKind::kUncompressed, frames.bytes());
  FrameReader other(Direction::kRequest);
  other.start_segments();
  EXPECT_THAT(other.next(wrong).error().message, HasSubstr("expected a request frame"));
}

TEST(FrameStreamDeathTest, Version5HasNoSnappy) {
  FrameWriter writer;
  EXPECT_DEATH(writer.start(Version::kV5, Compression::kSnappy), "does not have");
}

}  // namespace
}  // namespace cqlperf::protocol
