#include "measure/forms_statistics.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/forms_student_t.h"

namespace cqlperf::measure {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

// The example of a randomised complete block design in D. C. Montgomery, Design and Analysis of
// Experiments, chapter 4 (vascular grafts): four extrusion pressures, six batches of resin.
const std::vector<std::vector<double>> kGrafts = {{90.3, 89.2, 98.2, 93.9, 87.4, 97.9},
                                                  {92.5, 89.5, 90.6, 94.7, 87.0, 95.8},
                                                  {85.5, 90.8, 89.6, 86.2, 88.0, 93.4},
                                                  {82.5, 89.5, 85.6, 87.4, 78.9, 90.7}};

CellRound whole_round(uint32_t number, double rate, double mean_ns) {
  CellRound round;
  round.round = number;
  round.summary.measured_seconds = 10;
  round.summary.achieved_rate = rate;
  if (mean_ns > 0) round.summary.response.mean_ns = mean_ns;
  return round;
}

FormCell cell_of(Form form, const std::vector<double>& rates) {
  FormCell cell{.form = form};
  for (const double rate : rates)
    cell.rounds.push_back(
        whole_round(static_cast<uint32_t>(cell.rounds.size()), rate, rate > 0 ? 50e9 / rate : 0));
  return cell;
}

TEST(StudentT, IsThatOfTheTables) {
  // Two-sided critical values as printed in any table of Student's t.
  EXPECT_NEAR(student_t_two_sided(0.05, 1), 12.706, 0.0005);
  EXPECT_NEAR(student_t_two_sided(0.05, 2), 4.303, 0.0005);
  EXPECT_NEAR(student_t_two_sided(0.05, 3), 3.182, 0.0005);
  EXPECT_NEAR(student_t_two_sided(0.01, 10), 3.169, 0.0005);
  EXPECT_NEAR(student_t_two_sided(0.05, 15), 2.131, 0.0005);
  EXPECT_NEAR(student_t_two_sided(0.002, 30), 3.385, 0.0005);
  EXPECT_NEAR(student_t_two_sided(0.05, 120), 1.980, 0.0005);
}

TEST(BlockDesignNoise, IsThatOfTheTextbook) {
  const FormNoise noise = block_design_noise(kGrafts);
  EXPECT_EQ(noise.degrees, 15);
  EXPECT_NEAR(noise.residual_variance, 7.33, 0.005);  // "error mean square"
  const double t = student_t_two_sided(0.05 / 3, 15);
  EXPECT_NEAR(t, 2.69, 0.01);  // Bonferroni, three comparisons
  EXPECT_NEAR(noise.least_difference, t * std::sqrt(2 * 7.3257 / 6), 0.001);
}

TEST(FormStatistics, TakesTheTextbooksTableFromTheLogarithmsOfTheRates) {
  FormScenarioResult scenario;
  const Form forms[] = {Form::kRpc, Form::kCql, Form::kCqlBound, Form::kPrepared};
  for (size_t i = 0; i < 4; ++i) {
    std::vector<double> rates;
    for (const double value : kGrafts[i]) rates.push_back(std::exp(value));
    scenario.cells.push_back(cell_of(forms[i], rates));
  }
  const FormStatistics statistics = form_statistics(scenario);
  ASSERT_TRUE(statistics.rate_noise);
  EXPECT_NEAR(statistics.rate_noise->residual_variance, 7.33, 0.005);
  // The latencies are the reciprocals here, with the same variance.
  EXPECT_NEAR(statistics.latency_noise->residual_variance, 7.33, 0.005);
  // Means 92.82, 91.68, 88.92, 85.77 with a least difference of 4.21.
  EXPECT_FALSE(statistics.cells[0].rate_change);
  EXPECT_FALSE(statistics.cells[1].rate_change->significant);
  EXPECT_FALSE(statistics.cells[2].rate_change->significant);
  EXPECT_TRUE(statistics.cells[3].rate_change->significant);
  EXPECT_TRUE(statistics.cells[3].latency_change->significant);
  EXPECT_EQ(statistics.no_noise, "");
}

TEST(FormStatistics, ShowsMediansAndTheFurthestRound) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kCql, {1'000, 1'300, 900}), cell_of(Form::kPrepared, {1, 3})};
  const FormStatistics statistics = form_statistics(scenario);
  const FormFigures& cql = statistics.cells[0];
  EXPECT_EQ(cql.rate, 1'000);
  EXPECT_EQ(cql.rounds, 3);
  EXPECT_EQ(cql.median_round, 0);
  EXPECT_NEAR(cql.spread_percent(), 30, 1e-9);
  EXPECT_THAT(*cql.mean_ns, DoubleNear(50e6, 1));
  EXPECT_EQ(statistics.cells[1].rate, 2);
  EXPECT_EQ(statistics.cells[1].median_round, 0);
  EXPECT_NEAR(statistics.cells[1].rate_change->percent, -99.8, 1e-9);
  EXPECT_FALSE(statistics.cells[1].client_cpu_us);
}

