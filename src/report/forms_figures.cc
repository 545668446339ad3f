#include "report/forms_figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "core/units.h"
#include "report/figures.h"
#include "report/forms_findings.h"

namespace cqlperf::report {
namespace {

using measure::FormCell;
using measure::FormChange;
using measure::FormFigures;
using measure::FormScenarioResult;
using measure::FormStatistics;

std::string rate_text(double rate) {
  if (rate < 99.5) return core::format_rate(rate);
  return count_text(static_cast<uint64_t>(std::llround(rate))) + "/s";
}

// Whole percents as people compare them; with a decimal where whole ones would say nothing.
std::string percent_text(double percent) {
  return fmt::format("{:.{}f}%", percent, std::abs(percent) < 0.95 ? 1 : 0);
}

std::string change_text(const std::optional<FormChange>& change) {
  if (!change || !change->significant) return {};
  return fmt::format("({}{})", change->percent < 0 ? "" : "+", percent_text(change->percent));
}

// `180`, and from 100,000 on in thousands: `1024k`.
std::string bytes_text(const std::optional<double>& value) {
  if (!value) return "-";
  return *value < 99'999.5 ? fmt::format("{:.0f}", *value) : fmt::format("{:.0f}k", *value / 1e3);
}

// Two decimals, and fewer of what is not small: `0.51`, `38.3`, `1080`.
std::string cpu_text(double us) {
  return fmt::format("{:.{}f}", us, us < 9.995 ? 2 : us < 99.95 ? 1 : 0);
}

void fill_row(const FormFigures& figures, FormRow& row) {
  row.partial = figures.partial;
  row.errors = count_text(figures.errors);
  if (!figures.rate) return;
  row.rate = rate_text(*figures.rate);
  row.rate_change = change_text(figures.rate_change);
  if (figures.rounds > 1) row.spread = "+-" + percent_text(figures.spread_percent());
  row.latency = latency_text(figures.mean_ns);
  row.latency_change = change_text(figures.latency_change);
  row.p99 = latency_text(figures.p99_ns);
  if (figures.client_cpu_us) row.client_cpu = cpu_text(*figures.client_cpu_us);
  if (figures.bytes_sent || figures.bytes_received)
    row.bytes = bytes_text(figures.bytes_sent) + "+" + bytes_text(figures.bytes_received);
}

FormRow row_of(const FormCell& cell, const FormFigures& figures) {
  FormRow row{.form = cell.form};
  if (!cell.not_available.empty())
    row.instead = fmt::format("n/a ({})", core::printable(cell.not_available));
  else if (cell.rounds.empty())
    row.instead = "not run";
  else
    fill_row(figures, row);
  std::ranges::replace(row.instead, '\n', ' ');
  return row;
}

std::string noise_text(const FormStatistics& statistics) {
  if (!statistics.rate_noise || !statistics.latency_noise) return statistics.no_noise;
  const measure::FormNoise& rates = *statistics.rate_noise;
  const auto percent = [](double value) {
    return fmt::format("{:.{}f}%", value, value < 9.95 ? 1 : 0);
  };
  const auto least = [&](const measure::FormNoise& noise) {
    return fmt::format("+{}/-{}", percent(noise.least_increase_percent()),
                       percent(noise.least_decrease_percent()));
  };
  return fmt::format("+-{} a round; marked from {} (latencies {}; {} forms, {} rounds)",
                     percent(rates.residual_percent()), least(rates),
                     least(*statistics.latency_noise), rates.forms, rates.rounds);
}

std::string percentages_text(const FormScenarioResult& scenario, const FormStatistics& statistics) {
  if (!statistics.baseline || !statistics.rate_noise) return {};
  return fmt::format("in relation to {}, where the difference is larger than the noise",
                     measure::form_title(scenario.cells[*statistics.baseline].form));
}

std::vector<FormPlace> places_of(const FormScenarioResult& scenario,
                                 const FormStatistics& statistics) {
  std::vector<FormPlace> places;
  // Without a known noise nothing is said of neighbours.
  const char* within = statistics.rate_noise ? " ~ " : "; ";
  for (const auto& rank : statistics.order)
    places.push_back({scenario.cells[rank.cell].form, rank.faster_than_next ? " > " : within});
  if (!places.empty()) places.back().relation.clear();
  return places;
}

}  // namespace

FormTable form_table(const FormScenarioResult& scenario, uint32_t rounds) {
  const FormStatistics statistics = measure::form_statistics(scenario);
  FormFindings findings = form_findings(scenario, rounds);
  FormTable table{.scenario = scenario.scenario, .title = scenario.title};
  for (size_t i = 0; i < scenario.cells.size(); ++i)
    table.rows.push_back(row_of(scenario.cells[i], statistics.cells[i]));
  if (statistics.baseline) table.baseline = scenario.cells[*statistics.baseline].form;
  table.partial = std::ranges::any_of(table.rows, &FormRow::partial);
  table.percentages = percentages_text(scenario, statistics);
  table.noise = noise_text(statistics);
  table.order = places_of(scenario, statistics);
  table.right = findings.right;
  table.verdict = std::move(findings.verdict);
  table.findings = std::move(findings.lines);
  return table;
}

std::string order_text(const FormTable& table) {
  std::string text;
  for (const FormPlace& place : table.order)
    text += measure::form_title(place.form) + place.relation;
  return text;
}

std::string marked_name(const FormRow& row, const std::string& name) {
  return row.partial ? name + "*" : name;
}

std::string with_change(const std::string& figure, const std::string& change) {
  return change.empty() ? figure : figure + " " + change;
}

}  // namespace cqlperf::report
