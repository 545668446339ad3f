#include "cql/literal_time.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "core/clock.h"
#include "cql/text_scanner.h"

namespace cqlperf::cql {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kNanosPerDay = kSecondsPerDay * core::kNanosPerSecond;
constexpr int64_t kYearMax = 999'999'999;
constexpr int kOffsetHoursMax = 18;

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

struct Date {
  int64_t year = 0;
  int64_t month = 0;
  int64_t day = 0;
};

bool has_valid_fields(const Date& date) {
  return date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31;
}

// `yyyy-MM-dd` with two digits for month and day, the year as in ISO 8601: four digits, more of
// them after a sign, negative ones too.
bool scan_iso_date(TextScanner& in, Date& date) {
  const bool is_negative = in.take('-');
  const bool is_positive = !is_negative && in.take('+');
  const std::string_view year = in.take_digits(10);
  if (year.size() < 4 || is_positive != (year.size() > 4 && !is_negative)) return false;
  date.year = *parse_i64(year);
  if (date.year > kYearMax || (is_negative && date.year == 0)) return false;
  if (is_negative) date.year = -date.year;
  return in.take('-') && in.take_number(2, 2, date.month) && in.take('-') &&
         in.take_number(2, 2, date.day) && has_valid_fields(date);
}

// `y-M-d`: as many digits as one likes.
bool scan_loose_date(TextScanner& in, Date& date) {
  return in.take_number(1, 19, date.year) && in.take('-') && in.take_number(1, 19, date.month) &&
         in.take('-') && in.take_number(1, 19, date.day) && has_valid_fields(date) &&
         date.year >= 1 && date.year <= kYearMax;
}

// `.123`, which may be a point alone; up to 9 digits.
bool scan_fraction(TextScanner& in, int64_t& nanos) {
  if (!in.take('.')) return true;
  const std::string_view digits = in.take_digits(9);
  for (size_t i = 0; i < 9; ++i) nanos = nanos * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return true;
}

// `H:m[:s[.fraction]]` as nanoseconds. 24:00 is the end of the day.
bool scan_clock(TextScanner& in, int64_t& nanos) {
  int64_t hour = 0, minute = 0, second = 0, fraction = 0;
  if (!in.take_number(1, 19, hour) || !in.take(':') || !in.take_number(1, 19, minute)) return false;
  if (in.take(':') && (!in.take_number(1, 19, second) || !scan_fraction(in, fraction)))
    return false;
  if (hour > 24 || minute > 59 || second > 59) return false;
  nanos = (hour * 3600 + minute * 60 + second) * core::kNanosPerSecond + fraction;
  return nanos <= kNanosPerDay;
}

// `+hh`, `+hhmm`, `+hh:mm` and, if wanted, `+hh:mm:ss`.
bool scan_offset(TextScanner& in, bool with_seconds, int64_t& offset_s) {
  const bool is_negative = in.take('-');
  if (!is_negative && !in.take('+')) return false;
  int64_t hours = 0, minutes = 0, seconds = 0;
  if (!in.take_number(2, 2, hours)) return false;
  const bool has_colon = in.take(':');
  if ((has_colon || !in.at_end()) && !in.take_number(2, 2, minutes)) return false;
  if (with_seconds && has_colon && in.take(':') && !in.take_number(2, 2, seconds)) return false;
  if (minutes > 59 || seconds > 59) return false;
  offset_s = hours * 3600 + minutes * 60 + seconds;
  if (offset_s > kOffsetHoursMax * 3600) return false;
  if (is_negative) offset_s = -offset_s;
  return in.at_end();
}

// A zone after a space.
bool scan_zone_name(TextScanner& in, int64_t& offset_s) {
  if (in.take_end("Z") || in.take_end("UTC") || in.take_end("GMT") || in.take_end("UT") ||
      in.take_end("GMT0")) {
    return true;
  }
  // `UTC+01:00`: with a colon always.
  const bool has_prefix = in.take_text("UTC") || in.take_text("GMT") || in.take_text("UT");
  if (has_prefix && (in.rest().size() < 6 || in.rest()[3] != ':')) return false;
  return scan_offset(in, true, offset_s);
}

// What is behind a date, or behind a date and a time: nothing, `Z`, an offset, or a space and one
// of these or a name.
bool scan_zone(TextScanner& in, bool after_date, int64_t& offset_s) {
  if (in.at_end() || in.take_end("Z")) return true;
  if (in.take(' ')) return scan_zone_name(in, offset_s);
  return scan_offset(in, after_date, offset_s);
}

// Seconds since 1970 and the nanoseconds after them; false when the text is no date.
bool scan_instant(std::string_view text, int64_t& seconds, int64_t& nanos) {
  Date date;
  int64_t of_day = 0, offset_s = 0;
  TextScanner in(text);
  const bool has_time = scan_loose_date(in, date) && (in.take('T') || in.take(' ')) &&
                        scan_clock(in, of_day) && scan_zone(in, false, offset_s);
  if (!has_time) {
    in = TextScanner(text);
    of_day = offset_s = 0;
    if (!scan_iso_date(in, date) || !scan_zone(in, true, offset_s)) return false;
  }
  const int last_day = days_in_month(date.year, static_cast<int>(date.month));
  const int day = std::min(static_cast<int>(date.day), last_day);
  const int64_t days = days_from_civil(date.year, static_cast<int>(date.month), day);
  seconds = days * kSecondsPerDay + of_day / core::kNanosPerSecond - offset_s;
  nanos = of_day % core::kNanosPerSecond;
  return true;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) { return (a | 0x20) == b; });
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// One part of a time, as Java's Integer.parseInt() reads it, below `limit`.
bool parse_part(std::string_view text, int64_t limit, int64_t& part) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const auto number = parse_i64(text);
  part = number.value_or(-1);
  return part >= 0 && part < limit;
}