TEST(FormStatistics, TheBaselineIsRpcThenCqlThenTheFirst) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpcCql, {1}), cell_of(Form::kCql, {1}),
                    cell_of(Form::kPrepared, {1})};
  EXPECT_EQ(form_statistics(scenario).baseline, 1);
  scenario.cells[0].form = Form::kRpc;
  EXPECT_EQ(form_statistics(scenario).baseline, 0);
  scenario.cells[0].rounds.clear();
  scenario.cells[0].not_available = "no Thrift";
  EXPECT_EQ(form_statistics(scenario).baseline, 1);
  scenario.cells[1].rounds.clear();
  EXPECT_EQ(form_statistics(scenario).baseline, 2);
  scenario.cells[2].rounds.clear();
  EXPECT_FALSE(form_statistics(scenario).baseline);
  EXPECT_EQ(form_statistics(scenario).no_noise, "nothing was measured to its end without errors");
}

TEST(FormStatistics, ARoundWithErrorsIsComparedWithNothing) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {1'000, 1'001, 999}), cell_of(Form::kCql, {10, 10, 10}),
                    cell_of(Form::kPrepared, {2'000, 2'002, 1'998})};
  for (CellRound& round : scenario.cells[1].rounds) round.summary.errors = 1;
  const FormStatistics statistics = form_statistics(scenario);
  EXPECT_FALSE(statistics.cells[1].rate_change->significant);
  EXPECT_TRUE(statistics.cells[2].rate_change->significant);
  ASSERT_EQ(statistics.order.size(), 2u);
  EXPECT_EQ(statistics.order[0].cell, 2u);
}

TEST(FormStatistics, OneRoundMarksNothingAndSaysSo) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {1'000}), cell_of(Form::kCql, {10})};
  const FormStatistics statistics = form_statistics(scenario);
  EXPECT_FALSE(statistics.rate_noise);
  EXPECT_FALSE(statistics.cells[1].rate_change->significant);
  EXPECT_FALSE(statistics.order[0].faster_than_next);
  EXPECT_EQ(
      statistics.no_noise,
      "one round that all forms have whole: the noise is not known, so no difference is marked; "
      "more --rounds show it");
}

TEST(FormStatistics, OneFormHasNothingToBeComparedWith) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {1'000, 1'001})};
  EXPECT_FALSE(form_statistics(scenario).rate_noise);
  EXPECT_THAT(form_statistics(scenario).no_noise, HasSubstr("one form was measured"));
}

