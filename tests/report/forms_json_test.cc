#include "report/forms_json.h"

#include <gtest/gtest.h>

#include "forms_sample.h"

namespace cqlperf::report {
namespace {

using measure::Form;
using nlohmann::ordered_json;

TEST(FormsJson, HasWhatTheTablesShow) {
  const ordered_json json = forms_json(sample_result());
  EXPECT_EQ(json["rounds"], 3);
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["interrupted"], false);
  const ordered_json& scenario = json["scenarios"][0];
  EXPECT_EQ(scenario["scenario"], "inserts");
  EXPECT_EQ(scenario["title"], "Inserts, 1,000,000 rows x 5 columns");
  EXPECT_EQ(scenario["baseline"], "rpc");
  EXPECT_EQ(scenario["rate_noise"]["forms"], 6);
  EXPECT_EQ(scenario["rate_noise"]["rounds"], 3);
  EXPECT_EQ(scenario["rate_noise"]["degrees_of_freedom"], 10);
  EXPECT_NEAR(scenario["latency_noise"]["least_significant_increase_percent"], 1.5, 0.1);
  EXPECT_TRUE(scenario["no_noise"].is_null());
  EXPECT_EQ(scenario["order"][0].dump(), R"({"form":"prepared","faster_than_next":true})");
  EXPECT_EQ(scenario["order"][1].dump(), R"({"form":"rpc-prepared","faster_than_next":false})");
  EXPECT_EQ(scenario["cells"].size(), 8);
}

TEST(FormsJson, ACellHasItsMediansAndRounds) {
  const ordered_json json = forms_json(sample_result());
  const ordered_json& cell = json["scenarios"][0]["cells"][7];
  EXPECT_EQ(cell["form"], "prepared");
  EXPECT_EQ(cell["title"], "CQL, prepared (binary)");
  EXPECT_TRUE(cell["not_available"].is_null());
  EXPECT_EQ(cell["errors"], 0);
  EXPECT_EQ(cell["median"]["operations_per_second"], 25'000.0);
  EXPECT_EQ(cell["median"]["operations_per_second_min"], 24'900.0);
  EXPECT_EQ(cell["median"]["operations_per_second_max"], 25'300.0);
  EXPECT_NEAR(cell["median"]["spread_percent"], 1.2, 1e-9);
  EXPECT_NEAR(cell["median"]["response_time_us"]["mean"], 2'000, 1e-6);
  EXPECT_EQ(cell["median"]["response_time_us"]["p99"], 16'000.0);
  EXPECT_EQ(cell["median"]["client_cpu_us_per_operation"], 1.5);
  EXPECT_EQ(cell["median"]["bytes_sent_per_operation"], 180.0);
  EXPECT_NEAR(cell["rate_change"]["percent"], 25, 1e-9);
  EXPECT_EQ(cell["rate_change"]["significant"], true);
  EXPECT_NEAR(cell["latency_change"]["percent"], -20, 1e-9);
  ASSERT_EQ(cell["rounds"].size(), 3);
  const ordered_json& round = cell["rounds"][1];
  EXPECT_EQ(round["round"], 1);
  EXPECT_EQ(round["ok"], true);
  EXPECT_TRUE(round["problem"].is_null());
  EXPECT_EQ(round["verification"]["expected"], 253'000);
  EXPECT_EQ(round["requests"]["achieved_rate"], 25'300.0);
  EXPECT_EQ(round["points"].size(), 10);
  EXPECT_EQ(round["points"][2]["start_s"], 2.0);
  EXPECT_EQ(round["points"][2]["length_s"], 1.0);
}

TEST(FormsJson, WhatIsNotThereIsNull) {
  measure::FormsResult result;
  result.rounds = 1;
  result.scenarios.emplace_back().cells = {{.form = Form::kRpc, .not_available = "no Thrift"},
                                           {.form = Form::kCql}};
  result.scenarios[0].cells[1].rounds.push_back({.problem = "no table"});
  const ordered_json json = forms_json(result);
  EXPECT_EQ(json["ok"], false);
  const ordered_json& scenario = json["scenarios"][0];
  for (const char* name : {"baseline", "rate_noise", "latency_noise"})
    EXPECT_TRUE(scenario[name].is_null()) << name;
  EXPECT_EQ(scenario["no_noise"], "nothing was measured to its end without errors");
  EXPECT_EQ(scenario["cells"][0]["not_available"], "no Thrift");
  EXPECT_EQ(scenario["cells"][0]["rounds"], ordered_json::array());
  for (const char* name : {"median", "rate_change", "latency_change"})
    EXPECT_TRUE(scenario["cells"][1][name].is_null()) << name;
  const ordered_json& round = scenario["cells"][1]["rounds"][0];
  EXPECT_EQ(round["problem"], "no table");
  EXPECT_TRUE(round["verification"].is_null());
  EXPECT_TRUE(round["bytes_sent_per_operation"].is_null());
}

}  // namespace
}  // namespace cqlperf::report
