#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace cqlperf::cql {

// Takes a text apart from its start. What is not there is not taken. Views its text.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_text(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  // All that is left, if it is this.
  bool take_end(std::string_view wanted) { return rest_ == wanted && take_text(wanted); }
  // The digits that come next, as many as there are but at most `max`.
  std::string_view take_digits(size_t max) {
    size_t count = 0;
    while (count < max && count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') {
      ++count;
    }
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }
  // A number without a sign, of `min` to `max` digits.
  bool take_number(size_t min, size_t max, int64_t& number) {
    const std::string_view digits = take_digits(max);
    if (digits.size() < min) return false;
    return std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc();
  }

 private:
  std::string_view rest_;
};

}  // namespace cqlperf::cql
