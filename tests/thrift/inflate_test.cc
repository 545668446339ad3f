#include "thrift/inflate.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

namespace cqlperf::thrift {
namespace {

std::vector<uint8_t> deflated(const std::string& text) {
  std::vector<uint8_t> bytes(compressBound(text.size()));
  uLongf size = bytes.size();
  EXPECT_EQ(compress(bytes.data(), &size, reinterpret_cast<const Bytef*>(text.data()), text.size()),
            Z_OK);
  bytes.resize(size);
  return bytes;
}

TEST(Inflate, GivesTheTextBack) {
  for (const std::string& text :
       {std::string("SELECT 1"), std::string(200'000, 'x'), std::string()}) {
    const auto inflated = inflate(deflated(text), 1'000'000);
    ASSERT_TRUE(inflated) << inflated.error().message;
    EXPECT_EQ(*inflated, text);
  }
}

TEST(Inflate, RefusesWhatIsNoStreamOrCutOff) {
  const auto whole = deflated("SELECT key FROM t");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(inflate(std::span(whole).first(size), 1000)) << size;
  const std::string text = "SELECT";
  EXPECT_FALSE(inflate({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, 1000));
}

TEST(Inflate, HasALimit) {
  EXPECT_TRUE(inflate(deflated(std::string(100'000, 'x')), 100'000));
  EXPECT_FALSE(inflate(deflated(std::string(100'001, 'x')), 100'000));
  EXPECT_FALSE(inflate(deflated(std::string(10'000'000, 'x')), 100'000));
}

}  // namespace
}  // namespace cqlperf::thrift
