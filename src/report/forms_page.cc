#include "report/forms_page.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "report/forms_figures.h"

namespace cqlperf::report {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Statement forms</title>
<style>
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #5b5b5b; --line: #cfcfcf;
  --paper: #ffffff; --shade: #f3f3f3; --bad: #a40000; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --soft: #a6a6a6; --line: #484848;
  --paper: #1a1a1a; --shade: #262626; --bad: #ff8a80; } }
body { margin: 2rem auto; max-width: 68rem; padding: 0 1rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.3rem; margin-top: 2.5rem; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1.2rem; margin: 1rem 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
pre { background: var(--shade); padding: .6rem .8rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .5rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; white-space: normal; }
th:first-child, td:first-child, td.instead { text-align: left; }
td.instead { color: var(--soft); white-space: normal; }
tr.baseline td { background: var(--shade); }
.change { color: var(--soft); }
.bad { color: var(--bad); font-weight: 600; }
figure { margin: 1.2rem 0; background: #ffffff; border: 1px solid var(--line); padding: .4rem; }
figure svg { display: block; width: 100%; height: auto; }
footer { margin-top: 3rem; color: var(--soft); }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 10pt; }
  .table { overflow: visible; } table { font-size: 7.5pt; } th, td { padding: .15rem .3rem; }
  figure, table { break-inside: avoid; } figure { max-width: 15cm; } h2 { break-after: avoid; } }
</style>
</head>
<body>
)";

struct FormText {
  measure::Form form;
  const char* sends;
};
constexpr std::array<FormText, measure::kForms.size()> kFormTexts = {
    {{measure::Form::kRpc, "Thrift: batch_mutate to write and to count, get_slice to read"},
     {measure::Form::kRpcCql, "Thrift: execute_cql3_query, the values as literals in the text"},
     {measure::Form::kRpcPreparedStrings,
      "Thrift: execute_prepared_cql3_query, the values as strings that the server parses"},
     {measure::Form::kRpcPrepared, "Thrift: execute_prepared_cql3_query, binary values"},
     {measure::Form::kCql, "native protocol: QUERY, the values as literals in the text"},
     {measure::Form::kCqlBound, "native protocol: QUERY with bound values, not prepared"},
     {measure::Form::kPreparedStrings,
      "native protocol: EXECUTE, the values as strings that the server parses"},
     {measure::Form::kPrepared, "native protocol: EXECUTE, binary values"}}};

constexpr const char* kReading = R"(<h2>How to read it</h2>
<p>All forms run under the same scheduling and the same event loop, with the same keys and values,
round by round in an order that changes, each on a fresh table after a warm-up that is not counted.
Figures are medians over the rounds; the spread is the distance of the furthest round from the
median rate. Response times are counted from when an operation was due. Client CPU is what this
program used for an operation; bytes are those on the wire, sent and received.</p>
<p>A percentage stands only where the difference is larger than the noise. Rounds are blocks and
forms are treatments of a randomised complete block design: what is left of the variance of the
logarithms when the means of forms and of rounds are taken out is the noise, and the least
significant difference follows from it (Student's t, 5 % over all comparisons with the baseline
together). In the order of the forms <b>&gt;</b> is a difference larger than that, and <b>~</b> one
within it.</p>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : core::printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string element(std::string_view name, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>", name, escaped(text));
}

std::string heading_text(const FormsHeading& heading) {
  std::string text = "<h1>Statement forms</h1>\n";
  if (!heading.facts.empty()) {
    text += "<dl>\n";
    for (const auto& [name, value] : heading.facts)
      text += element("dt", name) + element("dd", value) + "\n";
    text += "</dl>\n";
  }
  if (!heading.command.empty()) text += element("pre", heading.command) + "\n";
  return text;
}

std::string figure_cell(const std::string& figure, const std::string& change) {
  if (change.empty()) return element("td", figure);
  return fmt::format("<td>{} <span class=\"change\">{}</span></td>", escaped(figure),
                     escaped(change));
}

