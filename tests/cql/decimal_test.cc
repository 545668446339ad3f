#include "cql/decimal.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/random.h"
#include "value_helpers.h"

namespace cqlperf::cql {
namespace {

using protocol::Bytes;

std::string varint(const std::string& text) {
  const auto bytes = parse_varint(text);
  return bytes ? to_hex(*bytes) : "none";
}
std::string decimal(const std::string& text) {
  const auto bytes = parse_decimal(text);
  return bytes ? to_hex(*bytes) : "none";
}

std::string to_text(__int128 number) {
  if (number == 0) return "0";
  const bool is_negative = number < 0;
  std::string text;
  for (; number != 0; number /= 10) {
    const int digit = static_cast<int>(number % 10);
    text.insert(text.begin(), static_cast<char>('0' + (is_negative ? -digit : digit)));
  }
  return is_negative ? "-" + text : text;
}

// The shortest two's complement bytes, from the machine's own.
Bytes bytes_of(__int128 number) {
  Bytes bytes;
  do {
    bytes.insert(bytes.begin(), static_cast<uint8_t>(number));
    number >>= 8;
  } while (number != (bytes.front() & 0x80 ? -1 : 0));
  return bytes;
}

__int128 random_number(core::Random& random) {
  const auto wide =
      static_cast<__int128>(static_cast<unsigned __int128>(random.next()) << 64 | random.next());
  return wide >> random.below(128);
}

TEST(Varints, AreWhatTheMachineComputes) {
  core::Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const __int128 left = random_number(random);
    const __int128 right = random_number(random);
    const auto bytes = parse_varint(to_text(left));
    ASSERT_TRUE(bytes) << to_text(left);
    ASSERT_EQ(to_hex(*bytes), to_hex(bytes_of(left))) << to_text(left);
    ASSERT_EQ(compare_varints(*bytes, bytes_of(right)), left <=> right);
  }
}

TEST(Varints, OfAnySize) {
  // 2^k and -2^k are the edges of a length.
  EXPECT_EQ(varint("340282366920938463463374607431768211456"),
            "0100000000000000000000000000000000");
  EXPECT_EQ(varint("-170141183460469231731687303715884105728"), "80000000000000000000000000000000");
  EXPECT_EQ(varint("-170141183460469231731687303715884105729"),
            "ff7fffffffffffffffffffffffffffffff");
  EXPECT_EQ(varint(std::string(50'000, '0') + "5"), "05");
  // 10^n = 2^n * 5^n: the lowest n bits are zero, the next one is not.
  const auto million = parse_varint("1" + std::string(99'999, '0'));
  ASSERT_TRUE(million);
  EXPECT_EQ(million->size(), 41'524u);  // 99,999 * log2(10) bits and a sign
  for (size_t i = 0; i < 99'999 / 8; ++i) ASSERT_EQ((*million)[million->size() - 1 - i], 0);
  EXPECT_EQ((*million)[million->size() - 1 - 99'999 / 8], 0x80);
}

TEST(Varints, AreDigits) {
  for (const char* bad : {"", "-", "+", "1.5", "0x1", " 1", "1 ", "--1", "+-1", "1e5", "a"}) {
    EXPECT_EQ(varint(bad), "none") << bad;
  }
  EXPECT_EQ(varint("+7"), "07");
  EXPECT_EQ(varint("-0"), "00");
  EXPECT_EQ(varint(std::string(kNumberDigitsMax + 1, '1')), "none");
}

TEST(Decimals, KeepTheirScale) {
  EXPECT_EQ(decimal("1.00"), "0000000264");
  EXPECT_EQ(decimal("-12.5e-3"), "0000000483");
  EXPECT_EQ(decimal("1e2147483648"), "8000000001");
  EXPECT_EQ(decimal("1e-2147483647"), "7fffffff01");
  EXPECT_EQ(decimal("5."), "0000000005");
  EXPECT_EQ(decimal(".5"), "0000000105");
  for (const char* bad : {"", ".", "e5", "1e", "1e+", "1.2.3", "1e5.5", "1e2147483649", "-",
                          "1e-2147483648", "1e99999999999999999999", "NaN", "1-2", "1e1e1"}) {
    EXPECT_EQ(decimal(bad), "none") << bad;
  }
}

// Double.toString() of Java, made a BigDecimal.
TEST(Decimals, OfDoublesAreAsJavaWritesThem) {
  EXPECT_EQ(to_hex(decimal_of_double(1000)), "000000012710");
  EXPECT_EQ(to_hex(decimal_of_double(-1.5)), "00000001f1");
  EXPECT_EQ(to_hex(decimal_of_double(0.1)), "0000000101");
  EXPECT_EQ(to_hex(decimal_of_double(-0.0)), "0000000100");
  EXPECT_EQ(to_hex(decimal_of_double(1e-7)), "000000080a");
  EXPECT_EQ(to_hex(decimal_of_double(1e20)), "ffffffed0a");
  EXPECT_EQ(to_hex(decimal_of_double(123456.789)), "00000003075bcd15");
  EXPECT_EQ(decimal_of_double(1.7976931348623157e308), *parse_decimal("1.7976931348623157E308"));
  EXPECT_EQ(decimal_of_double(1e7), *parse_decimal("1.0E7"));
  EXPECT_EQ(decimal_of_double(9999999), *parse_decimal("9999999.0"));
  EXPECT_EQ(decimal_of_double(0.001), *parse_decimal("0.001"));
  EXPECT_EQ(decimal_of_double(0.00099), *parse_decimal("9.9E-4"));
}

TEST(Decimals, CompareByValue) {
  const std::vector<std::string> ascending = {"-1e2147483648",
                                              "-1e20",
                                              "-100000000000000000000e-1",
                                              "-10.01",
                                              "-1e1",
                                              "-9.99",
                                              "-1e-2147483647",
                                              "0",
                                              "1e-2147483647",
                                              "9.99",
                                              "1e1",
                                              "10.01",
                                              "100000000000000000000e-1",
                                              "1e20",
                                              "1" + std::string(500, '0') + ".5",
                                              "1e501",
                                              "1e2147483648"};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(compare_decimals(*parse_decimal(ascending[i]), *parse_decimal(ascending[j])),
                i <=> j)
          << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(Decimals, CompareAsNumbersDo) {
  core::Random random(2);
  for (int i = 0; i < 20'000; ++i) {
    // Numbers of few digits, so that they meet; both as thousandths.
    const auto left = static_cast<int64_t>(random.below(4001)) - 2000;
    const auto right = static_cast<int64_t>(random.below(401)) - 200;
    const auto left_bytes = parse_decimal(fmt::format("{}e-3", left));
    const auto right_bytes = parse_decimal(fmt::format("{}e-2", right));
    ASSERT_EQ(compare_decimals(*left_bytes, *right_bytes), left <=> right * 10)
        << left << "e-3 " << right << "e-2";
  }
}

}  // namespace
}  // namespace cqlperf::cql
