#include "report/forms_text.h"

#include <fmt/format.h>

#include "report/forms_figures.h"

namespace cqlperf::report {
namespace {

constexpr size_t kWidth = 100;
constexpr std::string_view kRow = "  {:<21} {:>18} {:>6} {:>15} {:>8} {:>7} {:>7} {:>9}\n";
constexpr std::string_view kLabelled = "  {:<12} {}\n";

std::string row_text(const FormRow& row) {
  const std::string name = marked_name(row, measure::form_name(row.form));
  if (!row.instead.empty()) return fmt::format("  {:<21}  {}\n", name, row.instead);
  return fmt::format(fmt::runtime(kRow), name, with_change(row.rate, row.rate_change), row.spread,
                     with_change(row.latency, row.latency_change), row.p99, row.errors,
                     row.client_cpu, row.bytes);
}

std::string labelled(std::string_view label, const std::string& text) {
  return text.empty() ? "" : fmt::format(fmt::runtime(kLabelled), label, text);
}

// The order, broken between forms where a line is full.
std::string order_lines(const FormTable& table) {
  std::string text, line;
  for (const FormPlace& place : table.order) {
    const std::string part = measure::form_name(place.form) + place.relation;
    if (15 + line.size() + part.size() > kWidth) {
      text += labelled(text.empty() ? "order" : "", line.substr(0, line.find_last_not_of(' ') + 1));
      line.clear();
    }
    line += part;
  }
  return text + labelled(text.empty() ? "order" : "", line);
}

}  // namespace

std::string forms_text(const measure::FormScenarioResult& scenario, uint32_t rounds) {
  const FormTable table = form_table(scenario, rounds);
  std::string text = table.title + "\n";
  text += fmt::format(fmt::runtime(kRow), "", "average", "", "average", "", "", "client", "bytes");
  text += fmt::format(fmt::runtime(kRow), "", "op rate", "spread", "latency", "p99", "errors",
                      "us/op", "per op");
  for (const FormRow& row : table.rows) text += row_text(row);
  if (table.partial) text += fmt::format("  {}\n", kPartialNote);
  text += "\n";
  text += labelled("percentages", table.percentages);
  text += labelled("noise", table.noise);
  text += order_lines(table);
  text += fmt::format("  {}\n", table.verdict);
  for (const std::string& finding : table.findings) text += fmt::format("    {}\n", finding);
  return text;
}

}  // namespace cqlperf::report
