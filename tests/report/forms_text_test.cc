#include "report/forms_text.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forms_sample.h"

namespace cqlperf::report {
namespace {

using measure::Form;
using measure::FormScenario;
using testing::HasSubstr;
using testing::Not;

measure::FormScenarioResult sample() { return sample_result().scenarios[0]; }

TEST(FormsText, MarksOnlyWhatIsLargerThanTheNoise) {
  EXPECT_EQ("\n" + forms_text(sample(), 3), R"(
Inserts, 1,000,000 rows x 5 columns
                                   average                average                   client     bytes
                                   op rate spread         latency      p99  errors   us/op    per op
  rpc                             20,000/s +-0.5%         2.50 ms  20.0 ms       0    1.50    180+21
  rpc-cql                  15,500/s (-22%) +-0.6%  3.23 ms (+29%)  25.8 ms       0    1.50    180+21
  rpc-prepared-strings   n/a (no strings | in <this> scenario)
  rpc-prepared                    20,050/s +-0.7%         2.49 ms  20.0 ms       0    1.50    180+21
  cql                      17,020/s (-15%) +-0.4%  2.94 ms (+18%)  23.5 ms       0    1.50    180+21
  cql-bound                18,000/s (-10%)   +-1%  2.78 ms (+11%)  22.2 ms       0    1.50    180+21
  prepared-strings       n/a (no JSON on this server)
  prepared                 25,000/s (+25%)   +-1%  2.00 ms (-20%)  16.0 ms       0    1.50    180+21

  percentages  in relation to RPC, where the difference is larger than the noise
  noise        +-0.6% a round; marked from +1.5%/-1.4% (latencies +1.5%/-1.4%; 6 forms, 3 rounds)
  order        prepared > rpc-prepared ~ rpc > cql-bound > cql > rpc-cql
  verified: 6 forms x 3 rounds, every row counted and compared
)");
}

measure::FormScenarioResult troubled() {
  measure::FormScenarioResult scenario;
  scenario.title = "Inserts, 10 rows x 5 columns";
  scenario.cells = {sample_cell(Form::kRpc, {1'000}), sample_cell(Form::kCql, {900}),
                    sample_cell(Form::kCqlBound, {0.25}), sample_cell(Form::kPrepared, {})};
  auto& rpc = scenario.cells[0].rounds[0];
  rpc.verification = measure::CellVerification{.expected = 1'000,
                                               .found = 990,
                                               .checked = 990,
                                               .wrong = 1,
                                               .missing = 10,
                                               .first_fault = "7\n8"};
  auto& cql = scenario.cells[1].rounds[0];
  cql.interrupted = true;
  cql.verification.reset();
  cql.summary.errors = 12;
  cql.summary.errors_by_kind = {{"WriteTimeout", 12, "Operation timed out\x1b"}};
  auto& bound = scenario.cells[2].rounds[0];
  bound.problem = "the table could not be read";
  bound.verification.reset();
  bound.summary.response = {};
  bound.summary.client_cpu_us_per_operation.reset();
  bound.bytes_sent_per_operation.reset();
  bound.bytes_received_per_operation.reset();
  return scenario;
}

TEST(FormsText, SaysWhatWasNotRight) {
  EXPECT_EQ("\n" + forms_text(troubled(), 2), R"(
Inserts, 10 rows x 5 columns
                                   average                average                   client     bytes
                                   op rate spread         latency      p99  errors   us/op    per op
  rpc                              1,000/s      -         50.0 ms   400 ms       0    1.50    180+21
  cql*                               900/s      -         55.6 ms   444 ms      12    1.50    180+21
  cql-bound                         0.25/s      -               -        -       0       -         -
  prepared               not run
  * interrupted: the figures are those of a part

  noise        one form was measured to its end without errors: there is nothing to compare it with
  order        rpc; cql; cql-bound
  NOT RIGHT: 3 of 3 rounds not right, 5 not run
    rpc, round 1: 1 row wrong, 10 rows missing, 990 found where 1,000 were acknowledged; first: 7 8
    rpc: 1 of 2 rounds run
    cql, round 1: interrupted
    cql: 12 WriteTimeout: Operation timed out\x1b
    cql: 1 of 2 rounds run
    cql-bound, round 1: the table could not be read
    cql-bound: 1 of 2 rounds run
)");
}

TEST(FormsText, FitsInAHundredColumns) {
  measure::FormScenarioResult wide = sample();
  for (const Form form : measure::kForms)
    wide.cells[static_cast<size_t>(form)] =
        sample_cell(form, {1'234'567.0 / (1 + static_cast<int>(form)), 1'230'000, 990'000});
  for (const auto& scenario : {sample(), wide}) {
    std::istringstream lines(forms_text(scenario, 3));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100) << line;
  }
  EXPECT_THAT(forms_text(wide, 3), HasSubstr("~\n               "));
}

std::string verdict(FormScenario kind, measure::CellVerification found) {
  measure::FormScenarioResult scenario{.scenario = kind, .title = "title", .cells = {}};
  scenario.cells = {sample_cell(Form::kCql, {100, 100})};
  for (auto& round : scenario.cells[0].rounds) round.verification = found;
  const std::string text = forms_text(scenario, 2);
  return text.substr(text.find("verified"));
}

TEST(FormsText, TellsHowEachScenarioWasVerified) {
  EXPECT_EQ(verdict(FormScenario::kInserts, {.expected = 9, .found = 9, .checked = 4}),
            "verified: 1 form x 2 rounds, every row counted, 8 of 18 compared\n");
  EXPECT_EQ(
      verdict(FormScenario::kIndexed, {.expected = 9, .in_doubt = 2, .found = 10, .checked = 10}),
      "verified: 1 form x 2 rounds, every row counted and compared; 4 in doubt\n");
  EXPECT_EQ(verdict(FormScenario::kCounters, {.expected = 9, .in_doubt = 1, .found = 9}),
            "verified: 1 form x 2 rounds, the sum of every counter is what was acknowledged; 2 in "
            "doubt\n");
  EXPECT_EQ(verdict(FormScenario::kReads, {.checked = 1'000}),
            "verified: 1 form x 2 rounds, every answer compared, 2,000 of them\n");
}

TEST(FormsText, CountersAndReadsAreToldInTheirOwnWords) {
  measure::FormScenarioResult scenario = troubled();
  scenario.scenario = FormScenario::kCounters;
  scenario.cells[0].rounds[0].verification =
      measure::CellVerification{.expected = 10, .in_doubt = 1, .found = 12};
  EXPECT_THAT(forms_text(scenario, 1),
              HasSubstr("rpc, round 1: 12 found where 10 were acknowledged and 1 in doubt\n"));
  scenario.scenario = FormScenario::kReads;
  scenario.cells[0].rounds[0].verification = measure::CellVerification{.checked = 9, .wrong = 3};
  EXPECT_THAT(forms_text(scenario, 1), HasSubstr("rpc, round 1: 3 answers wrong\n"));
}

TEST(FormsText, WithoutAnyFormNothingIsCalledVerified) {
  measure::FormScenarioResult scenario;
  scenario.cells = {{.form = Form::kRpc, .not_available = "no Thrift"}};
  const std::string text = forms_text(scenario, 3);
  EXPECT_THAT(text, HasSubstr("nothing to verify"));
  EXPECT_THAT(text, Not(HasSubstr("order")));
  EXPECT_THAT(text, Not(HasSubstr("percentages")));
}

}  // namespace
}  // namespace cqlperf::report
