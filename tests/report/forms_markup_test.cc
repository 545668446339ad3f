#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forms_sample.h"
#include "report/forms_jira.h"
#include "report/forms_markdown.h"

namespace cqlperf::report {
namespace {

using measure::Form;
using testing::HasSubstr;
using testing::Not;

const FormsHeading kHeading = {
    .facts = {{"server", "Cassandra 3.11.19 <b>|"}, {"rows", "1,000,000"}},
    .command = "cqlperf forms --out DIR"};

measure::FormsResult interrupted_result() {
  measure::FormsResult result = sample_result();
  result.interrupted = true;
  auto& cells = result.scenarios[0].cells;
  cells[0] = {.form = Form::kRpc, .not_available = "no Thrift"};
  cells[5] = sample_cell(Form::kCqlBound, {17'000});
  cells[5].rounds[0].interrupted = true;
  cells[7] = sample_cell(Form::kPrepared, {});
  return result;
}

TEST(FormsMarkdown, IsTheTableWithAllThatIsSaidOfIt) {
  EXPECT_EQ("\n" + forms_markdown(sample_result(), kHeading, {"inserts-rate.png", "forms.md"}),
            R"(
# Statement forms

- server: Cassandra 3.11.19 \<b>\|
- rows: 1,000,000

    cqlperf forms --out DIR

## Inserts, 1,000,000 rows x 5 columns

| | Average OP rate | Spread | Average latency | p99 | Errors | Client us/op | Bytes/op |
|---|---:|---:|---:|---:|---:|---:|---:|
| RPC | 20,000/s | +-0.5% | 2.50 ms | 20.0 ms | 0 | 1.50 | 180+21 |
| CQL over RPC | 15,500/s (-22%) | +-0.6% | 3.23 ms (+29%) | 25.8 ms | 0 | 1.50 | 180+21 |
| CQL over RPC, prepared (strings) | n/a (no strings \| in \<this> scenario) | | | | | | |
| CQL over RPC, prepared (binary) | 20,050/s | +-0.7% | 2.49 ms | 20.0 ms | 0 | 1.50 | 180+21 |
| CQL | 17,020/s (-15%) | +-0.4% | 2.94 ms (+18%) | 23.5 ms | 0 | 1.50 | 180+21 |
| CQL, bound values | 18,000/s (-10%) | +-1% | 2.78 ms (+11%) | 22.2 ms | 0 | 1.50 | 180+21 |
| CQL, prepared (strings) | n/a (no JSON on this server) | | | | | | |
| CQL, prepared (binary) | 25,000/s (+25%) | +-1% | 2.00 ms (-20%) | 16.0 ms | 0 | 1.50 | 180+21 |

- percentages: in relation to RPC, where the difference is larger than the noise
- noise: +-0.6% a round; marked from +1.5%/-1.4% (latencies +1.5%/-1.4%; 6 forms, 3 rounds)
- order: CQL, prepared (binary) > CQL over RPC, prepared (binary) ~ RPC > CQL, bound values )"
            R"(> CQL > CQL over RPC
- verified: 6 forms x 3 rounds, every row counted and compared

![throughput over time](inserts-rate.png)
)");
}

TEST(FormsMarkdown, TellsWhatIsNotThere) {
  const std::string text = forms_markdown(interrupted_result(), {}, {});
  EXPECT_THAT(text, HasSubstr("\nInterrupted: the figures are of what was done.\n"));
  EXPECT_THAT(text, HasSubstr("| RPC | n/a (no Thrift) | | | | | | |\n"));
  EXPECT_THAT(text, HasSubstr("| CQL, bound values\\* | 17,000/s |"));
  EXPECT_THAT(text, HasSubstr("| CQL, prepared (binary) | not run | | | | | | |\n"));
  EXPECT_THAT(text, HasSubstr("- NOT COMPLETE, in rounds: 1 interrupted, 5 not run\n"
                              "  - cql-bound, round 1: interrupted\n"));
  EXPECT_THAT(text, Not(HasSubstr("![")));
}

TEST(FormsJira, StandsBesideTheTablesOf2011) {
  EXPECT_EQ("\n" + forms_jira(sample_result(), {"inserts-rate.png"}), R"(
_Note: Percentages listed are in relation to RPC performance._
h3. Inserts, 1,000,000 rows x 5 columns
!inserts-rate.png|width=700!
|| ||Average OP rate||Average Latency||
|RPC|20,000/s|2.50ms|
|CQL over RPC|15,500/s (-22%)|3.23ms (+29%)|
|CQL over RPC, prepared (strings)|n/a (no strings \| in <this> scenario)| |
|CQL over RPC, prepared (binary)|20,050/s|2.49ms|
|CQL|17,020/s (-15%)|2.94ms (+18%)|
|CQL, bound values|18,000/s (-10%)|2.78ms (+11%)|
|CQL, prepared (strings)|n/a (no JSON on this server)| |
|CQL, prepared (binary)|25,000/s (+25%)|2.00ms (-20%)|
_Noise: +-0.6% a round; marked from +1.5%/-1.4% (latencies +1.5%/-1.4%; 6 forms, 3 rounds)_
)");
}

TEST(FormsJira, TheNoteNamesTheTrueBaselineOnceOrForEachTable) {
  measure::FormsResult result = interrupted_result();
  EXPECT_THAT(forms_jira(result, {}),
              HasSubstr("_Note: Percentages listed are in relation to CQL performance._\nh3. Ins"));
  result.scenarios.push_back(sample_result().scenarios[0]);
  const std::string text = forms_jira(result, {});
  EXPECT_THAT(text, HasSubstr("columns\n_Note: Percentages listed are in relation to CQL perf"));
  EXPECT_THAT(text, HasSubstr("columns\n_Note: Percentages listed are in relation to RPC perf"));
  EXPECT_EQ(text.find("h3. "), 0);
}

TEST(FormsJira, WithoutChartsThereIsNoPicture) {
  EXPECT_THAT(forms_jira(sample_result(), {"reads-rate.png"}), Not(HasSubstr("width")));
}

TEST(FormsJira, WhatIsNotRightIsNotShownAsIfItWere) {
  const std::string text = forms_jira(interrupted_result(), {});
  EXPECT_THAT(text, HasSubstr("|CQL, bound values\\*|17,000/s|2.94ms|\n"));
  EXPECT_THAT(text, HasSubstr("|CQL, prepared (binary)|not run| |\n"));
  EXPECT_THAT(text, HasSubstr("_NOT COMPLETE, in rounds: 1 interrupted, 5 not run_\n"));
}

}  // namespace
}  // namespace cqlperf::report
