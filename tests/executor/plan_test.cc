#include "executor/plan.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace cqlperf::executor {
namespace {

constexpr int64_t kSecond = core::kNanosPerSecond;

Plan good_plan() {
  Plan plan;
  plan.rate = 100;
  plan.parallelism = 10;
  plan.count = 1000;
  return plan;
}

std::string complaint(const std::function<void(Plan&)>& spoil) {
  Plan plan = good_plan();
  spoil(plan);
  const auto status = validate(plan);
  if (status) return "";
  EXPECT_EQ(status.error().code, core::ErrorCode::kUsage);
  return status.error().message;
}

TEST(PlanTest, GoodPlansPass) {
  EXPECT_EQ(complaint([](Plan&) {}), "");
  EXPECT_EQ(complaint([](Plan& plan) { plan.rate = 0; }), "");
  EXPECT_EQ(complaint([](Plan& plan) { plan.count = 0; }), "");
  EXPECT_EQ(complaint([](Plan& plan) { plan.count = 3'000'000'000; }), "");
  EXPECT_EQ(complaint([](Plan& plan) { plan.duration_ns = 0; }), "");
  EXPECT_EQ(complaint([](Plan& plan) { plan.threads = 1024; }), "");
}

TEST(PlanTest, EachFieldThatIsOutOfRangeIsNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {-1.0, 1e-7, 1.1e9, nan, infinity})
    EXPECT_NE(complaint([&](Plan& plan) { plan.rate = rate; }).find("rate"), std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.parallelism = 0; }).find("parallelism"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.parallelism = kParallelismMax + 1; }).find("1048576"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.threads = 0; }).find("threads"), std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.count = kOperationsMax + 1; }).find("count"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.count.reset(); }).find("end"), std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.duration_ns = -1; }).find("duration"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.interval_ns = 0; }).find("interval"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.pacing_tick_ns = -1; }).find("tick"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& plan) { plan.stall_timeout_ns = 0; }).find("stall"),
            std::string::npos);
}

TEST(PlanTest, ThereAreNeverMoreWorkersThanWindow) {
  Plan plan = good_plan();
  plan.threads = 3;
  EXPECT_EQ(worker_count(plan), 3u);
  plan.threads = 64;
  EXPECT_EQ(worker_count(plan), 10u);
}

TEST(PlanTest, TheEarlierEndCounts) {
  Plan plan = good_plan();
  EXPECT_EQ(total_operations(plan), 1000u);
  plan.duration_ns = 2 * kSecond;
  EXPECT_EQ(total_operations(plan), 200u);
  plan.duration_ns = 100 * kSecond;
  EXPECT_EQ(total_operations(plan), 1000u);
  plan.rate = 0;
  EXPECT_EQ(total_operations(plan), 1000u);
  plan.count.reset();
  EXPECT_EQ(total_operations(plan), kOperationsMax);
}

TEST(PlanTest, AWarmUpIsTheSameLoadForAnotherTime) {
  Plan plan = good_plan();
  plan.late = LatePolicy::kDrop;
  const Plan warm_up = warm_up_plan(plan, kSecond);
  EXPECT_EQ(warm_up.rate, 100);
  EXPECT_EQ(warm_up.late, LatePolicy::kDrop);
  EXPECT_FALSE(warm_up.count);
  EXPECT_EQ(total_operations(warm_up), 100u);
}

}  // namespace
}  // namespace cqlperf::executor
