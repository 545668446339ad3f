#include <array>
#include <limits>

#include <fmt/format.h>

#include "core/clock.h"
#include "cql/literal_time.h"
#include "cql/text_scanner.h"

namespace cqlperf::cql {
namespace {

using protocol::Duration;

enum class Part : uint8_t { kMonths, kDays, kNanos };

struct Unit {
  std::string_view symbol;
  std::string_view name;
  Part part;
  int64_t factor;
};

// In the order in which they must come. Where one symbol starts another, the longer one is tried
// first (see find_unit).
constexpr std::array kUnits = {
    Unit{"y", "years", Part::kMonths, 12},
    Unit{"mo", "months", Part::kMonths, 1},
    Unit{"w", "weeks", Part::kDays, 7},
    Unit{"d", "days", Part::kDays, 1},
    Unit{"h", "hours", Part::kNanos, 3600 * core::kNanosPerSecond},
    Unit{"m", "minutes", Part::kNanos, 60 * core::kNanosPerSecond},
    Unit{"s", "seconds", Part::kNanos, core::kNanosPerSecond},
    Unit{"ms", "milliseconds", Part::kNanos, core::kNanosPerMilli},
    Unit{"us", "microseconds", Part::kNanos, core::kNanosPerMicro},
    Unit{"ns", "nanoseconds", Part::kNanos, 1},
};
constexpr size_t kYears = 0, kMonths = 1, kWeeks = 2, kDays = 3, kHours = 4, kMinutes = 5,
                 kSeconds = 6, kMicroseconds = 8;
constexpr std::string_view kMicroSign = "\u00b5s";

// Adds up the parts of a duration and keeps their order and limits.
class DurationBuilder {
 public:
  // `digits` of kUnits[unit].
  Status add(std::string_view digits, size_t unit) {
    if (next_unit_ > unit) return out_of_order(unit);
    next_unit_ = unit + 1;
    const Unit& what = kUnits[unit];
    int64_t amount = parse_i64(digits).value_or(-1);
    int64_t& total = totals_[static_cast<size_t>(what.part)];
    const int64_t limit = what.part == Part::kNanos ? std::numeric_limits<int64_t>::max()
                                                    : std::numeric_limits<int32_t>::max();
    if (amount < 0 || __builtin_mul_overflow(amount, what.factor, &amount) ||
        amount > limit - total) {
      return invalid(
          fmt::format("Invalid duration. The total number of {} must be less or equal to {}",
                      kPartNames[static_cast<size_t>(what.part)], limit));
    }
    total += amount;
    return {};
  }

  Duration build(bool is_negative) const {
    const int sign = is_negative ? -1 : 1;
    return {static_cast<int32_t>(sign * totals_[0]), static_cast<int32_t>(sign * totals_[1]),
            sign * totals_[2]};
  }

 private:
  static constexpr std::string_view kPartNames[] = {"months", "days", "nanoseconds"};

  Status out_of_order(size_t unit) const {
    const std::string_view name = kUnits[unit].name;
    if (next_unit_ == unit + 1) {
      return invalid(fmt::format("Invalid duration. The {} are specified multiple times", name));
    }
    return invalid(fmt::format("Invalid duration. The {} should be after {}",
                               kUnits[next_unit_ - 1].name, name));
  }

