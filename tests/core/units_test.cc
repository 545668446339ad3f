#include "core/units.h"

#include <gtest/gtest.h>

namespace cqlperf::core {
namespace {

TEST(Units, ParsesDurations) {
  EXPECT_EQ(parse_duration_ns("10s"), 10'000'000'000);
  EXPECT_EQ(parse_duration_ns("10"), 10'000'000'000);
  EXPECT_EQ(parse_duration_ns("1.5m"), 90'000'000'000);
  EXPECT_EQ(parse_duration_ns("200ms"), 200'000'000);
  EXPECT_EQ(parse_duration_ns("50us"), 50'000);
  EXPECT_EQ(parse_duration_ns("100ns"), 100);
  EXPECT_EQ(parse_duration_ns("0"), 0);
  EXPECT_EQ(parse_duration_ns("365d"), 365LL * 86'400 * 1'000'000'000);
}

TEST(Units, ParsesSizes) {
  EXPECT_EQ(parse_byte_size("64KiB"), 65536);
  EXPECT_EQ(parse_byte_size("1GiB"), 1LL << 30);
  EXPECT_EQ(parse_byte_size("4k"), 4096);
  EXPECT_EQ(parse_byte_size("100MB"), 100'000'000);
  EXPECT_EQ(parse_byte_size("512"), 512);
}

TEST(Units, ParsesCountsBeyond32Bits) {
  EXPECT_EQ(parse_count("3000000000"), 3'000'000'000);
  EXPECT_EQ(parse_count("100k"), 100'000);
  EXPECT_EQ(parse_count("2.5M"), 2'500'000);
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("1000000000000000"), 1'000'000'000'000'000);
}

TEST(Units, ParsesRates) {
  EXPECT_EQ(parse_rate("5k"), 5000.0);
  EXPECT_EQ(parse_rate("0.5"), 0.5);
  EXPECT_EQ(parse_rate("0"), 0.0);
  EXPECT_EQ(parse_rate("1M"), 1e6);
}

TEST(Units, RefusesWhatIsNoQuantityAndSaysWhatIsRight) {
  for (const char* text : {"", "x", "5x", "-1", "1e999", "1e3", "nan", "inf", "-0.1", "0x10", " 5",
                           "5 s", "99999999999999999999999999999999999999999", "1..2"}) {
    EXPECT_FALSE(parse_duration_ns(text)) << text;
    EXPECT_FALSE(parse_byte_size(text)) << text;
    EXPECT_FALSE(parse_count(text)) << text;
    ASSERT_FALSE(parse_rate(text)) << text;
    EXPECT_NE(parse_rate(text).error().message.find("write for example 5000"), std::string::npos);
    EXPECT_EQ(parse_rate(text).error().code, ErrorCode::kUsage);
  }
  EXPECT_FALSE(parse_count("2.5"));
  EXPECT_FALSE(parse_count("1000000000000001"));
  EXPECT_FALSE(parse_rate("2G"));
  EXPECT_FALSE(parse_rate("0.0000001"));
  EXPECT_FALSE(parse_duration_ns("366d"));
}

TEST(Units, PrintsThreeSignificantDigits) {
  EXPECT_EQ(format_duration_ns(37'000), "37.0 us");
  EXPECT_EQ(format_duration_ns(1'204'000), "1.20 ms");
  EXPECT_EQ(format_duration_ns(999.6e3), "1.00 ms");
  EXPECT_EQ(format_duration_ns(2.01e9), "2.01 s");
  EXPECT_EQ(format_duration_ns(850), "850 ns");
  EXPECT_EQ(format_duration_ns(0), "0 ns");
  EXPECT_EQ(format_byte_size(65536), "64 KiB");
  EXPECT_EQ(format_byte_size(1'610'612'736), "1.5 GiB");
  EXPECT_EQ(format_count(25000), "25,000");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'234'567), "1,234,567");
  EXPECT_EQ(format_count(-1'234), "-1,234");
  EXPECT_EQ(format_rate(5000), "5000/s");
  EXPECT_EQ(format_rate(0.5), "0.50/s");
}

}  // namespace
}  // namespace cqlperf::core
