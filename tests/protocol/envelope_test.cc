#include "protocol/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/query.h"
#include "protocol/ready.h"

namespace cqlperf::protocol {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Uuid kTrace = *parse_uuid("58e0a7d7-eebc-11d8-9669-0800200c9a66");

ResponseEnvelope full_response() {
  ResponseEnvelope envelope;
  envelope.tracing_id = kTrace;
  envelope.warnings = {"first", "second"};
  envelope.custom_payload = {{"key", Bytes{1, 2}}, {"null", std::nullopt}};
  return envelope;
}

// A frame of READY or QUERY with any flags and body.
Frame frame_of(uint8_t flags, ByteView body, bool is_response, Version version = Version::kV4) {
  const Opcode opcode = is_response ? Opcode::kReady : Opcode::kQuery;
  return {{version, is_response, flags, 0, opcode, static_cast<uint32_t>(body.size())}, body};
}

TEST(Envelope, OfAResponseIsSplitFromItsMessage) {
  core::Buffer out;
  append_frame(out, Version::kV4, 3, Ready{}, full_response());
  const auto frame = next_frame(out.bytes(), Direction::kResponse);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->header.flags, kFlagTracing | kFlagWarning | kFlagCustomPayload);
  const auto envelope = split_response(**frame);
  ASSERT_TRUE(envelope) << envelope.error().message;
  EXPECT_EQ(envelope->tracing_id, kTrace);
  EXPECT_THAT(envelope->warnings, ElementsAre("first", "second"));
  EXPECT_EQ(envelope->custom_payload, full_response().custom_payload);
  EXPECT_TRUE(Ready::decode_body(Version::kV4, envelope->body));
}

TEST(Envelope, OfARequestIsSplitFromItsMessage) {
  RequestEnvelope sent;
  sent.tracing = true;
  sent.custom_payload = {{"key", Bytes{7}}};
  core::Buffer out;
  append_frame(out, Version::kV4, 3, Query{"SELECT 1", {}}, sent);
  const auto frame = next_frame(out.bytes(), Direction::kRequest);
  ASSERT_TRUE(frame && *frame);
  const auto envelope = split_request(**frame);
  ASSERT_TRUE(envelope) << envelope.error().message;
  EXPECT_TRUE(envelope->tracing);
  EXPECT_EQ(envelope->custom_payload, sent.custom_payload);
  EXPECT_EQ(Query::decode_body(Version::kV4, envelope->body)->query, "SELECT 1");
}

TEST(Envelope, KeepsToWhatVersion3Has) {
  core::Buffer out;
  append_frame(out, Version::kV3, 3, Ready{}, full_response());
  const auto frame = next_frame(out.bytes(), Direction::kResponse);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->header.flags, kFlagTracing);
  const auto envelope = split_response(**frame);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->tracing_id, kTrace);
  EXPECT_TRUE(envelope->warnings.empty());
}

TEST(Envelope, IsAnErrorWhenCutAtAnyByte) {
  core::Buffer out;
  append_envelope(out, Version::kV4, full_response());
  const uint8_t flags = envelope_flags(Version::kV4, full_response());
  for (size_t size = 0; size < out.size(); ++size) {
    const Bytes cut = to_bytes(out.bytes().first(size));
    EXPECT_FALSE(split_response(frame_of(flags, cut, true))) << size;
  }
}

TEST(Envelope, RefusesFlagsThatDoNotBelong) {
  const Bytes body(64);
  EXPECT_THAT(split_response(frame_of(kFlagCompression, body, true)).error().message,
              HasSubstr("no compression was agreed"));
  EXPECT_THAT(split_request(frame_of(kFlagWarning, body, false)).error().message,
              HasSubstr("flags 0x08"));
  EXPECT_THAT(split_response(frame_of(kFlagWarning, body, true, Version::kV3)).error().message,
              HasSubstr("version 3 does not have"));
  EXPECT_THAT(
      split_request(frame_of(kFlagCustomPayload, body, false, Version::kV3)).error().message,
      HasSubstr("version 3 does not have"));
  EXPECT_TRUE(split_response(frame_of(kFlagBeta, body, true)));
}

TEST(Envelope, CompressionIsAFlagBelowVersion5Only) {
  EXPECT_THAT(split_request(frame_of(kFlagCompression, {}, false)).error().message,
              HasSubstr("no compression was agreed"));
  EXPECT_TRUE(split_request(frame_of(kFlagCompression, {}, false, Version::kV5)));
  EXPECT_TRUE(split_response(frame_of(kFlagCompression, {}, true, Version::kV5)));
}

}  // namespace
}  // namespace cqlperf::protocol
