#include "core/text.h"

#include <gtest/gtest.h>

namespace cqlperf::core {
namespace {

TEST(Printable, LeavesTextAloneAndShowsControlCharacters) {
  EXPECT_EQ(printable("one\ntwo \u00b5s"), "one\ntwo \u00b5s");
  EXPECT_EQ(printable(std::string_view("a\x1b[31m\r\0b\x7f", 10)), "a\\x1b[31m\\x0d\\x00b\\x7f");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, CutsWhatIsLong) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdef", 5), "abcde...");
}

TEST(Utf8Prefix, TakesWhatIsUtf8) {
  for (const std::string_view text :
       {"", "a", "0123456789 abcdef", "\u00b5s", "\u20ac", "\U0001f600", "\ud7ff\ue000",
        "\U0010ffff", "12345678\u00e91234567\u20ac"})
    EXPECT_EQ(utf8_prefix(text), text.size()) << text;
  EXPECT_EQ(utf8_prefix(std::string_view("a\0b", 3)), 3U);
}

TEST(Utf8Prefix, StopsAtWhatIsNot) {
  EXPECT_EQ(utf8_prefix("ab\xff"), 2U);
  EXPECT_EQ(utf8_prefix("12345678\x80"), 8U);
  EXPECT_EQ(utf8_prefix("a\xc3"), 1U);             // cut short
  EXPECT_EQ(utf8_prefix("a\xe2\x82"), 1U);         // cut short
  EXPECT_EQ(utf8_prefix("a\xe2(\xa1"), 1U);        // not a continuation
  EXPECT_EQ(utf8_prefix("\xc0\x80"), 0U);          // overlong
  EXPECT_EQ(utf8_prefix("\xe0\x9f\xbf"), 0U);      // overlong
  EXPECT_EQ(utf8_prefix("\xf0\x8f\xbf\xbf"), 0U);  // overlong
  EXPECT_EQ(utf8_prefix("\xed\xa0\x80"), 0U);      // a surrogate
  EXPECT_EQ(utf8_prefix("\xf4\x90\x80\x80"), 0U);  // beyond U+10FFFF
  EXPECT_EQ(utf8_prefix("\xf5\x80\x80\x80"), 0U);
}

}  // namespace
}  // namespace cqlperf::core
