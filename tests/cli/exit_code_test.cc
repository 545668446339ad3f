#include "cli/exit_code.h"

#include <gtest/gtest.h>

namespace cqlperf::cli {
namespace {

TEST(ExitCode, OfErrorsFollowsTheirKind) {
  using core::ErrorCode;
  const std::pair<ErrorCode, ExitCode> rows[] = {{ErrorCode::kUsage, ExitCode::kUsage},
                                                 {ErrorCode::kIo, ExitCode::kUsage},
                                                 {ErrorCode::kConnect, ExitCode::kSetup},
                                                 {ErrorCode::kAuth, ExitCode::kSetup},
                                                 {ErrorCode::kProtocol, ExitCode::kSetup},
                                                 {ErrorCode::kServer, ExitCode::kSetup},
                                                 {ErrorCode::kTimeout, ExitCode::kSetup},
                                                 {ErrorCode::kSetup, ExitCode::kSetup},
                                                 {ErrorCode::kInterrupted, ExitCode::kInterrupted}};
  for (const auto& [code, expected] : rows)
    EXPECT_EQ(exit_code(core::Error{code, ""}), expected) << static_cast<int>(code);
}

TEST(ExitCode, OfAResultTellsWhatFellShort) {
  const bench::RunConfig config;
  bench::RunResult result;
  EXPECT_EQ(exit_code(config, result), ExitCode::kDone);
  result.summary.errors = 1;
  EXPECT_EQ(exit_code(config, result), ExitCode::kFellShort);
  result.summary.interrupted = true;
  EXPECT_EQ(exit_code(config, result), ExitCode::kInterrupted);
}

TEST(ExitCode, WorkLeftUndoneFallsShortUnlessTheTimeWasTheGoal) {
  bench::RunConfig config;
  config.count = 100;
  bench::RunResult result;
  result.summary.unsent = 1;
  EXPECT_EQ(exit_code(config, result), ExitCode::kFellShort);
  config.duration_ns = 1;
  EXPECT_EQ(exit_code(config, result), ExitCode::kDone);
  result.summary.in_flight_at_end = 1;
  EXPECT_EQ(exit_code(config, result), ExitCode::kFellShort);
}

TEST(ExitCode, ARequiredRateIsHeldOrFallsShort) {
  bench::RunConfig config;
  config.min_rate = 5000;
  bench::RunResult result;
  result.summary.achieved_rate = 4999.9;
  EXPECT_EQ(exit_code(config, result), ExitCode::kFellShort);
  result.summary.achieved_rate = 5000;
  EXPECT_EQ(exit_code(config, result), ExitCode::kDone);
}

TEST(ExitCode, AnErrorAfterTheMeasuringFallsShort) {
  bench::RunResult result;
  result.late_error = core::Error{core::ErrorCode::kConnect, "the keyspace could not be dropped"};
  EXPECT_EQ(exit_code(bench::RunConfig{}, result), ExitCode::kFellShort);
}

TEST(ExitCode, OfAStoreNeedsEveryPhaseOfEverySizeToBeRight) {
  bench::StoreConfig config;
  config.phases = {measure::StorePhase::kWrite, measure::StorePhase::kRead};
  bench::StoreResult result;
  result.suites.resize(1);
  result.suites[0].phases.resize(2);
  EXPECT_EQ(exit_code(config, result), ExitCode::kDone);
  auto wrong = result;
  wrong.suites[0].phases[1].verification.extra.count = 1;
  EXPECT_EQ(exit_code(config, wrong), ExitCode::kFellShort);
  auto incomplete = result;
  incomplete.suites[0].phases[0].complete = false;
  EXPECT_EQ(exit_code(config, incomplete), ExitCode::kFellShort);
  auto early = result;
  early.suites[0].phases.pop_back();
  EXPECT_EQ(exit_code(config, early), ExitCode::kFellShort);
  auto late = result;
  late.late_error = core::Error{core::ErrorCode::kConnect, "the keyspace could not be dropped"};
  EXPECT_EQ(exit_code(config, late), ExitCode::kFellShort);
  late.suites[0].interrupted = true;
  EXPECT_EQ(exit_code(config, late), ExitCode::kInterrupted);
  config.db_sizes.push_back(1);
  EXPECT_EQ(exit_code(config, result), ExitCode::kFellShort) << "a size was left out";
}

}  // namespace
}  // namespace cqlperf::cli