  size_t next_unit_ = 0;
  std::array<int64_t, 3> totals_ = {};
};

std::unexpected<protocol::ErrorMessage> no_duration(std::string_view text) {
  return invalid(fmt::format("Unable to convert '{}' to a duration", text));
}

bool take_symbol(TextScanner& in, std::string_view symbol) {
  const std::string_view rest = in.rest();
  if (rest.size() < symbol.size()) return false;
  for (size_t i = 0; i < symbol.size(); ++i) {
    if ((rest[i] | 0x20) != symbol[i]) return false;
  }
  return in.take_text(rest.substr(0, symbol.size()));
}

// The unit that comes next, which is taken; kUnits.size() for none.
size_t take_unit(TextScanner& in) {
  if (in.take_text(kMicroSign) || in.take_text("\u00b5S")) return kMicroseconds;
  for (size_t i = 0; i < kUnits.size(); ++i) {
    if (kUnits[i].symbol.size() == 2 && take_symbol(in, kUnits[i].symbol)) return i;
  }
  for (size_t i = 0; i < kUnits.size(); ++i) {
    if (kUnits[i].symbol.size() == 1 && take_symbol(in, kUnits[i].symbol)) return i;
  }
  return kUnits.size();
}

// `1h30m`.
Status add_standard(std::string_view text, DurationBuilder& builder) {
  TextScanner in(text);
  do {
    const std::string_view digits = in.take_digits(text.size());
    const size_t unit = digits.empty() ? kUnits.size() : take_unit(in);
    if (unit == kUnits.size()) return no_duration(text);
    if (auto status = builder.add(digits, unit); !status) return status;
  } while (!in.at_end());
  return {};
}

struct Designator {
  char symbol;
  size_t unit;
};

// Numbers with these designators, each at most once and in this order, up to the end or to
// something else.
Status add_designated(TextScanner& in, std::span<const Designator> designators,
                      DurationBuilder& builder) {
  for (const Designator& designator : designators) {
    TextScanner ahead = in;
    const std::string_view digits = ahead.take_digits(in.rest().size());
    if (digits.empty() || !ahead.take(designator.symbol)) continue;
    if (auto status = builder.add(digits, designator.unit); !status) return status;
    in = ahead;
  }
  return {};
}

// `P1Y2M3DT4H5M6S`.
Status add_iso(std::string_view text, DurationBuilder& builder) {
  static constexpr Designator kBeforeT[] = {{'Y', kYears}, {'M', kMonths}, {'D', kDays}};
  static constexpr Designator kAfterT[] = {{'H', kHours}, {'M', kMinutes}, {'S', kSeconds}};
  TextScanner in(text.substr(1));
  if (auto status = add_designated(in, kBeforeT, builder); !status) return status;
  if (in.take('T')) {
    if (auto status = add_designated(in, kAfterT, builder); !status) return status;
  }
  if (in.at_end()) return {};
  return no_duration(text);
}

// `P1W`.
Status add_iso_weeks(std::string_view text, DurationBuilder& builder) {
  const std::string_view digits = text.substr(1, text.size() - 2);
  if (!is_integer_text(digits) || digits.starts_with('-')) return no_duration(text);
  return builder.add(digits, kWeeks);
}

// `P0001-02-03T04:05:06`.
Status add_iso_alternative(std::string_view text, DurationBuilder& builder) {
  struct Field {
    char before;
    size_t digits;
    size_t unit;
  };
  static constexpr Field kFields[] = {{'P', 4, kYears}, {'-', 2, kMonths},  {'-', 2, kDays},
                                      {'T', 2, kHours}, {':', 2, kMinutes}, {':', 2, kSeconds}};
  TextScanner in(text);
  for (const Field& field : kFields) {
    const bool has_mark = in.take(field.before);
    const std::string_view digits = in.take_digits(field.digits);
    if (!has_mark || digits.size() != field.digits) return no_duration(text);
    if (auto status = builder.add(digits, field.unit); !status) return status;
  }
  if (in.at_end()) return {};
  return no_duration(text);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  DurationBuilder builder;
  Status status;
  if (!text.starts_with('P')) {
    status = add_standard(text, builder);
  } else if (text.ends_with('W')) {
    status = add_iso_weeks(text, builder);
  } else if (text.find('-') != text.npos) {
    status = add_iso_alternative(text, builder);
  } else {
    status = add_iso(text, builder);
  }
  if (!status) return std::unexpected(std::move(status.error()));
  return builder.build(is_negative);
}

}  // namespace cqlperf::cql
