#include "cql/time_uuid.h"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cqlperf::cql {
namespace {

using protocol::Uuid;

constexpr int64_t kNowUs = 1'700'000'000'123'456;

TEST(TimeUuids, HoldTheTimeToTheMicrosecond) {
  const Uuid uuid = new_time_uuid(kNowUs);
  const auto ticks =
      static_cast<int64_t>(protocol::uuid_ticks(uuid)) + protocol::kUuidEpochMillis * 10'000;
  EXPECT_EQ(ticks / 10, kNowUs);
  EXPECT_EQ(uuid.version(), 1);
  EXPECT_EQ(uuid.bytes[8] & 0xc0, 0x80);
  EXPECT_EQ(uuid.bytes[10] & 0x01, 0x01);  // the node is not a network card's
}

TEST(TimeUuids, GrowWithinOneInstant) {
  uint64_t last = 0;
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t ticks = protocol::uuid_ticks(new_time_uuid(kNowUs + 1'000'000'000));
    EXPECT_GT(ticks, last);
    last = ticks;
  }
}

TEST(TimeUuids, AreNotRepeatedWhenTheClockGoesBack) {
  std::set<Uuid> seen;
  for (int round = 0; round < 100; ++round) {
    for (int64_t second = 0; second < 10; ++second) {
      EXPECT_TRUE(seen.insert(new_time_uuid(kNowUs + second * 2'000'000)).second);
    }
  }
}

TEST(TimeUuids, AreNotRepeatedByOtherThreads) {
  constexpr int kThreads = 4, kEach = 2'000;
  std::vector<std::vector<Uuid>> made(kThreads);
  std::vector<std::thread> threads;
  for (std::vector<Uuid>& uuids : made) {
    threads.emplace_back([&uuids] {
      for (int i = 0; i < kEach; ++i) {
        uuids.push_back(new_time_uuid(kNowUs));
        uuids.push_back(new_random_uuid());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<Uuid> all;
  for (const std::vector<Uuid>& uuids : made) all.insert(uuids.begin(), uuids.end());
  EXPECT_EQ(all.size(), size_t{2} * kThreads * kEach);
}

TEST(RandomUuids, UseAllOtherBits) {
  Uuid ones, zeros;
  zeros.bytes.fill(0xff);
  for (int i = 0; i < 1'000; ++i) {
    const Uuid uuid = new_random_uuid();
    EXPECT_EQ(uuid.version(), 4);
    for (size_t b = 0; b < 16; ++b) {
      ones.bytes[b] |= uuid.bytes[b];
      zeros.bytes[b] &= uuid.bytes[b];
    }
  }
  EXPECT_EQ(ones.to_string(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_EQ(zeros.to_string(), "00000000-0000-4000-8000-000000000000");
}

}  // namespace
}  // namespace cqlperf::cql
