#include "measure/hdr_log.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "core/random.h"
#include "measure/hdr_codec.h"

namespace cqlperf::measure {
namespace {

using testing::HasSubstr;

TEST(Zigzag, RoundTripAndLength) {
  const std::vector<std::pair<int64_t, size_t>> cases = {
      {0, 1},
      {-1, 1},
      {1, 1},
      {63, 1},
      {64, 2},
      {-64, 1},
      {-65, 2},
      {8191, 2},
      {8192, 3},
      {int64_t{1} << 31, 5},
      {int64_t{1} << 54, 8},
      {(int64_t{1} << 55) - 1, 8},
      {int64_t{1} << 55, 9},
      {std::numeric_limits<int64_t>::max(), 9},
      {std::numeric_limits<int64_t>::min(), 9},
  };
  for (const auto& [value, length] : cases) {
    std::vector<uint8_t> bytes;
    append_zigzag(bytes, value);
    EXPECT_EQ(bytes.size(), length) << value;
    std::span<const uint8_t> rest(bytes);
    EXPECT_EQ(take_zigzag(rest), value);
    EXPECT_TRUE(rest.empty());
    std::span<const uint8_t> cut(bytes.data(), bytes.size() - 1);
    EXPECT_FALSE(take_zigzag(cut)) << value;
  }
}

TEST(Base64, KnownValues) {
  // RFC 4648 section 10.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, encoded] : cases) {
    const std::vector<uint8_t> bytes(plain.begin(), plain.end());
    EXPECT_EQ(encode_base64(bytes), encoded);
    EXPECT_EQ(decode_base64(encoded), bytes);
  }
  for (const char* bad : {"Z", "Zg=", "Zg==Zg==", "Z===", "====", "Zm9*", "Zm 9", "Zm9v\n"}) {
    EXPECT_FALSE(decode_base64(bad)) << bad;
  }
}

Histogram mixed_histogram() {
  core::Random random(3);
  Histogram histogram;
  for (int i = 0; i < 5000; ++i) {
    histogram.record(static_cast<int64_t>(random.below(uint64_t{1} << (i % 42))));
  }
  histogram.record(12345, uint64_t{1} << 40);
  return histogram;
}

void expect_same_buckets(const Histogram& a, const Histogram& b) {
  ASSERT_EQ(a.count(), b.count());
  for (size_t i = 0; i < Histogram::kBucketCount; ++i) {
    ASSERT_EQ(a.count_at(i), b.count_at(i)) << i;
  }
}

TEST(HdrCodec, RoundTrip) {
  Histogram one;
  one.record(37'000);
  Histogram extremes;
  extremes.record(0);
  extremes.record(Histogram::kHighestNs);
  for (const Histogram& histogram : {Histogram(), one, extremes, mixed_histogram()}) {
    const auto decoded = decode_v2(encode_v2(histogram));
    ASSERT_TRUE(decoded) << decoded.error().message;
    expect_same_buckets(*decoded, histogram);
    EXPECT_EQ(decoded->value_at_percentile(99), histogram.value_at_percentile(99));
  }
}

TEST(HdrCodec, DecodedMinimumAndMaximumAreThoseOfTheBuckets) {
  Histogram histogram;
  histogram.record(37'000);
  const auto decoded = decode_v2(encode_v2(histogram));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->min_ns(), 36'992);
  EXPECT_EQ(decoded->max_ns(), 37'023);
}

// An encoding with chosen header fields and counts, to show what is refused.
struct Payload {
  uint32_t cookie = 0x1c849313;
  int32_t length_error = 0;
  int32_t index_offset = 0;
  int32_t digits = 3;
  int64_t lowest = 1;
  int64_t highest = 3'600'000'000'000;
  uint64_t ratio_bits = 0x3ff0000000000000;
  std::vector<int64_t> counts = {0, 1};
};

void put(std::vector<uint8_t>& bytes, uint64_t value, int size) {
  for (int i = size - 1; i >= 0; --i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

std::string encode(const Payload& payload, uint32_t outer_cookie = 0x1c849314) {
  std::vector<uint8_t> counts;
  for (const int64_t count : payload.counts) append_zigzag(counts, count);
  std::vector<uint8_t> plain;
  put(plain, payload.cookie, 4);
  put(plain, static_cast<uint64_t>(static_cast<int64_t>(counts.size()) + payload.length_error), 4);
  put(plain, static_cast<uint32_t>(payload.index_offset), 4);
  put(plain, static_cast<uint32_t>(payload.digits), 4);
  put(plain, static_cast<uint64_t>(payload.lowest), 8);
  put(plain, static_cast<uint64_t>(payload.highest), 8);
  put(plain, payload.ratio_bits, 8);
  plain.insert(plain.end(), counts.begin(), counts.end());
  uLongf size = compressBound(plain.size());
  std::vector<uint8_t> compressed(size);
  EXPECT_EQ(compress(compressed.data(), &size, plain.data(), plain.size()), Z_OK);
  compressed.resize(size);
  std::vector<uint8_t> bytes;
  put(bytes, outer_cookie, 4);
  put(bytes, compressed.size(), 4);
  bytes.insert(bytes.end(), compressed.begin(), compressed.end());
  return encode_base64(bytes);
}

TEST(HdrCodec, AcceptsTheFieldsThatTheRefusalsVary) {
  const auto decoded = decode_v2(encode({}));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->count(), 1U);
  EXPECT_EQ(decoded->count_at(1), 1U);
}

TEST(HdrCodec, RefusesOtherPayloads) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const std::vector<std::pair<Payload, std::string>> cases = {
      {{.cookie = 0x1c849303}, "payload cookie"},
      {{.length_error = 1}, "bytes of counts announced"},
      {{.length_error = -100}, "bytes of counts announced"},
      {{.index_offset = 1}, "offset 1"},
      {{.digits = 2}, "2 digits"},
      {{.lowest = 1000}, "from 1000"},
      {{.highest = 1000}, "to 1000"},
      {{.ratio_bits = 0}, "ratio 0"},
      {{.counts = {-33'792, 1}}, "too many buckets"},
      {{.counts = {-33'793}}, "too many buckets"},
      {{.counts = {kMin}}, "too many buckets"},
      {{.counts = {kMax, 1}}, "counts are too large"},
  };
  for (const auto& [payload, message] : cases) {
    const auto decoded = decode_v2(encode(payload));
    ASSERT_FALSE(decoded) << message;
    EXPECT_EQ(decoded.error().code, core::ErrorCode::kUsage);
    EXPECT_THAT(decoded.error().message, HasSubstr(message));
  }
  EXPECT_THAT(decode_v2(encode({}, 0x1c849304)).error().message, HasSubstr("cookie 0x1c849304"));
}

TEST(HdrCodec, RefusesEveryTruncation) {
  const std::string encoded = encode_v2(mixed_histogram());
  for (size_t length = 0; length < encoded.size(); length += 1 + length / 50) {
    EXPECT_FALSE(decode_v2(encoded.substr(0, length))) << length;
  }
}

TEST(HdrCodec, SurvivesEveryFlippedByte) {
  const std::string encoded = encode_v2(mixed_histogram());
  const auto bytes = decode_base64(encoded);
  ASSERT_TRUE(bytes);
  size_t refused = 0;
  for (size_t i = 0; i < bytes->size(); ++i) {
    std::vector<uint8_t> changed = *bytes;
    changed[i] ^= 0x55;
    refused += decode_v2(encode_base64(changed)) ? 0 : 1;
  }
  EXPECT_GT(refused, bytes->size() * 9 / 10);  // zlib's check sum finds nearly all
}

class HdrLog : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/cqlperf-hdr-log-XXXXXX";
    const int file = mkstemp(name);
    ASSERT_GE(file, 0);
    close(file);
    path_ = name;
  }
  void TearDown() override { unlink(path_.c_str()); }

  std::string content() const {
    std::ifstream file(path_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void set_content(const std::string& text) const { std::ofstream(path_) << text; }

  std::string path_;
};

TEST_F(HdrLog, WritesTheReferenceFormat) {
  Histogram histogram;
  histogram.record(37'000);
  auto writer = HdrLogWriter::open(path_, {"cqlperf 1.0", "two"});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write_base_time(1'700'000'000'250'000'000));
  ASSERT_TRUE(writer->write_interval("response", 1'000'400'000, 999'600'000, histogram));
  // Flushed line by line: all of it is there before the file is closed.
  EXPECT_EQ(content(),
            "#[cqlperf 1.0]\n#[two]\n"
            "#[Histogram log format version 1.3]\n"
            "#[StartTime: 1700000000.250 (seconds since epoch), 2023-11-14T22:13:20Z]\n"
            "#[BaseTime: 1700000000.250 (seconds since epoch)]\n"
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
            "\"Interval_Compressed_Histogram\"\n"
            "Tag=response,1.000,1.000,0.037," +
                encode_v2(histogram) + "\n");
  EXPECT_TRUE(writer->close());
}

TEST_F(HdrLog, RoundTrip) {
  const Histogram histogram = mixed_histogram();
  auto writer = HdrLogWriter::open(path_, {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write_base_time(1'700'000'000'250'000'000));
  ASSERT_TRUE(writer->write_interval("response", 0, 1'000'000'000, histogram));
  ASSERT_TRUE(writer->write_interval("service", 1'000'000'000, 377'000'000, Histogram()));
  ASSERT_TRUE(writer->close());

  std::vector<HdrLogInterval> intervals;
  const auto header = read_hdr_log(
      path_, [&](HdrLogInterval interval) { intervals.push_back(std::move(interval)); });
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_NEAR(static_cast<double>(header->base_wall_ns), 1.70000000025e18, 1e3);
  EXPECT_EQ(header->base_wall_ns, header->start_wall_ns);
  ASSERT_EQ(intervals.size(), 2U);
  EXPECT_EQ(intervals[0].tag, "response");
  EXPECT_EQ(intervals[0].start_ns, 0);
  EXPECT_EQ(intervals[0].length_ns, 1'000'000'000);
  expect_same_buckets(intervals[0].histogram, histogram);
  EXPECT_EQ(intervals[1].tag, "service");
  EXPECT_EQ(intervals[1].start_ns, 1'000'000'000);
  EXPECT_EQ(intervals[1].length_ns, 377'000'000);
  EXPECT_TRUE(intervals[1].histogram.empty());
}

TEST_F(HdrLog, OpenReplacesTheFile) {
  set_content(std::string(10'000, 'x'));
  auto writer = HdrLogWriter::open(path_, {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(content(), "#[Histogram log format version 1.3]\n");
}

TEST_F(HdrLog, ReadsALineWithoutTag) {
  set_content("#comment\n\n0.5,1,0.0," + encode_v2(Histogram()) + "\n");
  int lines = 0;
  const auto header = read_hdr_log(path_, [&](const HdrLogInterval& interval) {
    ++lines;
    EXPECT_EQ(interval.tag, "");
    EXPECT_EQ(interval.start_ns, 500'000'000);
  });
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(lines, 1);
}

TEST_F(HdrLog, NamesTheBadLine) {
  const std::string encoded = encode_v2(Histogram());
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nonsense", "were expected, with commas"},
      {"Tag=a", "a comma was expected after the tag"},
      {"1,2," + encoded, "were expected, with commas"},
      {"x,1.0,0.0," + encoded, "start 'x'"},
      {"1.0,1.0s,0.0," + encoded, "length '1.0s'"},
      {"-1.0,1.0,0.0," + encoded, "start '-1.0'"},
      {"nan,1.0,0.0," + encoded, "start 'nan'"},
      {"1e300,1.0,0.0," + encoded, "start '1e300'"},
      {"1.0,1.0,0.0,AAAA", "not a V2"},
      {"1.0,1.0,0.0,", "not a V2"},
      {"#[BaseTime: tomorrow]", "a time in seconds"},
  };
  for (const auto& [line, message] : cases) {
    set_content("#[Histogram log format version 1.3]\n" + line + "\n");
    const auto header = read_hdr_log(path_, [](const HdrLogInterval&) {});
    ASSERT_FALSE(header) << line;
    EXPECT_THAT(header.error().message, HasSubstr(path_ + ":2: "));
    EXPECT_THAT(header.error().message, HasSubstr(message));
  }
}

TEST(HdrLogErrors, ArePathAndReason) {
  const auto writer = HdrLogWriter::open("/nonexistent/run.hdr", {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, core::ErrorCode::kIo);
  EXPECT_THAT(writer.error().message, HasSubstr("/nonexistent/run.hdr: No such file"));

  const auto full = HdrLogWriter::open("/dev/full", {});
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().message, HasSubstr("/dev/full: No space left"));

  const auto read = read_hdr_log("/nonexistent/run.hdr", [](const HdrLogInterval&) {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, core::ErrorCode::kIo);
}

}  // namespace
}  // namespace cqlperf::measure