bool parse_fraction(std::string_view digits, int64_t& nanos) {
  TextScanner in(digits);
  const std::string_view taken = in.take_digits(9);
  if (taken.empty() || !in.at_end()) return false;
  for (size_t i = 0; i < 9; ++i) nanos = nanos * 10 + (i < taken.size() ? taken[i] - '0' : 0);
  return true;
}

bool parse_clock(std::string_view text, int64_t& nanos) {
  text = trim(text);
  const size_t first = text.find(':');
  const size_t second = first == text.npos ? text.npos : text.find(':', first + 1);
  if (second == text.npos) return false;
  int64_t hours = 0, minutes = 0, seconds = 0, fraction = 0;
  std::string_view rest = text.substr(second + 1);
  if (const size_t point = rest.find('.'); point != rest.npos) {
    if (!parse_fraction(rest.substr(point + 1), fraction)) return false;
    rest = rest.substr(0, point);
  }
  if (!parse_part(text.substr(0, first), 24, hours) ||
      !parse_part(text.substr(first + 1, second - first - 1), 60, minutes) ||
      !parse_part(rest, 60, seconds)) {
    return false;
  }
  nanos = (hours * 3600 + minutes * 60 + seconds) * core::kNanosPerSecond + fraction;
  return true;
}

}  // namespace

int days_in_month(int64_t year, int month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

int64_t days_from_civil(int64_t year, int month, int day) {
  // Years from March on, so that the leap day is the last one; 400 of them have 146,097 days.
  const int64_t shifted = month <= 2 ? year - 1 : year;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const int64_t year_of_era = shifted - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  constexpr int64_t kDaysToEpoch = 719'468;  // from 0000-03-01 to 1970-01-01
  return era * 146'097 + day_of_era - kDaysToEpoch;
}

std::optional<int64_t> parse_i64(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Result<int64_t> parse_timestamp(std::string_view text) {
  if (equals_ignoring_case(text, "now")) return core::wall_clock_ns() / core::kNanosPerMilli;
  if (is_integer_text(text)) {
    if (const auto millis = parse_i64(text)) return *millis;
    return invalid(fmt::format("Unable to make long (for date) from: '{}'", text));
  }
  int64_t seconds = 0, nanos = 0;
  if (!scan_instant(text, seconds, nanos)) {
    return invalid(fmt::format("Unable to parse a date/time from '{}'", text));
  }
  int64_t millis = 0;
  if (__builtin_mul_overflow(seconds, 1000, &millis) ||
      __builtin_add_overflow(millis, nanos / core::kNanosPerMilli, &millis)) {
    return invalid(fmt::format("The date/time '{}' is beyond what a timestamp can hold", text));
  }
  return millis;
}

Result<uint32_t> parse_date(std::string_view text) {
  constexpr int64_t kDaysShift = int64_t{1} << 31;
  if (is_integer_text(text)) {
    const auto number = parse_i64(text);
    if (number && *number >= 0 && *number < 2 * kDaysShift) return static_cast<uint32_t>(*number);
    return invalid(fmt::format("Unable to make unsigned int (for date) from: '{}'", text));
  }
  TextScanner in(text);
  Date date;
  if (!scan_iso_date(in, date) || !in.at_end() ||
      date.day > days_in_month(date.year, static_cast<int>(date.month))) {
    return invalid(fmt::format("Unable to coerce '{}' to a formatted date (long)", text));
  }
  const int64_t days =
      days_from_civil(date.year, static_cast<int>(date.month), static_cast<int>(date.day));
  if (days < -kDaysShift) {
    return invalid(
        fmt::format("Input date {} is less than min supported date -5877641-06-23T00:00Z", text));
  }
  if (days >= kDaysShift) {
    return invalid(fmt::format(
        "Input date {} is greater than max supported date +5881580-07-11T00:00Z", text));
  }
  return static_cast<uint32_t>(days + kDaysShift);
}

Result<int64_t> parse_time(std::string_view text) {
  int64_t nanos = 0;
  if (is_integer_text(text)) {
    nanos = parse_i64(text).value_or(-1);
    if (nanos >= 0 && nanos < kNanosPerDay) return nanos;
    return invalid(fmt::format("Unable to make long (for time) from: '{}'", text));
  }
  if (parse_clock(text, nanos)) return nanos;
  return invalid(fmt::format("(TimeType) Unable to coerce '{}' to a formatted time (long)", text));
}

}  // namespace cqlperf::cql
