#include "report/forms_markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "report/forms_figures.h"

namespace cqlperf::report {
namespace {

// Text that Markdown shows as it is, in one line and in a cell of a table.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : core::printable(text)) {
    if (std::string_view("\\`*_{}[]<|").contains(c)) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string row_text(const FormRow& row) {
  const std::string name = escaped(marked_name(row, measure::form_title(row.form)));
  if (!row.instead.empty())
    return fmt::format("| {} | {} | | | | | | |\n", name, escaped(row.instead));
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", name,
                     with_change(row.rate, row.rate_change), row.spread,
                     with_change(row.latency, row.latency_change), row.p99, row.errors,
                     row.client_cpu, row.bytes);
}

std::string item(std::string_view label, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("- {}{}{}\n", label, label.empty() ? "" : ": ", escaped(text));
}

std::string charts_of(measure::FormScenario scenario, const std::vector<std::string>& files) {
  std::string text;
  for (const ChartKind kind : kChartKinds) {
    const std::string file = chart_name(scenario, kind) + ".png";
    if (std::ranges::find(files, file) == files.end()) continue;
    text += fmt::format("\n![{}]({})\n",
                        kind == ChartKind::kRate ? "throughput over time" : "latency percentiles",
                        file);
  }
  return text;
}

std::string scenario_text(const measure::FormScenarioResult& scenario, uint32_t rounds,
                          const std::vector<std::string>& files) {
  const FormTable table = form_table(scenario, rounds);
  std::string text = fmt::format("\n## {}\n\n", escaped(table.title));
  text +=
      "| | Average OP rate | Spread | Average latency | p99 | Errors | Client us/op | "
      "Bytes/op |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const FormRow& row : table.rows) text += row_text(row);
  text += "\n";
  if (table.partial) text += item("", kPartialNote);
  text += item("percentages", table.percentages) + item("noise", table.noise);
  text += item("order", order_text(table));
  text += item("", table.verdict);
  for (const std::string& finding : table.findings) text += "  " + item("", finding);
  return text + charts_of(table.scenario, files);
}

}  // namespace

std::string forms_markdown(const measure::FormsResult& result, const FormsHeading& heading,
                           const std::vector<std::string>& files) {
  std::string text = "# Statement forms\n\n";
  for (const auto& [name, value] : heading.facts) text += item(escaped(name), value);
  if (!heading.command.empty()) text += fmt::format("\n    {}\n", core::printable(heading.command));
  if (result.interrupted) text += "\nInterrupted: the figures are of what was done.\n";
  for (const auto& scenario : result.scenarios)
    text += scenario_text(scenario, result.rounds, files);
  return text;
}

}  // namespace cqlperf::report
