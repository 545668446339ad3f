#include "measure/forms_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "core/check.h"
#include "measure/forms_student_t.h"

namespace cqlperf::measure {
namespace {

constexpr double kErrorProbability = 0.05;
// A difference of logarithms below this is one of rounding.
constexpr double kRounding = 1e-9;

using Rounds = std::vector<const CellRound*>;
using Figure = std::function<std::optional<double>(const CellRound&)>;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// A round that was measured to its end, with something done, so that it has a logarithm, and
// without errors: failures take another time than what succeeds.
bool is_whole(const CellRound& round) {
  const Summary& summary = round.summary;
  return !round.interrupted && !summary.gave_up && summary.errors == 0 &&
         summary.achieved_rate > 0 && summary.response.mean_ns.value_or(0) > 0;
}

bool was_measured(const CellRound& round) { return round.summary.measured_seconds > 0; }

// Those that the figures of a cell are of, by rate.
Rounds rounds_that_count(const FormCell& cell) {
  Rounds whole, partial;
  for (const CellRound& round : cell.rounds)
    if (was_measured(round)) (round.interrupted ? partial : whole).push_back(&round);
  Rounds rounds = whole.empty() ? partial : whole;
  std::ranges::stable_sort(rounds, {}, [](auto* round) { return round->summary.achieved_rate; });
  return rounds;
}

std::optional<double> median(const Rounds& rounds, const Figure& figure) {
  std::vector<double> values;
  for (const CellRound* round : rounds)
    if (const auto value = figure(*round)) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

FormFigures figures_of(const FormCell& cell) {
  FormFigures figures;
  for (const CellRound& round : cell.rounds) figures.errors += round.summary.errors;
  const Rounds rounds = rounds_that_count(cell);
  if (rounds.empty()) return figures;
  figures.rounds = rounds.size();
  figures.partial = rounds.front()->interrupted;
  figures.rate_min = rounds.front()->summary.achieved_rate;
  figures.rate_max = rounds.back()->summary.achieved_rate;
  figures.median_round = rounds[(rounds.size() - 1) / 2] - cell.rounds.data();
  figures.rate = median(rounds, [](auto& round) { return round.summary.achieved_rate; });
  figures.mean_ns = median(rounds, [](auto& round) { return round.summary.response.mean_ns; });
  figures.p99_ns = median(
      rounds, [](auto& round) -> std::optional<double> { return round.summary.response.p99_ns; });
  figures.client_cpu_us =
      median(rounds, [](auto& round) { return round.summary.client_cpu_us_per_operation; });
  figures.bytes_sent = median(rounds, [](auto& round) { return round.bytes_sent_per_operation; });
  figures.bytes_received =
      median(rounds, [](auto& round) { return round.bytes_received_per_operation; });
  return figures;
}

std::optional<size_t> baseline_of(const FormScenarioResult& scenario,
                                  const std::vector<FormFigures>& figures) {
  std::optional<size_t> first;
  for (const std::optional<Form> wanted :
       {std::optional(Form::kRpc), std::optional(Form::kCql), std::optional<Form>()})
    for (size_t i = 0; i < figures.size() && !first; ++i)
      if (figures[i].rate.value_or(0) > 0 && (!wanted || scenario.cells[i].form == *wanted))
        first = i;
  return first;
}

// The forms that have a whole round, and the rounds that all of these forms have: a complete table.
struct Blocks {
  std::vector<size_t> cells;
  std::vector<uint32_t> rounds;
};

std::set<uint32_t> whole_rounds(const FormCell& cell) {
  std::set<uint32_t> numbers;
  for (const CellRound& round : cell.rounds)
    if (is_whole(round)) numbers.insert(round.round);
  return numbers;
}

Blocks blocks_of(const FormScenarioResult& scenario) {
  Blocks blocks;
  std::set<uint32_t> common;
  for (size_t i = 0; i < scenario.cells.size(); ++i) {
    const std::set<uint32_t> own = whole_rounds(scenario.cells[i]);
    if (own.empty()) continue;
    if (blocks.cells.empty()) common = own;
    std::erase_if(common, [&](uint32_t round) { return !own.contains(round); });
    blocks.cells.push_back(i);
  }
  blocks.rounds.assign(common.begin(), common.end());
  return blocks;
}

// The logarithms of a figure, a row for each form of the table.
std::vector<std::vector<double>> table_of(const FormScenarioResult& scenario, const Blocks& blocks,
                                          const std::function<double(const Summary&)>& figure) {
  std::vector<std::vector<double>> table;
  for (const size_t cell : blocks.cells) {
    auto& row = table.emplace_back();
    for (const uint32_t number : blocks.rounds)
      row.push_back(std::log(figure(
          std::ranges::find(scenario.cells[cell].rounds, number, &CellRound::round)->summary)));
  }
  return table;
}

std::string why_no_noise(const Blocks& blocks) {
  if (blocks.cells.empty()) return "nothing was measured to its end without errors";
  if (blocks.cells.size() == 1)
    return "one form was measured to its end without errors: there is nothing to compare it with";
  if (blocks.rounds.size() == 1)
    return "one round that all forms have whole: the noise is not known, so no difference is "
           "marked; more "
           "--rounds show it";
  if (blocks.rounds.empty())
    return "no round that every form has whole: the noise is not known, so no difference is marked";
  return {};
}

bool differ(const FormNoise& noise, double mean, double other) {
  return std::abs(mean - other) > std::max(noise.least_difference, kRounding);
}

// What one figure of all cells is compared by.
struct Comparison {
  std::optional<FormNoise> noise;
  std::vector<std::optional<double>> means;  // of the logarithms, by cell
};

Comparison compare(const FormScenarioResult& scenario, const Blocks& blocks,
                   const std::function<double(const Summary&)>& figure) {
  Comparison comparison;
  comparison.means.resize(scenario.cells.size());
  if (blocks.cells.size() < 2 || blocks.rounds.size() < 2) return comparison;
  const auto table = table_of(scenario, blocks, figure);
  comparison.noise = block_design_noise(table);
  for (size_t row = 0; row < table.size(); ++row)
    comparison.means[blocks.cells[row]] = mean_of(table[row]);
  return comparison;
}

std::optional<FormChange> change(const Comparison& comparison, size_t cell, size_t baseline,
                                 std::optional<double> value, std::optional<double> base) {
  if (cell == baseline || !value || !base || *base <= 0) return std::nullopt;
  const auto& mean = comparison.means[cell];
  const auto& base_mean = comparison.means[baseline];
  return FormChange{.percent = 100 * (*value / *base - 1),
                    .significant = comparison.noise && mean && base_mean &&
                                   differ(*comparison.noise, *mean, *base_mean)};
}

std::vector<FormRank> order_of(const std::vector<FormFigures>& figures, const Comparison& rates) {
  std::vector<FormRank> order;
  for (size_t i = 0; i < figures.size(); ++i)
    if (rates.noise ? rates.means[i].has_value() : figures[i].rate.value_or(0) > 0)
      order.push_back({.cell = i});
  std::ranges::stable_sort(order, std::greater(), [&](const FormRank& rank) {
    return rates.noise ? *rates.means[rank.cell] : *figures[rank.cell].rate;
  });
  if (rates.noise)
    for (size_t i = 0; i + 1 < order.size(); ++i)
      order[i].faster_than_next =
          differ(*rates.noise, *rates.means[order[i].cell], *rates.means[order[i + 1].cell]);
  return order;
}

double percent_of(double log_distance) { return 100 * std::expm1(log_distance); }

}  // namespace

double FormFigures::spread_percent() const {
  if (rate.value_or(0) <= 0) return 0;
  return 100 * std::max(rate_max - *rate, *rate - rate_min) / *rate;
}

double FormNoise::residual_percent() const { return percent_of(std::sqrt(residual_variance)); }

double FormNoise::least_increase_percent() const { return percent_of(least_difference); }
double FormNoise::least_decrease_percent() const { return -percent_of(-least_difference); }

FormNoise block_design_noise(const std::vector<std::vector<double>>& values) {
  CQLPERF_CHECK(values.size() >= 2 && values.front().size() >= 2, "two treatments, two blocks");
  FormNoise noise{.forms = values.size(), .rounds = values.front().size()};
  std::vector<double> block_means(noise.rounds);
  for (const auto& row : values)
    for (size_t block = 0; block < noise.rounds; ++block)
      block_means[block] += row[block] / static_cast<double>(noise.forms);
  const double mean = mean_of(block_means);
  double squares = 0;
  for (const auto& row : values)
    for (size_t block = 0; block < noise.rounds; ++block)
      squares += std::pow(row[block] - mean_of(row) - block_means[block] + mean, 2);
  noise.degrees = static_cast<unsigned>((noise.forms - 1) * (noise.rounds - 1));
  noise.residual_variance = squares / noise.degrees;
  const double alpha = kErrorProbability / static_cast<double>(noise.forms - 1);
  noise.least_difference =
      student_t_two_sided(alpha, noise.degrees) *
      std::sqrt(2 * noise.residual_variance / static_cast<double>(noise.rounds));
  return noise;
}

FormStatistics form_statistics(const FormScenarioResult& scenario) {
  FormStatistics statistics;
  for (const FormCell& cell : scenario.cells) statistics.cells.push_back(figures_of(cell));
  statistics.baseline = baseline_of(scenario, statistics.cells);
  const Blocks blocks = blocks_of(scenario);
  const auto rates =
      compare(scenario, blocks, [](const Summary& summary) { return summary.achieved_rate; });
  const auto latencies =
      compare(scenario, blocks, [](const Summary& summary) { return *summary.response.mean_ns; });
  statistics.rate_noise = rates.noise;
  statistics.latency_noise = latencies.noise;
  statistics.no_noise = why_no_noise(blocks);
  statistics.order = order_of(statistics.cells, rates);
  if (!statistics.baseline) return statistics;
  const FormFigures base = statistics.cells[*statistics.baseline];
  for (size_t i = 0; i < statistics.cells.size(); ++i) {
    FormFigures& cell = statistics.cells[i];
    cell.rate_change = change(rates, i, *statistics.baseline, cell.rate, base.rate);
    cell.latency_change = change(latencies, i, *statistics.baseline, cell.mean_ns, base.mean_ns);
  }
  return statistics;
}

}  // namespace cqlperf::measure
