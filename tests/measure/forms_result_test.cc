#include "measure/forms_result.h"

#include <set>

#include <gtest/gtest.h>

namespace cqlperf::measure {
namespace {

CellRound right_round(uint32_t number) {
  CellRound round;
  round.round = number;
  round.verification = CellVerification{.expected = 10, .found = 10, .checked = 10};
  return round;
}

FormsResult right_result() {
  FormsResult result;
  result.rounds = 2;
  FormScenarioResult& scenario = result.scenarios.emplace_back();
  scenario.cells.push_back({.form = Form::kRpc, .not_available = "no Thrift"});
  scenario.cells.push_back({.form = Form::kCql, .rounds = {right_round(0), right_round(1)}});
  return result;
}

TEST(FormsResult, IsOkWhenAllThatThereIsWasMeasuredAndRight) { EXPECT_TRUE(right_result().ok()); }

TEST(FormsResult, ARoundThatIsMissingIsNotOk) {
  FormsResult result = right_result();
  result.scenarios[0].cells[1].rounds.pop_back();
  EXPECT_FALSE(result.ok());
  result.scenarios[0].cells[1].rounds.clear();
  EXPECT_FALSE(result.ok());
}

TEST(FormsResult, AnythingWrongWithARoundIsNotOk) {
  const auto broken = [](auto break_it) {
    FormsResult result = right_result();
    break_it(result.scenarios[0].cells[1].rounds[1]);
    return !result.ok();
  };
  EXPECT_TRUE(broken([](CellRound& round) { round.problem = "the table has another shape"; }));
  EXPECT_TRUE(broken([](CellRound& round) { round.summary.errors = 1; }));
  EXPECT_TRUE(broken([](CellRound& round) { round.verification.reset(); }));
  EXPECT_TRUE(broken([](CellRound& round) { round.verification->wrong = 1; }));
  EXPECT_TRUE(broken([](CellRound& round) { round.verification->missing = 1; }));
  EXPECT_TRUE(broken([](CellRound& round) { round.verification->found = 9; }));
  EXPECT_TRUE(broken([](CellRound& round) { round.verification->found = 11; }));
  EXPECT_TRUE(broken([](CellRound& round) { round.interrupted = true; }));
  FormsResult interrupted = right_result();
  interrupted.interrupted = true;
  EXPECT_FALSE(interrupted.ok());
}

TEST(FormsResult, WhatIsInDoubtMayBeThereOrNot) {
  CellVerification found{.expected = 10, .in_doubt = 2, .found = 10};
  for (found.found = 10; found.found <= 12; ++found.found) EXPECT_TRUE(found.ok());
  EXPECT_FALSE(found.ok());
}

TEST(FormsResult, NamesAndTitlesAreAllDifferent) {
  std::set<std::string> names, titles;
  for (const Form form : kForms) {
    names.insert(form_name(form));
    titles.insert(form_title(form));
    EXPECT_EQ(is_rpc(form), std::string(form_name(form)).starts_with("rpc"));
  }
  EXPECT_EQ(names.size(), kForms.size());
  EXPECT_EQ(titles.size(), kForms.size());
  EXPECT_STREQ(form_title(Form::kRpcPreparedStrings), "CQL over RPC, prepared (strings)");
  std::set<std::string> scenarios;
  for (const FormScenario scenario : kFormScenarios) scenarios.insert(form_scenario_name(scenario));
  EXPECT_EQ(scenarios, (std::set<std::string>{"counters", "indexed", "inserts", "reads"}));
}

}  // namespace
}  // namespace cqlperf::measure
