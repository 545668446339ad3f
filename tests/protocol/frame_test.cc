#include "protocol/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/options.h"
#include "protocol/prepare.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {
namespace {

using testing::HasSubstr;

core::Result<std::optional<Frame>> next(const Bytes& bytes, Direction from) {
  return next_frame(bytes, from);
}

std::string error_of(std::string_view bytes, Direction from) {
  const auto frame = next_frame(as_bytes(bytes), from);
  return frame ? "no error" : frame.error().message;
}

TEST(Frame, ReadsOneAfterTheOther) {
  core::Buffer out;
  append_frame(out, Version::kV4, 1, Prepare{"SELECT 1"});
  append_frame(out, Version::kV3, -32768, Options{});

  const auto first = next_frame(out.bytes(), Direction::kRequest);
  ASSERT_TRUE(first && *first);
  const FrameHeader expected{Version::kV4, false, 0, 1, Opcode::kPrepare, 12};
  EXPECT_EQ((*first)->header, expected);
  EXPECT_EQ(Prepare::decode_body(Version::kV4, (*first)->body)->query, "SELECT 1");

  out.consume((*first)->size());
  const auto second = next_frame(out.bytes(), Direction::kRequest);
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->header.stream, -32768);
  EXPECT_EQ((*second)->header.version, Version::kV3);
  EXPECT_TRUE((*second)->body.empty());
}

TEST(Frame, WaitsForEveryByte) {
  core::Buffer out;
  append_frame(out, Version::kV4, 5, Prepare{"SELECT 1"});
  for (size_t size = 0; size < out.size(); ++size) {
    const auto frame = next_frame(out.bytes().first(size), Direction::kRequest);
    ASSERT_TRUE(frame) << size;
    EXPECT_FALSE(*frame) << size;
  }
}

TEST(Frame, KnowsVersion5InHeaders) {
  const auto frame = next({0x85, 0, 0, 0, 0x00, 0, 0, 0, 0}, Direction::kResponse);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->header.version, Version::kV5);
  EXPECT_TRUE((*frame)->header.is_response);
}

TEST(Frame, RefusesOtherVersionsAtTheFirstByte) {
  EXPECT_THAT(error_of("\x42", Direction::kRequest), HasSubstr("found version 66"));
  EXPECT_THAT(error_of("\x82", Direction::kResponse), HasSubstr("found version 2"));
  EXPECT_THAT(error_of("\x86", Direction::kResponse), HasSubstr("expected a frame of CQL"));
  EXPECT_THAT(error_of("SSH-2.0", Direction::kResponse), HasSubstr("from the server"));
}

TEST(Frame, RefusesTheWrongDirection) {
  EXPECT_THAT(error_of("\x04", Direction::kResponse),
              HasSubstr("expected a response frame, found a request frame"));
  EXPECT_THAT(error_of("\x84", Direction::kRequest),
              HasSubstr("expected a request frame, found a response frame"));
  const Bytes query_from_server = {0x84, 0, 0, 0, 0x07, 0, 0, 0, 0};
  EXPECT_THAT(next(query_from_server, Direction::kResponse).error().message,
              HasSubstr("opcode QUERY in a response frame"));
  const Bytes ready_from_client = {0x04, 0, 0, 0, 0x02, 0, 0, 0, 0};
  EXPECT_THAT(next(ready_from_client, Direction::kRequest).error().message,
              HasSubstr("opcode READY in a request frame"));
}

TEST(Frame, NamesPeersThatSpeakHttp) {
  EXPECT_THAT(error_of("HTTP/1.1 400 Bad Request\r\n", Direction::kResponse),
              HasSubstr("the server seems to speak HTTP"));
  EXPECT_THAT(error_of("H", Direction::kResponse), HasSubstr("HTTP"));
  EXPECT_THAT(error_of("GET / HTTP/1.1\r\n", Direction::kRequest),
              HasSubstr("the client seems to speak HTTP"));
}

TEST(Frame, NamesPeersThatSpeakTls) {
  EXPECT_THAT(error_of(std::string_view("\x15\x03\x03\x00\x02\x02\x46", 7), Direction::kResponse),
              HasSubstr("the server seems to speak TLS"));
  EXPECT_THAT(error_of(std::string_view("\x16\x03\x01", 3), Direction::kRequest),
              HasSubstr("the client seems to speak TLS"));
}