std::string row_text(const FormRow& row, bool is_baseline) {
  std::string text = is_baseline ? "<tr class=\"baseline\">" : "<tr>";
  text += element("td", marked_name(row, measure::form_title(row.form)));
  if (!row.instead.empty())
    return text + "<td class=\"instead\" colspan=\"7\">" + escaped(row.instead) + "</td></tr>\n";
  text += figure_cell(row.rate, row.rate_change) + element("td", row.spread);
  text += figure_cell(row.latency, row.latency_change);
  for (const std::string& figure : {row.p99, row.errors, row.client_cpu, row.bytes})
    text += element("td", figure);
  return text + "</tr>\n";
}

std::string table_text(const FormTable& table) {
  std::string text = "<div class=\"table\"><table>\n<thead><tr><th></th>";
  for (const char* name : {"Average op rate", "Spread", "Average latency", "p99", "Errors",
                           "Client us/op", "Bytes/op"})
    text += element("th", name);
  text += "</tr></thead>\n<tbody>\n";
  for (const FormRow& row : table.rows) text += row_text(row, row.form == table.baseline);
  return text + "</tbody>\n</table></div>\n";
}

std::string note(std::string_view name, const std::string& text) {
  return text.empty() ? "" : element("dt", name) + element("dd", text) + "\n";
}

std::string notes_text(const FormTable& table) {
  std::string text;
  if (table.partial) text += element("p", kPartialNote) + "\n";
  text += "<dl>\n" + note("percentages", table.percentages) + note("noise", table.noise);
  text += note("order", order_text(table)) + "</dl>\n";
  text += fmt::format("<p{}>{}</p>\n", table.right ? "" : " class=\"bad\"", escaped(table.verdict));
  if (table.findings.empty()) return text;
  text += "<ul>\n";
  for (const std::string& finding : table.findings) text += element("li", finding) + "\n";
  return text + "</ul>\n";
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// A picture as part of a page that has several: without its XML declaration, and with ids that no
// other one has, since gnuplot gives the same ones to the marks of each.
std::string inlined(const PageChart& chart) {
  std::string svg = chart.svg.substr(std::min(chart.svg.find("<svg"), chart.svg.size()));
  const std::string prefix = chart_name(chart.scenario, chart.kind) + "-";
  for (const std::string_view reference : {" id='", " id=\"", "href='#", "href=\"#", "url(#"})
    replace_all(svg, reference, std::string(reference) + prefix);
  const char* shown =
      chart.kind == ChartKind::kRate ? "throughput over time" : "response times by percentile";
  const size_t title = svg.find("<title>");
  const size_t title_end = svg.find("</title>");
  if (title < title_end && title_end != std::string::npos)
    svg.replace(title, title_end - title, std::string("<title>") + shown);
  return svg;
}

std::string charts_text(measure::FormScenario scenario, const std::vector<PageChart>& charts) {
  std::string text;
  for (const PageChart& chart : charts)
    if (chart.scenario == scenario) text += "<figure>\n" + inlined(chart) + "</figure>\n";
  return text;
}

std::string reading_text() {
  std::string text = kReading;
  text += "<dl>\n";
  for (const FormText& form : kFormTexts)
    text += element("dt", fmt::format("{} ({})", measure::form_title(form.form),
                                      measure::form_name(form.form))) +
            element("dd", form.sends) + "\n";
  return text + "</dl>\n";
}

}  // namespace

std::string forms_page(const measure::FormsResult& result, const FormsHeading& heading,
                       const std::vector<PageChart>& charts, const std::string& charts_note) {
  std::string text = kHead + heading_text(heading);
  if (result.interrupted)
    text += "<p class=\"bad\">Interrupted: the figures are of what was done.</p>\n";
  if (!charts_note.empty()) text += element("p", charts_note) + "\n";
  for (const auto& scenario : result.scenarios) {
    const FormTable table = form_table(scenario, result.rounds);
    text += "<section>\n" + element("h2", table.title) + "\n";
    text += table_text(table) + notes_text(table) + charts_text(table.scenario, charts);
    text += "</section>\n";
  }
  text += reading_text();
  return text +
         "<footer>All figures: <a href=\"forms.json\">forms.json</a>, "
         "<a href=\"forms.md\">forms.md</a></footer>\n</body>\n</html>\n";
}

}  // namespace cqlperf::report