TEST(FormStatistics, TheNoiseIsOfRoundsThatEveryFormHasWhole) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {1'000, 1'100, 1'050, 9}),
                    cell_of(Form::kCql, {900, 1'000, 940}), cell_of(Form::kPrepared, {})};
  scenario.cells[1].rounds.push_back(whole_round(3, 1, 1));
  scenario.cells[1].rounds[3].interrupted = true;
  const FormStatistics statistics = form_statistics(scenario);
  ASSERT_TRUE(statistics.rate_noise);
  EXPECT_EQ(statistics.rate_noise->forms, 2);
  EXPECT_EQ(statistics.rate_noise->rounds, 3);
  EXPECT_EQ(statistics.cells[1].rate, 940);
  EXPECT_EQ(statistics.cells[1].rounds, 3);
  EXPECT_FALSE(statistics.cells[1].partial);
}

TEST(FormStatistics, RoundsThatNoTwoFormsShareGiveNoNoise) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {1'000}), cell_of(Form::kCql, {900})};
  scenario.cells[1].rounds[0].round = 1;
  EXPECT_THAT(form_statistics(scenario).no_noise, HasSubstr("no round that every form has whole"));
}

TEST(FormStatistics, AnInterruptedRoundStandsOnlyWhenThereIsNoOther) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {500})};
  scenario.cells[0].rounds[0].interrupted = true;
  const FormStatistics statistics = form_statistics(scenario);
  EXPECT_TRUE(statistics.cells[0].partial);
  EXPECT_EQ(statistics.cells[0].rate, 500);
}

TEST(FormStatistics, ARateOfZeroIsShownAndNeverCompared) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {0, 0}), cell_of(Form::kCql, {900, 910}),
                    cell_of(Form::kPrepared, {1'900, 1'920})};
  const FormStatistics statistics = form_statistics(scenario);
  EXPECT_EQ(statistics.baseline, 1);
  EXPECT_EQ(statistics.cells[0].rate, 0);
  EXPECT_EQ(statistics.cells[0].spread_percent(), 0);
  EXPECT_FALSE(statistics.cells[0].rate_change->significant);
  EXPECT_FALSE(statistics.cells[0].latency_change);
  EXPECT_EQ(statistics.order.size(), 2);
  EXPECT_EQ(statistics.rate_noise->forms, 2);
}

TEST(FormStatistics, ARoundThatWasNotMeasuredIsNoFigure) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {500})};
  scenario.cells[0].rounds.push_back({.round = 1, .problem = "no table"});
  EXPECT_EQ(form_statistics(scenario).cells[0].rate, 500);
  EXPECT_EQ(form_statistics(scenario).cells[0].rounds, 1);
}

TEST(FormStatistics, TheOrderTellsWhichNeighboursDiffer) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {1'000, 1'010, 990}), cell_of(Form::kCql, {500, 504, 498}),
                    cell_of(Form::kPrepared, {1'002, 1'008, 995})};
  const FormStatistics statistics = form_statistics(scenario);
  ASSERT_EQ(statistics.order.size(), 3);
  EXPECT_EQ(statistics.order[0].cell, 2);
  EXPECT_FALSE(statistics.order[0].faster_than_next);
  EXPECT_EQ(statistics.order[1].cell, 0);
  EXPECT_TRUE(statistics.order[1].faster_than_next);
  EXPECT_EQ(statistics.order[2].cell, 1);
}

TEST(FormStatistics, RoundsThatDifferForAllFormsAlikeAreNoNoise) {
  FormScenarioResult scenario;
  scenario.cells = {cell_of(Form::kRpc, {1'000, 2'000, 500}),
                    cell_of(Form::kCql, {1'010, 2'020, 505})};
  const FormStatistics statistics = form_statistics(scenario);
  EXPECT_NEAR(statistics.rate_noise->residual_variance, 0, 1e-20);
  EXPECT_TRUE(statistics.cells[1].rate_change->significant);
  scenario.cells[1] = cell_of(Form::kCql, {1'000, 2'000, 500});
  EXPECT_FALSE(form_statistics(scenario).cells[1].rate_change->significant);
}

}  // namespace
}  // namespace cqlperf::measure
