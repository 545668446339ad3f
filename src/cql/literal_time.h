#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cql/error.h"
#include "protocol/values.h"

namespace cqlperf::cql {

// Times as texts, in the forms that Cassandra 5.0 reads. All errors are 0x2200.

// Milliseconds since 1970: a number of them, `now`, or a date with maybe a time and a zone:
// `2020-01-31`, `2020-01-31T23:59[:59[.999]]`, `2020-01-31 23:59+01:00`. Fractions beyond
// milliseconds are cut, a day that the month does not have becomes its last, no zone means UTC.
// Zones are Z, UTC, GMT and offsets; names of zones that have a summer time are refused.
Result<int64_t> parse_timestamp(std::string_view text);

// Days since 1970-01-01 plus 2^31, as the wire counts them: that number, or `2020-01-31`; years
// beyond 9999 have a sign: `+12345-01-31`.
Result<uint32_t> parse_date(std::string_view text);

// Nanoseconds since midnight: a number of them, or `23:59:59[.999999999]`.
Result<int64_t> parse_time(std::string_view text);

// `1y2mo3w4d5h6m7s8ms9us10ns` (some of these, in this order), or ISO 8601: `P1Y2M3DT4H5M6S`, `P1W`,
// `P0001-02-03T04:05:06`. A minus in front makes it negative.
Result<protocol::Duration> parse_duration(std::string_view text);

// Days from 1970-01-01 to a day of the Gregorian calendar, which is used for all years. `month` is
// 1 to 12, `day` 1 to 31, `year` within 10^12 of 0.
int64_t days_from_civil(int64_t year, int month, int day);
int days_in_month(int64_t year, int month);

// The number that is the whole text: digits, maybe a minus. Nothing when it is no number or has
// more than 64 bits.
std::optional<int64_t> parse_i64(std::string_view text);
// Whether the text is digits, maybe after a minus.
bool is_integer_text(std::string_view text);

}  // namespace cqlperf::cql
