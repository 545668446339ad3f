#include "measure/shortfall.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cqlperf::measure {
namespace {

struct ShortfallCase {
  const char* name;
  ShortfallInput input;
  ShortfallCause cause;
  std::vector<std::string> words;  // that the sentence has
};

void PrintTo(const ShortfallCase& row, std::ostream* out) { *out << row.name; }

class ShortfallTable : public testing::TestWithParam<ShortfallCase> {};

TEST_P(ShortfallTable, GivesTheCause) {
  const ShortfallCase& row = GetParam();
  const Shortfall shortfall = explain_shortfall(row.input);
  EXPECT_EQ(shortfall_name(shortfall.cause), shortfall_name(row.cause)) << shortfall.sentence;
  EXPECT_EQ(shortfall.sentence.empty(), row.cause == ShortfallCause::kNone);
  for (const std::string& word : row.words) {
    EXPECT_THAT(shortfall.sentence, testing::HasSubstr(word));
  }
  EXPECT_THAT(shortfall.sentence, testing::Not(testing::HasSubstr("nan")));
  EXPECT_THAT(shortfall.sentence, testing::Not(testing::HasSubstr("inf")));
}

// A run of 10 s that asked for 10k/s with 100 in flight, changed by `change`.
ShortfallInput run_with(double achieved_rate, auto change) {
  ShortfallInput input;
  input.asked_rate = 10'000;
  input.achieved_rate = achieved_rate;
  input.measured_seconds = 10;
  input.parallelism = 100;
  input.mean_service_ns = 1e6;
  change(input);
  return input;
}

const auto kAsIs = [](ShortfallInput&) {};

INSTANTIATE_TEST_SUITE_P(
    Rows, ShortfallTable,
    testing::Values(ShortfallCase{"no rate asked",
                                  run_with(5, [](auto& i) { i.asked_rate = 0; }),
                                  ShortfallCause::kNone,
                                  {}},
                    ShortfallCase{"met", run_with(10'000, kAsIs), ShortfallCause::kNone, {}},
                    ShortfallCase{"within 1 %",
                                  run_with(9'901, [](auto& i) { i.window_full_share = 1; }),
                                  ShortfallCause::kNone,
                                  {}},
                    ShortfallCase{"window full",
                                  run_with(5'000,
                                           [](auto& i) {
                                             i.window_full_share = 0.95;
                                             i.mean_service_ns = 20e6;
                                           }),
                                  ShortfallCause::kWindowFull,
                                  {"--parallelism", "200 in flight", "95 %", "10000/s", "20.0 ms"}},
                    ShortfallCase{"window full by stalls",
                                  run_with(9'000, [](auto& i) { i.window_full_share = 0.1; }),
                                  ShortfallCause::kWindowFull,
                                  {"10 in flight", "stalled"}},
                    ShortfallCase{"window full, none answered",
                                  run_with(0,
                                           [](auto& i) {
                                             i.window_full_share = 0.99;
                                             i.mean_service_ns = {};
                                             i.in_flight_at_end = 100;
                                           }),
                                  ShortfallCause::kWindowFull,
                                  {"none was answered"}},
                    ShortfallCase{"client CPU before window",
                                  run_with(5'000,
                                           [](auto& i) {
                                             i.window_full_share = 0.9;
                                             i.busiest_worker_cpu = 0.97;
                                           }),
                                  ShortfallCause::kClientCpu,
                                  {"97 %", "--threads"}},
                    ShortfallCase{"busy polling says nothing",
                                  run_with(5'000,
                                           [](auto& i) {
                                             i.window_full_share = 0.9;
                                             i.busiest_worker_cpu = 1;
                                             i.busy_polling = true;
                                           }),
                                  ShortfallCause::kWindowFull,
                                  {}},
                    ShortfallCase{"errors account for all",
                                  run_with(7'000,
                                           [](auto& i) {
                                             i.errors = 30'000;
                                             i.window_full_share = 0.2;
                                           }),
                                  ShortfallCause::kServerErrors,
                                  {"30,000", "3000/s"}},
                    ShortfallCase{"all failed",
                                  run_with(0,
                                           [](auto& i) {
                                             i.errors = 100'000;
                                             i.mean_service_ns = {};
                                           }),
                                  ShortfallCause::kServerErrors,
                                  {"100,000"}},
                    ShortfallCase{"some errors and nothing else",
                                  run_with(7'000, [](auto& i) { i.errors = 10; }),
                                  ShortfallCause::kServerErrors,
                                  {"10 operations"}},
                    ShortfallCase{"not connected",
                                  run_with(6'000,
                                           [](auto& i) {
                                             i.not_ready_share = 0.4;
                                             i.window_full_share = 0.1;
                                             i.errors = 100;
                                           }),
                                  ShortfallCause::kNotConnected,
                                  {"40 %", "connection"}},
                    ShortfallCase{"unfinished",
                                  run_with(9'800, [](auto& i) { i.in_flight_at_end = 2'000; }),
                                  ShortfallCause::kUnfinished,
                                  {"2,000", "longer"}},
                    ShortfallCase{
                        "backlog", run_with(10'200, kAsIs), ShortfallCause::kBacklog, {"warm-up"}},
                    ShortfallCase{"unknown",
                                  run_with(5'000,
                                           [](auto& i) {
                                             i.skipped = 50'000;
                                             i.lag_max_ns = 2'010'000'000;
                                           }),
                                  ShortfallCause::kUnknown,
                                  {"50,000", "2.01 s"}},
                    ShortfallCase{"no time at all",
                                  run_with(0,
                                           [](auto& i) {
                                             i.measured_seconds = 0;
                                             i.mean_service_ns = {};
                                             i.parallelism = 0;
                                           }),
                                  ShortfallCause::kNone,
                                  {}}));

}  // namespace
}  // namespace cqlperf::measure
