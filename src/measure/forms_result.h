#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/histogram.h"
#include "measure/result.h"

namespace cqlperf::measure {

// The ways in which the same statement is sent, in the order of the tables. RPC is Thrift.
enum class Form {
  kRpc,                 // batch_mutate, get_slice
  kRpcCql,              // execute_cql3_query, values as literals
  kRpcPreparedStrings,  // execute_prepared_cql3_query, values as strings that the server parses
  kRpcPrepared,         // the same, binary values
  kCql,                 // QUERY, values as literals
  kCqlBound,            // QUERY with bound values
  kPreparedStrings,     // EXECUTE, values as strings that the server parses
  kPrepared,            // EXECUTE, binary values
};
inline constexpr std::array kForms = {
    Form::kRpc, Form::kRpcCql,   Form::kRpcPreparedStrings, Form::kRpcPrepared,
    Form::kCql, Form::kCqlBound, Form::kPreparedStrings,    Form::kPrepared};

// What the statement does, in the order of the tables.
enum class FormScenario { kInserts, kIndexed, kCounters, kReads };
inline constexpr std::array kFormScenarios = {FormScenario::kInserts, FormScenario::kIndexed,
                                              FormScenario::kCounters, FormScenario::kReads};

// `rpc-prepared-strings`: as a command line has it.
const char* form_name(Form form);
// `CQL, prepared (strings)`: for people.
const char* form_title(Form form);
bool is_rpc(Form form);
// `inserts`, `indexed`, `counters`, `reads`.
const char* form_scenario_name(FormScenario scenario);

// What was found in the table after a round, against what was acknowledged. Of reads, whose rows
// are checked one by one as they come, only `checked` and `wrong` count, in answers.
struct CellVerification {
  uint64_t expected = 0;  // different rows, or increments of each counter, that were acknowledged
  uint64_t in_doubt = 0;  // further ones that failed, and may be there all the same
  uint64_t found = 0;    // rows; of counters, the sum of the first column that does not fit, if any
  uint64_t checked = 0;  // rows whose columns were compared
  uint64_t wrong = 0;    // of them: other values than were written, or a row that nobody wrote
  uint64_t missing = 0;  // acknowledged rows that are not there
  std::string first_fault = {};  // for people; empty: none

  bool ok() const {
    return wrong == 0 && missing == 0 && found >= expected && found <= expected + in_doubt;
  }
};

// The rate in one interval of a round.
struct RatePoint {
  double start_s = 0;  // since the measured time of the round began
  double length_s = 0;
  double rate = 0;  // successful operations per second
};

// One round of one form in one scenario.
struct CellRound {
  uint32_t round = 0;  // from 0
  Summary summary = {};
  std::vector<RatePoint> points = {};
  // On the wire, with all that goes around a request; absent without an operation that succeeded.
  std::optional<double> bytes_sent_per_operation = {};
  std::optional<double> bytes_received_per_operation = {};
  std::optional<CellVerification> verification = {};  // absent when it could not be made
  std::optional<std::string> problem = {};            // why the round is not whole, or not right
  bool interrupted = false;                           // its figures are those of a part

  bool ok() const {
    return !problem && summary.errors == 0 && verification && verification->ok() && !interrupted;
  }
};

// One form in one scenario.
struct FormCell {
  Form form = Form::kRpc;
  std::string not_available = {};  // why the server or the scenario has no such form; empty: it has
  std::vector<CellRound> rounds = {};
  Histogram response = {};  // response times of all rounds together
};

struct FormScenarioResult {
  FormScenario scenario = FormScenario::kInserts;
  std::string title;            // `Inserts, 1,000,000 rows x 5 columns`
  std::vector<FormCell> cells;  // those that were asked for, in the order of kForms
};

struct FormsResult {
  std::vector<FormScenarioResult> scenarios;  // those that were asked for and begun
  uint32_t rounds = 0;                        // that were asked for
  bool interrupted = false;

  // Everything was measured and found right.
  bool ok() const;
};

}  // namespace cqlperf::measure
