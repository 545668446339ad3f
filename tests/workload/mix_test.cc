#include "workload/mix.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cqlperf::workload {
namespace {

std::string complaint(std::string_view text) {
  const auto mix = parse_mix(text);
  if (mix) return "";
  EXPECT_EQ(mix.error().code, core::ErrorCode::kUsage);
  EXPECT_NE(mix.error().message.find("insert=1,read=3"), std::string::npos) << "no example";
  return mix.error().message;
}

TEST(MixTest, WeightsAreReadInTheirOrder) {
  const auto mix = parse_mix("read=3, insert=1");
  ASSERT_TRUE(mix);
  ASSERT_EQ(mix->size(), 2u);
  EXPECT_EQ((*mix)[0].kind, OperationKind::kRead);
  EXPECT_EQ((*mix)[0].weight, 3u);
  EXPECT_EQ((*mix)[1].kind, OperationKind::kInsert);
  EXPECT_TRUE(parse_mix("read=1000"));
}

TEST(MixTest, MistakesAreNamed) {
  EXPECT_NE(complaint("").find("no weight"), std::string::npos);
  EXPECT_NE(complaint("insert").find("'insert' has no weight"), std::string::npos);
  EXPECT_NE(complaint("insert=1,").find("no weight"), std::string::npos);
  EXPECT_NE(complaint("update=1").find("'update'"), std::string::npos);
  EXPECT_NE(complaint("insert=1,insert=2").find("twice"), std::string::npos);
  for (const char* weight : {"0", "-1", "1.5", "1001", "x", "", "5x", "1e999", "99999999999999"})
    EXPECT_NE(complaint(std::string("insert=") + weight).find("from 1 to 1000"), std::string::npos)
        << weight;
}

TEST(MixTest, EveryWindowHoldsTheExactWeights) {
  for (const auto& [inserts, reads] :
       {std::pair{1u, 3u}, {3u, 1u}, {5u, 7u}, {1u, 1u}, {1u, 999u}, {1000u, 1u}}) {
    const MixPattern pattern({{OperationKind::kInsert, inserts}, {OperationKind::kRead, reads}});
    const uint64_t window = inserts + reads;
    for (const uint64_t start : {0ULL, 1ULL, 5ULL, (1ULL << 32) + 3}) {
      uint64_t seen = 0;
      for (uint64_t i = 0; i < window; ++i) seen += pattern.part_of(start + i) == 0 ? 1 : 0;
      EXPECT_EQ(seen, inserts) << inserts << ":" << reads << " from " << start;
    }
  }
}

TEST(MixTest, PartsAreSpreadOut) {
  const MixPattern pattern({{OperationKind::kInsert, 10}, {OperationKind::kRead, 30}});
  EXPECT_EQ(pattern.length(), 4u) << "what the weights have in common is nothing to repeat";
  uint64_t last = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    if (pattern.part_of(i) != 0) continue;
    EXPECT_LE(i - last, 4u);
    last = i;
  }
}

TEST(MixTest, OnePartIsAllThereIs) {
  const MixPattern pattern({{OperationKind::kRead, 1000}});
  EXPECT_EQ(pattern.length(), 1u);
  EXPECT_EQ(pattern.part_of(UINT64_MAX), 0u);
}

}  // namespace
}  // namespace cqlperf::workload
