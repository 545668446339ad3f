#include "report/forms_json.h"

#include <optional>
#include <string>

#include "measure/forms_statistics.h"
#include "report/json_document.h"

namespace cqlperf::report {
namespace {

using measure::CellRound;
using measure::FormCell;
using measure::FormChange;
using measure::FormFigures;
using measure::FormNoise;
using measure::FormScenarioResult;
using measure::FormStatistics;
using nlohmann::ordered_json;

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json microseconds(const std::optional<double>& nanos) {
  return nanos ? ordered_json(*nanos / 1e3) : ordered_json(nullptr);
}

ordered_json verification_json(const std::optional<measure::CellVerification>& found) {
  if (!found) return nullptr;
  return {{"ok", found->ok()},           {"expected", found->expected},
          {"in_doubt", found->in_doubt}, {"found", found->found},
          {"checked", found->checked},   {"wrong", found->wrong},
          {"missing", found->missing},   {"first_fault", found->first_fault}};
}

ordered_json points_json(const CellRound& round) {
  ordered_json list = ordered_json::array();
  for (const measure::RatePoint& point : round.points)
    list.push_back({{"start_s", point.start_s},
                    {"length_s", point.length_s},
                    {"operations_per_second", point.rate}});
  return list;
}

ordered_json round_json(const CellRound& round) {
  ordered_json json;
  json["round"] = round.round;
  json["ok"] = round.ok();
  json["interrupted"] = round.interrupted;
  json["problem"] = or_null(round.problem);
  json["bytes_sent_per_operation"] = or_null(round.bytes_sent_per_operation);
  json["bytes_received_per_operation"] = or_null(round.bytes_received_per_operation);
  json["verification"] = verification_json(round.verification);
  json["requests"] = summary_json(round.summary);
  json["points"] = points_json(round);
  return json;
}

ordered_json change_json(const std::optional<FormChange>& change) {
  if (!change) return nullptr;
  return {{"percent", change->percent}, {"significant", change->significant}};
}

// The medians over the rounds, null where nothing was measured.
ordered_json median_json(const FormFigures& figures) {
  if (!figures.rate) return nullptr;
  ordered_json json;
  json["rounds"] = figures.rounds;
  json["partial"] = figures.partial;
  json["operations_per_second"] = *figures.rate;
  json["operations_per_second_min"] = figures.rate_min;
  json["operations_per_second_max"] = figures.rate_max;
  json["spread_percent"] = figures.spread_percent();
  json["response_time_us"] = {{"mean", microseconds(figures.mean_ns)},
                              {"p99", microseconds(figures.p99_ns)}};
  json["client_cpu_us_per_operation"] = or_null(figures.client_cpu_us);
  json["bytes_sent_per_operation"] = or_null(figures.bytes_sent);
  json["bytes_received_per_operation"] = or_null(figures.bytes_received);
  return json;
}

ordered_json cell_json(const FormCell& cell, const FormFigures& figures) {
  ordered_json json;
  json["form"] = measure::form_name(cell.form);
  json["title"] = measure::form_title(cell.form);
  json["not_available"] =
      cell.not_available.empty() ? ordered_json(nullptr) : ordered_json(cell.not_available);
  json["errors"] = figures.errors;
  json["median"] = median_json(figures);
  json["rate_change"] = change_json(figures.rate_change);
  json["latency_change"] = change_json(figures.latency_change);
  json["rounds"] = ordered_json::array();
  for (const CellRound& round : cell.rounds) json["rounds"].push_back(round_json(round));
  return json;
}

ordered_json noise_json(const std::optional<FormNoise>& noise) {
  if (!noise) return nullptr;
  return {{"forms", noise->forms},
          {"rounds", noise->rounds},
          {"degrees_of_freedom", noise->degrees},
          {"residual_percent", noise->residual_percent()},
          {"least_significant_increase_percent", noise->least_increase_percent()},
          {"least_significant_decrease_percent", noise->least_decrease_percent()}};
}

ordered_json order_json(const FormScenarioResult& scenario, const FormStatistics& statistics) {
  ordered_json list = ordered_json::array();
  for (const auto& rank : statistics.order)
    list.push_back({{"form", measure::form_name(scenario.cells[rank.cell].form)},
                    {"faster_than_next", rank.faster_than_next}});
  return list;
}

ordered_json scenario_json(const FormScenarioResult& scenario) {
  const FormStatistics statistics = measure::form_statistics(scenario);
  ordered_json json;
  json["scenario"] = measure::form_scenario_name(scenario.scenario);
  json["title"] = scenario.title;
  json["baseline"] =
      statistics.baseline
          ? ordered_json(measure::form_name(scenario.cells[*statistics.baseline].form))
          : ordered_json(nullptr);
  json["rate_noise"] = noise_json(statistics.rate_noise);
  json["latency_noise"] = noise_json(statistics.latency_noise);
  json["no_noise"] =
      statistics.no_noise.empty() ? ordered_json(nullptr) : ordered_json(statistics.no_noise);
  json["order"] = order_json(scenario, statistics);
  json["cells"] = ordered_json::array();
  for (size_t i = 0; i < scenario.cells.size(); ++i)
    json["cells"].push_back(cell_json(scenario.cells[i], statistics.cells[i]));
  return json;
}

}  // namespace

ordered_json forms_json(const measure::FormsResult& result) {
  ordered_json json;
  json["rounds"] = result.rounds;
  json["ok"] = result.ok();
  json["interrupted"] = result.interrupted;
  json["scenarios"] = ordered_json::array();
  for (const FormScenarioResult& scenario : result.scenarios)
    json["scenarios"].push_back(scenario_json(scenario));
  return json;
}

}  // namespace cqlperf::report
