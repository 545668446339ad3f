#include "report/forms_jira.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/forms_figures.h"

namespace cqlperf::report {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\|{}[]!*_").contains(c)) out += '\\';
    out += c;
  }
  return out;
}

// `1.1ms`, as those tables have it.
std::string joined(std::string figure) {
  std::erase(figure, ' ');
  return figure;
}

std::string row_text(const FormRow& row) {
  const std::string title = escaped(marked_name(row, measure::form_title(row.form)));
  if (!row.instead.empty()) return fmt::format("|{}|{}| |\n", title, escaped(row.instead));
  return fmt::format("|{}|{}|{}|\n", title, with_change(row.rate, row.rate_change),
                     with_change(joined(row.latency), row.latency_change));
}

std::string relation_note(measure::Form baseline) {
  return fmt::format("_Note: Percentages listed are in relation to {} performance._\n",
                     measure::form_title(baseline));
}

std::string scenario_text(const FormTable& table, const std::vector<std::string>& files) {
  std::string text;
  const std::string chart = chart_name(table.scenario, ChartKind::kRate) + ".png";
  if (std::ranges::find(files, chart) != files.end())
    text += fmt::format("!{}|width=700!\n", chart);
  text += "|| ||Average OP rate||Average Latency||\n";
  for (const FormRow& row : table.rows) text += row_text(row);
  if (table.partial) text += escaped(kPartialNote) + "\n";
  text += fmt::format("_Noise: {}_\n", escaped(table.noise));
  // A reader of the table alone must not take for right what is not.
  if (!table.right) text += fmt::format("_{}_\n", escaped(table.verdict));
  return text;
}

}  // namespace

std::string forms_jira(const measure::FormsResult& result, const std::vector<std::string>& files) {
  std::vector<FormTable> tables;
  for (const auto& scenario : result.scenarios)
    tables.push_back(form_table(scenario, result.rounds));
  const bool one_baseline = !tables.empty() && tables.front().baseline &&
                            std::ranges::all_of(tables, [&](const auto& table) {
                              return table.baseline == tables.front().baseline;
                            });
  std::string text = one_baseline ? relation_note(*tables.front().baseline) : "";
  for (const FormTable& table : tables) {
    text += fmt::format("h3. {}\n", escaped(table.title));
    if (!one_baseline && table.baseline) text += relation_note(*table.baseline);
    text += scenario_text(table, files);
  }
  return text;
}

}  // namespace cqlperf::report
