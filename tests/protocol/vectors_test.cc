// Requests as the Python driver encodes them (vectors/make_vectors.py), byte for byte.
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "protocol/envelope.h"
#include "samples.h"

namespace cqlperf::protocol {
namespace {

constexpr int16_t kStream = 0x1234;

std::map<std::string, std::string> read_vectors(Version version) {
  const auto name = "requests_v" + std::to_string(static_cast<int>(version)) + ".txt";
  std::ifstream file(std::string(CQLPERF_SOURCE_DIR) + "/tests/protocol/vectors/" + name);
  std::map<std::string, std::string> vectors;
  for (std::string key, hex; file >> key >> hex;) vectors[key] = hex;
  return vectors;
}

std::string to_hex(ByteView bytes) {
  std::string hex;
  for (const uint8_t byte : bytes) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

constexpr Version kVersions[] = {Version::kV3, Version::kV4, Version::kV5};

TEST(Vectors, AreWhatWeEncode) {
  for (const Version version : kVersions) {
    auto vectors = read_vectors(version);
    ASSERT_EQ(vectors.size(), version < Version::kV5 ? 12 : 15);
    samples::visit_requests(version, [&](const std::string& name, const auto& message) {
      const auto vector = vectors.extract(name);
      if (vector.empty()) return;  // a form that the driver does not have
      core::Buffer out;
      append_frame(out, version, kStream, message);
      EXPECT_EQ(to_hex(out.bytes()), vector.mapped()) << name;
    });
    EXPECT_TRUE(vectors.empty()) << "no sample for " << vectors.begin()->first;
  }
}

template <class Message>
void expect_readable(Version version, const std::string& name, const Message& message) {
  core::Buffer out;
  append_frame(out, version, kStream, message);
  const auto frame = next_frame(out.bytes(), Direction::kRequest);
  ASSERT_TRUE(frame && *frame) << name;
  EXPECT_EQ((*frame)->header.stream, kStream);
  EXPECT_EQ((*frame)->header.version, version);
  EXPECT_EQ((*frame)->header.opcode, Message::kOpcode);
  EXPECT_EQ((*frame)->size(), out.size());
  const auto envelope = split_request(**frame);
  ASSERT_TRUE(envelope) << name;
  EXPECT_TRUE(Message::decode_body(version, envelope->body)) << name;
}

TEST(Vectors, AreFramesThatWeRead) {
  for (const Version version : kVersions) {
    samples::visit_requests(version, [&](const std::string& name, const auto& message) {
      expect_readable(version, name, message);
    });
  }
}

}  // namespace
}  // namespace cqlperf::protocol
