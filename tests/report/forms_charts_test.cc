#include "report/forms_charts.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "forms_markup_check.h"
#include "forms_sample.h"
#include "report/gnuplot.h"

namespace cqlperf::report {
namespace {

using measure::Form;
using measure::FormScenarioResult;
using testing::HasSubstr;
using testing::Not;

const FormsHeading kHeading = {.facts = {{"server", "Cassandra 3.11.19"}}, .command = {}};

class FormsCharts : public testing::Test {
 protected:
  FormsCharts()
      : directory_(std::filesystem::temp_directory_path() /
                   ("cqlperf it's charts_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~FormsCharts() override { std::filesystem::remove_all(directory_); }

  ChartPaths paths() const {
    return {.svg = directory_ / "chart.svg", .png = directory_ / "chart.png"};
  }
  std::string script(const FormScenarioResult& scenario, ChartKind kind,
                     const FormsHeading& heading = kHeading) const {
    return chart_script(scenario, kind, heading, paths());
  }
  // Draws it; both pictures are whole.
  void expect_pictures(const std::string& script) const {
    const auto drawn = run_gnuplot(script);
    ASSERT_TRUE(drawn) << drawn.error().message;
    const std::string png = read(paths().png);
    ASSERT_GT(png.size(), 1'000);
    EXPECT_EQ(png.substr(1, 3), "PNG");
    EXPECT_EQ(png.substr(16, 4), std::string("\0\0\x05\x78", 4)) << "1400 pixels wide";
    const std::string svg = read(paths().svg);
    EXPECT_EQ(markup_fault(svg), "");
    EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 1400 900\""));
    EXPECT_TRUE(svg.ends_with("</svg>\n\n") || svg.ends_with("</svg>\n")) << svg.size();
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::filesystem::path directory_;
};

FormScenarioResult sample() { return sample_result().scenarios[0]; }

TEST_F(FormsCharts, ThroughputHasACurveForEachFormThatWasMeasured) {
  const std::string text = script(sample(), ChartKind::kRate);
  expect_pictures(text);
  const std::string svg = read(paths().svg);
  for (const char* shown :
       {"Inserts, 1,000,000 rows x 5 columns: throughput over time", "Cassandra 3.11.19",
        "operations per second, thousands", "seconds since the measured time began",
        "CQL over RPC, prepared (binary)", "CQL, bound values"})
    EXPECT_THAT(svg, HasSubstr(shown));
  EXPECT_THAT(svg, Not(HasSubstr("(strings)")));
  EXPECT_THAT(text, HasSubstr("set yrange [0:"));
}

TEST_F(FormsCharts, TheCurveIsThatOfTheMedianRoundAtTheMiddleOfItsIntervals) {
  FormScenarioResult scenario;
  scenario.cells = {sample_cell(Form::kCql, {900, 1'000, 1'100})};
  scenario.cells[0].rounds[1].points = {{.start_s = 0, .length_s = 1, .rate = 990},
                                        {.start_s = 1, .length_s = 0.5, .rate = 1'020},
                                        {.start_s = 1.5, .length_s = 0.01, .rate = 7}};
  const std::string text = script(scenario, ChartKind::kRate);
  EXPECT_THAT(text, HasSubstr("$form4 << EOD\n0.5 990\n1.25 1020\nEOD\n"));
  EXPECT_THAT(text, HasSubstr("set ylabel \"operations per second\"\n"));
  expect_pictures(text);
}

TEST_F(FormsCharts, RpcIsDashedAndNativeIsNot) {
  const std::string text = script(sample(), ChartKind::kRate);
  EXPECT_THAT(text,
              HasSubstr("$form0 using 1:2 with linespoints lc rgb \"#000000\" lw 3 dt (14,7)"));
  EXPECT_THAT(text, HasSubstr("$form7 using 1:2 with linespoints lc rgb \"#0072B2\" lw 3 dt 1 "));
}

TEST_F(FormsCharts, PercentilesAreThoseOfTheHistogram) {
  FormScenarioResult scenario;
  measure::FormCell cell{.form = Form::kCql};
  for (int i = 1; i <= 1'000; ++i) cell.response.record(i * 2'000);
  scenario.cells = {cell};
  const std::string text = script(scenario, ChartKind::kLatency);
  // The least, 90 %, 99 % and 99.9 % of 2, 4, ... 2000 us: two digits more than a bucket holds.
  for (const char* line : {"\n0 0.002\n", "\n1 1.80", "\n2 1.98", "\n3 1.99"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, HasSubstr("response time, ms"));
  EXPECT_THAT(text, HasSubstr("\"99.9 %%\" 3"));
  EXPECT_THAT(text, HasSubstr("set logscale y"));
  expect_pictures(text);
}

TEST_F(FormsCharts, NarrowLatenciesHaveALinearAxisFromZero) {
  FormScenarioResult scenario;
  measure::FormCell cell{.form = Form::kCql};
  for (int i = 100; i <= 900; ++i) cell.response.record(i * 1'000);
  scenario.cells = {cell};
  const std::string text = script(scenario, ChartKind::kLatency);
  EXPECT_THAT(text, HasSubstr("response time, us"));
  EXPECT_THAT(text, HasSubstr("set yrange [0:*]"));
  EXPECT_THAT(text, Not(HasSubstr("logscale")));
  expect_pictures(text);
}

TEST_F(FormsCharts, AllFormsAndOneOperationCanBeDrawn) {
  FormScenarioResult all;
  for (const Form form : measure::kForms)
    all.cells.push_back(sample_cell(form, {100.0 * (2 + static_cast<int>(form))}));
  expect_pictures(script(all, ChartKind::kRate));
  expect_pictures(script(all, ChartKind::kLatency));
  FormScenarioResult one;
  one.cells = {{.form = Form::kPrepared}};
  one.cells[0].response.record(0);
  expect_pictures(script(one, ChartKind::kLatency));
}

TEST_F(FormsCharts, ARateOfZeroIsALineAtTheBottom) {
  FormScenarioResult scenario;
  scenario.cells = {sample_cell(Form::kCql, {100})};
  for (auto& point : scenario.cells[0].rounds[0].points) point.rate = 0;
  expect_pictures(script(scenario, ChartKind::kRate));
}

TEST_F(FormsCharts, WithoutDataThereIsNothingToDraw) {
  FormScenarioResult scenario;
  scenario.cells = {{.form = Form::kCql}, {.form = Form::kRpc, .not_available = "no Thrift"}};
  EXPECT_EQ(script(scenario, ChartKind::kRate), "");
  EXPECT_EQ(script(scenario, ChartKind::kLatency), "");
}

TEST_F(FormsCharts, TextsAreShownAndNeverRun) {
  const std::string trap =
      std::filesystem::temp_directory_path() / ("cqlperf_trap_" + std::to_string(getpid()));
  FormScenarioResult scenario = sample();
  scenario.title = "a_b ^{c} \\ \"quoted\" <d>";
  for (const std::string& text : {"x\"; system('touch " + trap + "') #", "`touch " + trap + "`",
                                  "\nsystem('touch " + trap + "')\n", std::string("\xff \x1b")}) {
    const FormsHeading heading = {.facts = {{"server", text}}, .command = {}};
    expect_pictures(script(scenario, ChartKind::kRate, heading));
    EXPECT_FALSE(std::filesystem::exists(trap)) << text;
    EXPECT_THAT(read(paths().svg), HasSubstr("a_b ^{c} / 'quoted' &lt;d"));
  }
}

}  // namespace
}  // namespace cqlperf::report
