#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/forms_result.h"

namespace cqlperf::measure {

// How a form stands to the baseline, from the medians that are shown.
struct FormChange {
  double percent = 0;
  bool significant = false;  // larger than the noise; never when the noise is not known
};

// The figures of one cell: medians over its rounds. Rounds that were interrupted count only when
// there is no other. What was not measured is absent.
struct FormFigures {
  size_t rounds = 0;     // that the medians are of
  bool partial = false;  // they are of interrupted rounds
  std::optional<double> rate;
  double rate_min = 0;
  double rate_max = 0;
  std::optional<double> mean_ns;  // response time
  std::optional<double> p99_ns;
  std::optional<double> client_cpu_us;  // per operation, as the bytes
  std::optional<double> bytes_sent;
  std::optional<double> bytes_received;
  uint64_t errors = 0;                 // of all rounds
  std::optional<size_t> median_round;  // index in FormCell::rounds of the one in the middle by rate
  // Absent for the baseline itself, and without one.
  std::optional<FormChange> rate_change;
  std::optional<FormChange> latency_change;

  // The largest distance of a round's rate from the median, in percent of it; 0 without a rate.
  double spread_percent() const;
};

// The noise of one response variable, on its natural logarithm, where a factor is a distance.
// Rounds are the blocks and forms the treatments of a randomised complete block design: the
// residual is what is left of the variance when the means of forms and of rounds are taken out
// (Montgomery, Design and Analysis of Experiments, chapter 4). The least significant difference is
// Fisher's, at 5 % two-sided over all comparisons with the baseline together (Bonferroni).
struct FormNoise {
  size_t forms = 0;
  size_t rounds = 0;  // that all of these forms have whole
  unsigned degrees = 0;
  double residual_variance = 0;
  double least_difference = 0;

  // Of one round's figure.
  double residual_percent() const;
  // The least increase, and the least decrease, that is no noise; both above 0.
  double least_increase_percent() const;
  double least_decrease_percent() const;
};

// One place in the order of forms, fastest first.
struct FormRank {
  size_t cell = 0;                // index in FormScenarioResult::cells
  bool faster_than_next = false;  // by more than the noise
};

struct FormStatistics {
  std::vector<FormFigures> cells;  // as FormScenarioResult::cells
  // RPC when it was measured, else CQL, else the first form that was; an index in `cells`.
  std::optional<size_t> baseline;
  std::optional<FormNoise> rate_noise;
  std::optional<FormNoise> latency_noise;
  std::string no_noise;  // why the noise is not known, for people; empty when it is
  std::vector<FormRank> order;
};

FormStatistics form_statistics(const FormScenarioResult& scenario);

// The noise of a complete table: `values[treatment][block]`, rows of the same length. At least two
// of each.
FormNoise block_design_noise(const std::vector<std::vector<double>>& values);

}  // namespace cqlperf::measure