TEST(Frame, RefusesUnknownOpcodesAndFlags) {
  for (const uint8_t opcode : {0x04, 0x11, 0xFF}) {
    const Bytes bytes = {0x04, 0, 0, 0, opcode, 0, 0, 0, 0};
    EXPECT_THAT(next(bytes, Direction::kRequest).error().message, HasSubstr("unknown opcode"));
  }
  for (const uint8_t flags : {0x20, 0x40, 0x80}) {
    const Bytes bytes = {0x04, flags, 0, 0, 0x05, 0, 0, 0, 0};
    EXPECT_THAT(next(bytes, Direction::kRequest).error().message,
                HasSubstr("unknown flags 0x" + std::to_string(flags / 16) + "0"));
  }
}

TEST(Frame, RefusesBodiesOverTheLimit) {
  const Bytes largest = {0x04, 0, 0, 0, 0x07, 0x10, 0, 0, 0};
  const auto waits = next(largest, Direction::kRequest);
  EXPECT_TRUE(waits && !*waits);
  const Bytes larger = {0x04, 0, 0, 0, 0x07, 0x10, 0, 0, 1};
  EXPECT_EQ(next(larger, Direction::kRequest).error().message,
            "the body of QUERY has 268435457 bytes, at most 268435456 are allowed");
  const Bytes negative = {0x04, 0, 0, 0, 0x07, 0xFF, 0xFF, 0xFF, 0xFF};
  EXPECT_THAT(next(negative, Direction::kRequest).error().message, HasSubstr("at most"));
  const Bytes small = {0x04, 0, 0, 0, 0x07, 0, 0, 0, 17};
  EXPECT_THAT(next_frame(small, Direction::kRequest, 16).error().message,
              HasSubstr("has 17 bytes, at most 16"));
}

TEST(Frame, NamesOpcodes) {
  EXPECT_EQ(opcode_name(Opcode::kAuthSuccess), "AUTH_SUCCESS");
  EXPECT_EQ(opcode_name(Opcode::kError), "ERROR");
  EXPECT_EQ(opcode_name(static_cast<Opcode>(0x04)), "UNKNOWN");
  EXPECT_TRUE(is_response_opcode(Opcode::kEvent));
  EXPECT_FALSE(is_response_opcode(Opcode::kBatch));
}

TEST(Frame, EveryNamedOpcodeHasOneSide) {
  for (int value = 0; value < 256; ++value) {
    const auto opcode = static_cast<uint8_t>(value);
    const bool is_named = opcode_name(static_cast<Opcode>(value)) != "UNKNOWN";
    const Bytes request = {0x04, 0, 0, 0, opcode, 0, 0, 0, 0};
    const Bytes response = {0x84, 0, 0, 0, opcode, 0, 0, 0, 0};
    const bool is_request = next(request, Direction::kRequest).has_value();
    const bool is_response = next(response, Direction::kResponse).has_value();
    EXPECT_EQ(is_request + is_response, is_named ? 1 : 0) << value;
    EXPECT_EQ(is_response, is_response_opcode(static_cast<Opcode>(value))) << value;
  }
}

TEST(Frame, ItsStreamIsKnownWhateverItsVersion) {
  const auto raw = [](const Bytes& bytes) { return *peek_raw_header(bytes); };
  const Bytes dse = {0x42, 0, 0x12, 0x34, 0x05, 0, 0, 0, 0};
  EXPECT_EQ(raw(dse).version, 66);
  EXPECT_EQ(raw(dse).stream, 0x1234);
  EXPECT_FALSE(raw(dse).is_response);
  for (size_t size = 0; size < dse.size(); ++size) {
    EXPECT_FALSE(peek_raw_header(ByteView(dse).first(size))) << size;
  }
  EXPECT_EQ(raw({0x06, 0x10, 0xFF, 0xFE, 0x05, 0, 0, 0, 0}).stream, -2);
  // Below v3 a stream id has one byte.
  EXPECT_EQ(raw({0x02, 0, 0x07, 0x05, 0, 0, 0, 0, 0}).stream, 7);
  EXPECT_EQ(raw({0x01, 0, 0xFF, 0x05, 0, 0, 0, 0, 0}).stream, -1);
  EXPECT_TRUE(raw({0xC2, 0, 0, 0, 0x05, 0, 0, 0, 0}).is_response);
}

}  // namespace
}  // namespace cqlperf::protocol
