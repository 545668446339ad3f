#include "report/forms_page.h"

#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forms_markup_check.h"
#include "forms_sample.h"

namespace cqlperf::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const FormsHeading kHeading = {.facts = {{"server", "Cassandra <3.11> & 'more'"}},
                               .command = "cqlperf forms --keyspace \"<x>\""};

// As gnuplot writes it, in short.
PageChart chart_of(measure::FormScenario scenario, ChartKind kind) {
  return {scenario, kind,
          "<?xml version=\"1.0\" encoding=\"utf-8\"  standalone=\"no\"?>\n<svg \n"
          " xmlns=\"http://www.w3.org/2000/svg\"\n>\n<title>inserts_rate</title>\n"
          "<defs><path id='gpPt1' d='M0'/></defs><g id=\"gnuplot_canvas\" fill=\"url(#gpPt1)\">"
          "<use xlink:href='#gpPt1'/></g>\n</svg>\n"};
}

std::string sample_page() {
  return forms_page(sample_result(), kHeading,
                    {chart_of(measure::FormScenario::kInserts, ChartKind::kRate),
                     chart_of(measure::FormScenario::kInserts, ChartKind::kLatency)},
                    "");
}

TEST(FormsPage, NestsItsTagsAndEscapesTexts) {
  const std::string page = sample_page();
  EXPECT_EQ(markup_fault(page), "");
  EXPECT_THAT(page, HasSubstr("<dd>Cassandra &lt;3.11&gt; &amp; &#39;more&#39;</dd>"));
  EXPECT_THAT(page, HasSubstr("<pre>cqlperf forms --keyspace &quot;&lt;x&gt;&quot;</pre>"));
  EXPECT_THAT(page, HasSubstr("n/a (no strings | in &lt;this&gt; scenario)"));
}

TEST(FormsPage, AsksNoOtherHostAndRunsNothing) {
  std::string page = sample_page();
  for (const char* name : {"xmlns=\"http://www.w3.org/2000/svg\""})
    page = std::regex_replace(page, std::regex(name), "");
  for (const char* trace : {"http:", "https:", "//", "<script", "@import", "src="})
    EXPECT_THAT(page, Not(HasSubstr(trace)));
}

TEST(FormsPage, HasTheTableAndWhatIsSaidOfIt) {
  const std::string page = sample_page();
  EXPECT_THAT(page, HasSubstr("<tr class=\"baseline\"><td>RPC</td><td>20,000/s</td>"));
  EXPECT_THAT(page, HasSubstr("<td>CQL</td><td>17,020/s <span class=\"change\">(-15%)</span></td>"
                              "<td>+-0.4%</td><td>2.94 ms <span class=\"change\">(+18%)</span>"
                              "</td><td>23.5 ms</td><td>0</td><td>1.50</td><td>180+21</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<dt>order</dt><dd>CQL, prepared (binary) &gt; "));
  EXPECT_THAT(page, HasSubstr("<p>verified: 6 forms x 3 rounds, every row counted and compared"));
  EXPECT_THAT(page, HasSubstr("href=\"forms.json\""));
  EXPECT_THAT(page, HasSubstr("<dt>RPC (rpc)</dt><dd>Thrift: batch_mutate"));
}

TEST(FormsPage, NoTwoPicturesShareAnId) {
  const std::string page = sample_page();
  std::set<std::string> ids;
  const std::regex id(" id=['\"]([^'\"]*)['\"]");
  for (auto it = std::sregex_iterator(page.begin(), page.end(), id); it != std::sregex_iterator();
       ++it)
    EXPECT_TRUE(ids.insert((*it)[1]).second) << (*it)[1];
  EXPECT_EQ(ids.size(), 4);
  const std::regex reference("(?:href=['\"]|url\\()#([^'\")]*)");
  for (auto it = std::sregex_iterator(page.begin(), page.end(), reference);
       it != std::sregex_iterator(); ++it)
    EXPECT_TRUE(ids.contains((*it)[1])) << (*it)[1];
  EXPECT_THAT(page, HasSubstr("<title>response times by percentile</title>"));
  EXPECT_THAT(page, Not(HasSubstr("<?xml")));
}

TEST(FormsPage, SaysWhyThereAreNoChartsAndWhatIsNotRight) {
  measure::FormsResult result = sample_result();
  result.interrupted = true;
  auto& round = result.scenarios[0].cells[0].rounds[1];
  round.interrupted = true;
  round.problem = "<b> & c";
  const std::string page = forms_page(result, {}, {}, "no charts: gnuplot is not installed");
  EXPECT_EQ(markup_fault(page), "");
  EXPECT_THAT(page, HasSubstr("<p>no charts: gnuplot is not installed</p>"));
  EXPECT_THAT(page, Not(HasSubstr("<figure>")));
  EXPECT_THAT(page, HasSubstr("<p class=\"bad\">Interrupted: "));
  EXPECT_THAT(page, HasSubstr("<p class=\"bad\">NOT RIGHT: 1 of 18 rounds not right</p>"));
  EXPECT_THAT(page, HasSubstr("<li>rpc, round 2: interrupted; &lt;b&gt; &amp; c</li>"));
}

TEST(MarkupFault, FindsWhatItIsFor) {
  EXPECT_EQ(markup_fault("<a b='>'><meta x><c/>t</a>"), "");
  for (const char* bad : {"<a>", "<a></b>", "</a>", "<a", "<a b='></a>"})
    EXPECT_NE(markup_fault(bad), "") << bad;
}

}  // namespace
}  // namespace cqlperf::report
