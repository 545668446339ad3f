#include "protocol/strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::protocol {
namespace {

using testing::HasSubstr;

// What `read` makes of these bytes, and whether they fitted exactly.
template <class Read>
auto read_all(const Bytes& bytes, Read read) {
  core::ByteReader in(bytes);
  auto value = read(in);
  return std::pair(std::move(value), in.finished());
}

TEST(Strings, OfTheGreatestLength) {
  const std::string longest(kShortMax, 'x');
  core::Buffer out;
  append_string(out, longest);
  core::ByteReader in(out.bytes());
  EXPECT_EQ(read_string(in), longest);
  EXPECT_TRUE(in.finished());
}

TEST(StringsDeathTest, BeyondTheGreatestLength) {
  core::Buffer out;
  EXPECT_DEATH(append_string(out, std::string(kShortMax + 1, 'x')), "more than a \\[short\\]");
  EXPECT_DEATH(append_string_list(out, StringList(kShortMax + 1)), "more than a \\[short\\]");
}

TEST(Strings, LengthsMustFit) {
  EXPECT_FALSE(read_all({0, 2, 'a'}, read_string).second);
  EXPECT_FALSE(read_all({0, 0, 0, 2, 'a'}, read_long_string).second);
  EXPECT_FALSE(read_all({0xFF, 0xFF, 0xFF, 0xFF}, read_long_string).second);
  EXPECT_FALSE(read_all({0x7F, 0xFF, 0xFF, 0xFF, 'a'}, read_bytes).second);
  EXPECT_FALSE(read_all({0xFF, 0xFF, 1}, read_short_bytes).second);
}

TEST(Strings, NegativeLengthOfBytesIsNull) {
  EXPECT_EQ(read_all({0xFF, 0xFF, 0xFF, 0xFE}, read_owned_bytes),
            std::pair(std::optional<Bytes>(), true));
  EXPECT_EQ(read_all({0, 0, 0, 0}, read_owned_bytes), std::pair(std::optional(Bytes()), true));
}

// A count is refused before room is made for that many entries.
TEST(Strings, CountsMustFit) {
  const Bytes bytes = {0xFF, 0xFF, 0, 0, 0, 0};
  EXPECT_EQ(read_all(bytes, read_string_list), std::pair(StringList(), false));
  EXPECT_EQ(read_all(bytes, read_string_map), std::pair(StringMap(), false));
  EXPECT_EQ(read_all(bytes, read_string_multimap), std::pair(StringMultimap(), false));
  EXPECT_EQ(read_all(bytes, read_bytes_map), std::pair(BytesMap(), false));
}

TEST(Strings, TheLastOfEqualKeysCounts) {
  const Bytes bytes = {0, 2, 0, 1, 'k', 0, 1, 'a', 0, 1, 'k', 0, 1, 'b'};
  EXPECT_EQ(read_all(bytes, read_string_map), std::pair(StringMap{{"k", "b"}}, true));
}

TEST(Strings, ErrorsNameThePlace) {
  const Bytes bytes = {0, 1, 2};
  core::ByteReader in(bytes);
  in.read_u16();
  EXPECT_EQ(finish_body("READY", in).error().message,
            "malformed READY: 1 bytes after its end, in a body of 3 bytes");
  in.read_i32();
  EXPECT_EQ(finish_body("READY", in).error().message,
            "malformed READY: the field at byte 2 does not fit the body, which has 3 bytes");
}

TEST(Inet, RoundTrips) {
  for (const char* text : {"127.0.0.1", "::1", "2001:db8::ff"}) {
    const InetEndpoint endpoint{*parse_inet_address(text), 9042};
    EXPECT_EQ(endpoint.address.to_string(), text);
    core::Buffer out;
    append_inet(out, endpoint);
    core::ByteReader in(out.bytes());
    EXPECT_EQ(read_inet(in), endpoint);
    EXPECT_TRUE(in.finished());
  }
}

TEST(Inet, RefusesOtherSizes) {
  for (const uint8_t size : {0, 3, 5, 15, 17, 255}) {
    Bytes bytes(300);
    bytes[0] = size;
    core::ByteReader in(bytes);
    read_inet(in);
    EXPECT_FALSE(in.ok()) << static_cast<int>(size);
  }
}

TEST(Inet, IsText) {
  EXPECT_EQ((InetEndpoint{*parse_inet_address("10.0.0.1"), 9042}).to_string(), "10.0.0.1:9042");
  EXPECT_EQ((InetEndpoint{*parse_inet_address("fe80::1"), 9043}).to_string(), "[fe80::1]:9043");
  for (const char* text : {"", "localhost", "1.2.3", "1.2.3.4:9042", "[::1]", "1.2.3.256"}) {
    const auto address = parse_inet_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_THAT(address.error().message, HasSubstr("write it like 127.0.0.1"));
  }
}

TEST(Uuid, IsText) {
  const std::string text = "123e4567-e89b-12d3-a456-426614174000";
  EXPECT_EQ(parse_uuid(text)->to_string(), text);
  EXPECT_EQ(parse_uuid("123E4567-E89B-12D3-A456-426614174000")->to_string(), text);
  EXPECT_EQ(Uuid().to_string(), "00000000-0000-0000-0000-000000000000");
  for (const std::string bad :
       {"", "123e4567", "123e4567e89b-12d3-a456-4266141740000",
        "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456-4266141740001"}) {
    EXPECT_FALSE(parse_uuid(bad)) << bad;
  }
}

// min_timeuuid('2020-01-01') and max_timeuuid('2020-01-01') of Cassandra 5.0.8.
TEST(Uuid, HoldsATime) {
  const uint64_t ticks = (1'577'836'800'000 - kUuidEpochMillis) * kUuidTicksPerMilli;
  const Uuid lowest = make_time_uuid(ticks, 0x8080'8080'8080'8080);
  EXPECT_EQ(lowest.to_string(), "a747c000-2c29-11ea-8080-808080808080");
  EXPECT_EQ(make_time_uuid(ticks + 9'999, 0x7f7f'7f7f'7f7f'7f7f).to_string(),
            "a747e70f-2c29-11ea-7f7f-7f7f7f7f7f7f");
  EXPECT_EQ(lowest.version(), 1);
  EXPECT_EQ(uuid_ticks(lowest), ticks);
  EXPECT_EQ(uuid_millis(lowest), 1'577'836'800'000);
  for (const uint64_t edge : {uint64_t{0}, uint64_t{0x0123'4567'89ab'cdef}, kUuidTicksMax}) {
    EXPECT_EQ(uuid_ticks(make_time_uuid(edge, 0)), edge);
    EXPECT_EQ(make_time_uuid(edge, 0).version(), 1);
  }
  EXPECT_EQ(uuid_millis(make_time_uuid(0, 0)), kUuidEpochMillis);
}

}  // namespace
}  // namespace cqlperf::protocol
