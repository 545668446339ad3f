#include "protocol/values.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/byte_reader.h"
#include "core/random.h"

namespace cqlperf::protocol {
namespace {

using testing::HasSubstr;

// What `append` writes, its length checked and taken off.
template <class Append>
Bytes value_of(Append append) {
  core::Buffer out;
  append(out);
  core::ByteReader in(out.bytes());
  const auto bytes = read_bytes(in);
  EXPECT_TRUE(bytes && in.finished());
  return bytes ? to_bytes(*bytes) : Bytes();
}

template <class T, class Append, class Decode>
void expect_round_trip(Append append, Decode decode, std::initializer_list<T> values) {
  for (const T& value : values) {
    const auto decoded = decode(value_of([&](core::Buffer& out) { append(out, value); }));
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, value);
  }
}

template <class T>
std::initializer_list<T> extremes() {
  static const T low = std::numeric_limits<T>::lowest();
  static const std::initializer_list<T> values = {low, T(-1), T(0), T(1),
                                                  std::numeric_limits<T>::max()};
  return values;
}

TEST(Values, NumbersRoundTrip) {
  expect_round_trip(append_tinyint, decode_tinyint, extremes<int8_t>());
  expect_round_trip(append_smallint, decode_smallint, extremes<int16_t>());
  expect_round_trip(append_int, decode_int, extremes<int32_t>());
  expect_round_trip(append_bigint, decode_bigint, extremes<int64_t>());
  expect_round_trip(append_counter, decode_counter, extremes<int64_t>());
  expect_round_trip(append_timestamp, decode_timestamp, extremes<int64_t>());
  expect_round_trip(append_date, decode_date, extremes<int32_t>());
  expect_round_trip(append_varint, decode_varint, extremes<int64_t>());
  expect_round_trip(append_float, decode_float, extremes<float>());
  expect_round_trip(append_double, decode_double, extremes<double>());
  expect_round_trip<bool>(append_boolean, decode_boolean, {false, true});
  expect_round_trip<int64_t>(append_time, decode_time, {0, 86'399'999'999'999});
}

TEST(Values, OthersRoundTrip) {
  expect_round_trip<Uuid>(append_uuid, decode_uuid,
                          {Uuid(), *parse_uuid("123e4567-e89b-12d3-a456-426614174000")});
  expect_round_trip<InetAddress>(append_inet_value, decode_inet,
                                 {*parse_inet_address("127.0.0.1"), *parse_inet_address("::1")});
  expect_round_trip<StringList>(append_text_list, decode_text_list, {{}, {"a", "", "b"}});
  expect_round_trip<StringMap>(append_text_map, decode_text_map, {{}, {{"a", "1"}, {"b", ""}}});
  EXPECT_EQ(decode_text(value_of([](core::Buffer& out) { append_text(out, "h\u00e9"); })),
            "h\u00e9");
}

// The examples of the specification, section 6.
TEST(Values, AreTheBytesOfTheSpecification) {
  const std::pair<int64_t, Bytes> varints[] = {
      {0, {0x00}},         {1, {0x01}},  {127, {0x7F}},  {128, {0x00, 0x80}},
      {129, {0x00, 0x81}}, {-1, {0xFF}}, {-128, {0x80}}, {-129, {0xFF, 0x7F}},
  };
  for (const auto& [value, bytes] : varints) {
    EXPECT_EQ(value_of([&](core::Buffer& out) { append_varint(out, value); }), bytes) << value;
    EXPECT_EQ(*decode_varint(bytes), value);
  }
  EXPECT_EQ(value_of([](core::Buffer& out) { append_date(out, 0); }), (Bytes{0x80, 0, 0, 0}));
  EXPECT_EQ(value_of([](core::Buffer& out) { append_int(out, 1); }), (Bytes{0, 0, 0, 1}));
  EXPECT_EQ(value_of([](core::Buffer& out) { append_float(out, 1.5F); }),
            (Bytes{0x3F, 0xC0, 0, 0}));
}

TEST(Values, VarintOfEveryLengthRoundTrips) {
  core::Random random(7);
  for (int round = 0; round < 1000; ++round) {
    const auto value = static_cast<int64_t>(random.next()) >> random.below(64);
    EXPECT_EQ(*decode_varint(value_of([&](core::Buffer& out) { append_varint(out, value); })),
              value);
  }
}

TEST(Values, VarintBeyond64BitsIsAnError) {
  EXPECT_EQ(*decode_varint(Bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 5}), 5);
  EXPECT_EQ(*decode_varint(Bytes{0xFF, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0}), INT64_MIN);
  EXPECT_THAT(decode_varint(Bytes{0, 0x80, 0, 0, 0, 0, 0, 0, 0}).error().message,
              HasSubstr("beyond 64 bits"));
  EXPECT_FALSE(decode_varint(Bytes{0xFF, 0x7F, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(decode_varint(Bytes{}));
}

TEST(Values, NullAndUnset) {
  core::Buffer out;
  append_null(out);
  append_unset(out);
  EXPECT_EQ(to_bytes(out.bytes()), (Bytes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE}));
}

TEST(Values, OfAnotherLengthAreErrors) {
  const auto expect_size = [](auto decode, size_t wanted) {
    for (const size_t size : {size_t{0}, wanted - 1, wanted + 1}) {
      const auto value = decode(Bytes(size));
      ASSERT_FALSE(value) << size;
      EXPECT_EQ(value.error().code, core::ErrorCode::kProtocol);
      EXPECT_THAT(value.error().message, HasSubstr("it needs " + std::to_string(wanted)));
    }
  };
  expect_size(decode_tinyint, 1);
  expect_size(decode_boolean, 1);
  expect_size(decode_smallint, 2);
  expect_size(decode_int, 4);
  expect_size(decode_float, 4);
  expect_size(decode_date, 4);
  expect_size(decode_bigint, 8);
  expect_size(decode_counter, 8);
  expect_size(decode_double, 8);
  expect_size(decode_timestamp, 8);
  expect_size(decode_time, 8);
  expect_size(decode_uuid, 16);
  for (const size_t size : {0, 3, 5, 15, 17}) EXPECT_FALSE(decode_inet(Bytes(size))) << size;
}

TEST(Values, TimeIsWithinADay) {
  EXPECT_FALSE(decode_time(Bytes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
  const Bytes day = value_of([](core::Buffer& out) { append_bigint(out, 86'400'000'000'000); });
  EXPECT_THAT(decode_time(day).error().message, HasSubstr("a day has 86400000000000"));
}

Bytes duration_bytes(const Duration& duration) {
  return value_of([&](core::Buffer& out) { append_duration(out, duration); });
}

// The bytes are those that Cassandra 5.0.8 stores.
TEST(Durations, AreThreeVints) {
  EXPECT_EQ(duration_bytes({0, 0, 0}), (Bytes{0, 0, 0}));
  EXPECT_EQ(duration_bytes({12, 0, 0}), (Bytes{0x18, 0, 0}));
  EXPECT_EQ(duration_bytes({0, -1, 0}), (Bytes{0, 1, 0}));
  EXPECT_EQ(duration_bytes({INT32_MAX, 0, 0}), (Bytes{0xf0, 0xff, 0xff, 0xff, 0xfe, 0, 0}));
  EXPECT_EQ(duration_bytes({0, 0, 1'000}), (Bytes{0, 0, 0x87, 0xd0}));
  EXPECT_EQ(duration_bytes({0, 0, 45'000'000'000'000}),
            (Bytes{0, 0, 0xfc, 0x51, 0xda, 0xc2, 0x07, 0xa0, 0x00}));
  EXPECT_EQ(duration_bytes({0, 0, INT64_MAX}),
            (Bytes{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}));
}

TEST(Durations, RoundTripAtEveryLength) {
  for (int bits = 0; bits < 63; ++bits) {
    const int64_t nanos = (int64_t{1} << bits) - 1;
    const auto part = static_cast<int32_t>(nanos & 0x7fff'ffff);
    for (const Duration& duration : {Duration{part, part, nanos}, Duration{-part, -part, -nanos},
                                     Duration{0, 0, INT64_MIN}, Duration{INT32_MIN, 0, -1}}) {
      const auto decoded = decode_duration(duration_bytes(duration));
      ASSERT_TRUE(decoded) << decoded.error().message;
      EXPECT_EQ(*decoded, duration);
    }
  }
}

TEST(Durations, WrongOnesAreErrors) {
  const Bytes whole = duration_bytes({1, 1'000'000, INT64_MAX});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_duration(ByteView(whole).first(size))) << size;
  }
  EXPECT_THAT(decode_duration(Bytes{1, 2, 2}).error().message, HasSubstr("differ in sign"));
  EXPECT_THAT(decode_duration(Bytes{0xf1, 0, 0, 0, 1, 0, 0}).error().message,
              HasSubstr("32 bits at most"));
  EXPECT_TRUE(decode_duration(Bytes{2, 2, 2, 2}));
}

TEST(Collections, MayHoldNulls) {
  const Bytes list = {0, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, 'x'};
  const auto elements = decode_list(list);
  ASSERT_TRUE(elements);
  EXPECT_FALSE((*elements)[0]);
  EXPECT_EQ(decode_text(*(*elements)[1]), "x");
  EXPECT_THAT(decode_text_list(list).error().message, HasSubstr("null element"));
}

template <class Decode>
void expect_errors_around(Bytes value, Decode decode) {
  EXPECT_TRUE(decode(value));
  for (size_t size = 0; size < value.size(); ++size) {
    EXPECT_FALSE(decode(Bytes(value.begin(), value.begin() + static_cast<ptrdiff_t>(size))))
        << size;
  }
  value.push_back(0);
  EXPECT_FALSE(decode(value));
}

TEST(Collections, AreErrorsWhenCutOrLonger) {
  const StringMap map = {{"a", "1"}, {"b", "2"}};
  const Bytes map_value = value_of([&](core::Buffer& out) { append_text_map(out, map); });
  expect_errors_around(map_value, decode_map);
  expect_errors_around(map_value, decode_text_map);
  const StringList list = {"a", "bc"};
  const Bytes list_value = value_of([&](core::Buffer& out) { append_text_list(out, list); });
  expect_errors_around(list_value, decode_list);
  expect_errors_around(list_value, decode_text_list);
}

TEST(Collections, CountsMustFit) {
  for (const uint8_t first : {0x7F, 0xFF, 0x00}) {
    const Bytes bytes = {first, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0};
    EXPECT_FALSE(decode_list(bytes));
    EXPECT_FALSE(decode_map(bytes));
  }
}

}  // namespace
}  // namespace cqlperf::protocol
