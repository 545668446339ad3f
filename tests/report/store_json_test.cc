#include "report/store_json.h"

#include <gtest/gtest.h>

namespace cqlperf::report {
namespace {

using measure::StorePhase;

TEST(StoreJson, HoldsWhatAReadFound) {
  measure::StorePhaseResult phase;
  phase.phase = StorePhase::kRead;
  phase.keys_expected = 10;
  phase.keys = 8;
  phase.payload_bytes = 8'192;
  phase.seconds = 2;
  phase.complete = false;
  phase.problem = "a range is missing";
  phase.verified = true;
  phase.verification.missing = {.count = 2, .first_keys = {3, 5}};
  phase.missing_ranges = {{INT64_MIN, INT64_MAX, "ReadTimeout"}};
  phase.ranges = 4;
  phase.pages = 9;
  phase.requests = measure::Summary{};
  const auto json = store_phase_json(phase);
  EXPECT_EQ(json["phase"], "read");
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["problem"], "a range is missing");
  EXPECT_EQ(json["keys_per_second"], 4.0);
  EXPECT_EQ(json["bytes_per_second"], 4'096.0);
  EXPECT_EQ(json["pages"], 9);
  EXPECT_EQ(json["verification"]["ok"], false);
  EXPECT_EQ(json["verification"]["values_compared"], true);
  EXPECT_EQ(json["verification"]["missing"].dump(), R"({"count":2,"first_keys":[3,5]})");
  EXPECT_EQ(json["verification"]["extra"]["count"], 0);
  EXPECT_EQ(json["missing_ranges"][0]["after"], "-9223372036854775808");
  EXPECT_EQ(json["missing_ranges"][0]["up_to"], "9223372036854775807");
  EXPECT_EQ(json["requests"]["operations"], 0);
}

TEST(StoreJson, ATruncateHasNoKeysPerSecondAndNoRead) {
  measure::StorePhaseResult phase;
  phase.phase = StorePhase::kTruncate;
  phase.payload_bytes = 5;
  const auto json = store_phase_json(phase);
  for (const char* name : {"problem", "keys_per_second", "bytes_per_second", "ranges", "pages",
                           "verification", "missing_ranges", "requests"})
    EXPECT_TRUE(json[name].is_null()) << name;
  EXPECT_EQ(json["payload_bytes"], 5);
}

TEST(StoreJson, ASuiteIsOkOnlyWhenAllItsPhasesAre) {
  measure::StoreSuiteResult suite;
  suite.phases.resize(2);
  EXPECT_EQ(store_suite_json(suite)["ok"], true);
  EXPECT_EQ(store_suite_json(suite)["phases"].size(), 2);
  suite.phases[1].complete = false;
  EXPECT_EQ(store_suite_json(suite)["ok"], false);
}

}  // namespace
}  // namespace cqlperf::report
