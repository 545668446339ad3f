#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cql/literal_time.h"
#include "cql/values.h"
#include "value_helpers.h"

namespace cqlperf::cql {
namespace {

using protocol::ColumnType;
using protocol::TypeId;
using testing::HasSubstr;

// The parsed statement's value, taken out of a parenthesis.
Result<protocol::Bytes> convert(const ColumnType& type, const std::string& literal) {
  const auto parsed = parse_term(literal);
  if (!parsed) return std::unexpected(parsed.error());
  const Term& term = term_of(*parsed);
  const bool is_in_parenthesis = term.kind == Term::Kind::kTuple && term.items.size() == 1;
  return literal_to_bytes(is_in_parenthesis ? term.items[0] : term, type, "v");
}

std::string message(const char* type, const std::string& literal) {
  const auto bytes = convert(type_of(type), literal);
  return bytes ? "stored" : bytes.error().message;
}

TEST(Literals, AreReadAsCassandraDoes) {
  expect_as_cassandra("literals.txt", [](const ColumnType& type, const std::string& literal) {
    return outcome(convert(type, literal));
  });
}

// The texts of Cassandra 5.0.8.
TEST(Literals, ErrorsAreWordedAsCassandras) {
  EXPECT_EQ(message("bigint", "'a'"), "Invalid STRING constant (a) for \"v\" of type bigint");
  EXPECT_EQ(message("ascii", "0x01"), "Invalid HEX constant (0x01) for \"v\" of type ascii");
  EXPECT_EQ(message("int", "1.5"), "Invalid FLOAT constant (1.5) for \"v\" of type int");
  EXPECT_EQ(message("int", "true"), "Invalid BOOLEAN constant (true) for \"v\" of type int");
  EXPECT_EQ(message("int", "12h30m"), "Invalid DURATION constant (12h30m) for \"v\" of type int");
  EXPECT_EQ(message("int", "2147483648"), "Unable to make int from '2147483648'");
  EXPECT_EQ(message("smallint", "-32769"), "Unable to make short from '-32769'");
  EXPECT_EQ(message("tinyint", "128"), "Unable to make byte from '128'");
  EXPECT_EQ(message("blob", "0x0"), "cannot parse '0' as hex bytes");
  EXPECT_EQ(message("inet", "'1.2.3.4.5'"), "Unable to make inet address from '1.2.3.4.5'");
  EXPECT_EQ(message("decimal", "NaN"), "unable to make BigDecimal from 'NaN'");
  EXPECT_EQ(message("duration", "1"), "Unable to convert '1' to a duration");
  EXPECT_EQ(message("duration", "1m1h"), "Invalid duration. The minutes should be after hours");
  EXPECT_EQ(message("duration", "1h1h"),
            "Invalid duration. The hours are specified multiple times");
  EXPECT_EQ(message("timestamp", "'a'"), "Unable to parse a date/time from 'a'");
  EXPECT_EQ(message("date", "'-5877641-06-22'"),
            "Input date -5877641-06-22 is less than min supported date -5877641-06-23T00:00Z");
  EXPECT_EQ(message("time", "'12:00'"),
            "(TimeType) Unable to coerce '12:00' to a formatted time (long)");
  EXPECT_EQ(message("timeuuid", "00000000-0000-4000-8000-000000000000"),
            "TimeUUID supports only version 1 UUIDs");
  EXPECT_EQ(message("text", "{1}"), "Invalid set literal for v of type text");
}

TEST(Literals, NumbersBeyondDoubleAreSyntaxErrors) {
  const auto bytes = convert(type_of("text"), "1e309");
  ASSERT_FALSE(bytes);
  EXPECT_EQ(to_code(bytes.error()), "E2000");
  EXPECT_THAT(bytes.error().message, HasSubstr("line 1:26"));
}

TEST(Literals, TextMayHoldAnything) {
  EXPECT_EQ(outcome(convert(type_of("text"), "'\xc3\xa9'")), "c3a9");
  EXPECT_EQ(outcome(literal_to_bytes({Term::Kind::kString, "\xff"}, type_of("text"), "v")),
            "E2200");
  EXPECT_EQ(outcome(convert(type_of("time"), "'\t12:00:00'")), "0000274a48a78000");
}

TEST(Literals, NowIsATimestamp) {
  for (const char* text : {"now", "NOW", "Now"}) {
    const auto millis = parse_timestamp(text);
    ASSERT_TRUE(millis);
    EXPECT_GT(*millis, 1'600'000'000'000);
  }
}

TEST(Literals, LongNumbersAreRefused) {
  EXPECT_THAT(message("varint", std::string(100'001, '1')), HasSubstr("100000 are read at most"));
  EXPECT_THAT(message("decimal", std::string(100'001, '1')), HasSubstr("100000 are read at most"));
  EXPECT_EQ(message("varint", std::string(100'000, '1')), "stored");
}

TEST(Dates, CountEveryDay) {
  namespace chrono = std::chrono;
  const auto start = chrono::sys_days(chrono::year(-400) / 1 / 1);
  for (int i = 0; i < 90'000; ++i) {
    const chrono::sys_days day = start + chrono::days(13 * i);
    const chrono::year_month_day date(day);
    const auto month = static_cast<unsigned>(date.month());
    const auto of_month = static_cast<unsigned>(date.day());
    ASSERT_EQ(days_from_civil(static_cast<int>(date.year()), static_cast<int>(month),
                              static_cast<int>(of_month)),
              day.time_since_epoch().count());
    const chrono::year_month_day last(date.year() / date.month() / chrono::last);
    ASSERT_EQ(days_in_month(static_cast<int>(date.year()), static_cast<int>(month)),
              static_cast<int>(static_cast<unsigned>(last.day())));
  }
}

}  // namespace
}  // namespace cqlperf::cql
