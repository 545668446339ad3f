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

}  // namespace
}  // namespace cqlperf::core
