#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/forms_result.h"
#include "measure/forms_statistics.h"

namespace cqlperf::report {

// One row of a scenario's table, as every format shows it. Texts are plain: a format escapes them.
struct FormRow {
  measure::Form form = measure::Form::kRpc;
  // Instead of figures: `n/a (no Thrift: removed in Cassandra 4.0)`, `not run`. Empty: it has them.
  std::string instead = {};
  bool partial = false;             // the figures are those of a part, since it was interrupted
  std::string rate = "-";           // `23,681/s`
  std::string rate_change = {};     // `(-11%)`; empty when it is within the noise
  std::string spread = "-";         // `+-2%`
  std::string latency = "-";        // `1.13 ms`, the mean response time
  std::string latency_change = {};  // as rate_change
  std::string p99 = "-";
  std::string errors = "-";
  std::string client_cpu = "-";  // us per operation
  std::string bytes = "-";       // on the wire per operation, sent and received: `180+21`
};

// A form's place in the order, and what stands between it and the next one.
struct FormPlace {
  measure::Form form = measure::Form::kRpc;
  // ` > `: faster by more than the noise; ` ~ `: within it; `; `: not known; empty: the last.
  std::string relation = {};
};

// All that is said of a scenario.
struct FormTable {
  measure::FormScenario scenario = measure::FormScenario::kInserts;
  std::string title = {};
  std::vector<FormRow> rows = {};
  std::optional<measure::Form> baseline = {};  // what the percentages relate to
  bool partial = false;                        // a row is
  std::string percentages = {};                // a sentence on them; empty without a baseline
  std::string noise = {};
  std::vector<FormPlace> order = {};
  bool right = false;        // every cell was measured and found right
  std::string verdict = {};  // `verified: 8 forms x 3 rounds, ...`, or what is not right
  std::vector<std::string> findings =
      {};  // one for each thing that was not right; of one line each
};

// `rounds` is the number that was asked for.
FormTable form_table(const measure::FormScenarioResult& scenario, uint32_t rounds);

// `CQL, prepared (binary) > RPC ~ CQL`.
std::string order_text(const FormTable& table);
// `prepared*`, the star for a partial row; `23,681/s (-11%)`.
std::string marked_name(const FormRow& row, const std::string& name);
std::string with_change(const std::string& figure, const std::string& change);

// What the star means.
inline constexpr const char* kPartialNote = "* interrupted: the figures are those of a part";

}  // namespace cqlperf::report
