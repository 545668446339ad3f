#include "core/buffer.h"

#include <deque>

#include <gtest/gtest.h>

#include "core/byte_reader.h"
#include "core/random.h"

namespace cqlperf::core {
namespace {

TEST(Buffer, KeepsBytesInOrderAgainstAPlainQueue) {
  Random random(7);
  Buffer buffer;
  std::deque<uint8_t> model;
  for (int step = 0; step < 20'000; ++step) {
    const size_t count = random.below(random.below(10) == 0 ? 5000 : 50);
    if (random.below(2) == 0) {
      for (size_t i = 0; i < count; ++i) {
        const auto byte = static_cast<uint8_t>(random.next());
        buffer.append_u8(byte);
        model.push_back(byte);
      }
    } else {
      const size_t taken = std::min(count, model.size());
      buffer.consume(taken);
      model.erase(model.begin(), model.begin() + static_cast<ptrdiff_t>(taken));
    }
    ASSERT_EQ(buffer.size(), model.size());
    if (!model.empty()) {
      ASSERT_EQ(buffer.data()[0], model.front());
      ASSERT_EQ(buffer.data()[buffer.size() - 1], model.back());
    }
  }
  EXPECT_TRUE(std::equal(model.begin(), model.end(), buffer.bytes().begin()));
}

TEST(Buffer, SteadyTrafficReusesItsStorage) {
  Buffer buffer(1024);
  const size_t capacity = buffer.capacity();
  for (int i = 0; i < 1000; ++i) {
    buffer.append(std::string_view("0123456789abcdef"));
    if (i > 0) buffer.consume(16);
  }
  EXPECT_EQ(buffer.capacity(), capacity);
}

TEST(Buffer, WritesBigEndianAndPatches) {
  Buffer buffer;
  buffer.append_u8(1);
  buffer.append_u16(0x0203);
  buffer.append_i32(0x04050607);
  buffer.append_i64(-2);
  buffer.patch_i32(3, 9);
  ByteReader reader(buffer.bytes());
  EXPECT_EQ(reader.read_u8(), 1);
  EXPECT_EQ(reader.read_u16(), 0x0203);
  EXPECT_EQ(reader.read_i32(), 9);
  EXPECT_EQ(reader.read_i64(), -2);
  EXPECT_TRUE(reader.finished());
}

TEST(ByteReader, FailsForGoodBeyondTheEnd) {
  const uint8_t bytes[] = {1, 2, 3};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.read_i32(), 0);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.read_u8(), 0) << "a failed reader reads nothing more";
  EXPECT_FALSE(reader.finished());
}

}  // namespace
}  // namespace cqlperf::core
