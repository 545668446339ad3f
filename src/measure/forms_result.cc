#include "measure/forms_result.h"

#include <algorithm>

#include "core/check.h"

namespace cqlperf::measure {

const char* form_name(Form form) {
  switch (form) {
    case Form::kRpc:
      return "rpc";
    case Form::kRpcCql:
      return "rpc-cql";
    case Form::kRpcPreparedStrings:
      return "rpc-prepared-strings";
    case Form::kRpcPrepared:
      return "rpc-prepared";
    case Form::kCql:
      return "cql";
    case Form::kCqlBound:
      return "cql-bound";
    case Form::kPreparedStrings:
      return "prepared-strings";
    case Form::kPrepared:
      return "prepared";
  }
  CQLPERF_CHECK(false, "a form that is none");
}

const char* form_title(Form form) {
  switch (form) {
    case Form::kRpc:
      return "RPC";
    case Form::kRpcCql:
      return "CQL over RPC";
    case Form::kRpcPreparedStrings:
      return "CQL over RPC, prepared (strings)";
    case Form::kRpcPrepared:
      return "CQL over RPC, prepared (binary)";
    case Form::kCql:
      return "CQL";
    case Form::kCqlBound:
      return "CQL, bound values";
    case Form::kPreparedStrings:
      return "CQL, prepared (strings)";
    case Form::kPrepared:
      return "CQL, prepared (binary)";
  }
  CQLPERF_CHECK(false, "a form that is none");
}

bool is_rpc(Form form) { return form <= Form::kRpcPrepared; }

const char* form_scenario_name(FormScenario scenario) {
  switch (scenario) {
    case FormScenario::kInserts:
      return "inserts";
    case FormScenario::kIndexed:
      return "indexed";
    case FormScenario::kCounters:
      return "counters";
    case FormScenario::kReads:
      return "reads";
  }
  CQLPERF_CHECK(false, "a scenario that is none");
}

bool FormsResult::ok() const {
  const auto cell_ok = [this](const FormCell& cell) {
    if (!cell.not_available.empty()) return true;
    return cell.rounds.size() >= rounds && std::ranges::all_of(cell.rounds, &CellRound::ok);
  };
  return !interrupted && std::ranges::all_of(scenarios, [&](const FormScenarioResult& scenario) {
    return std::ranges::all_of(scenario.cells, cell_ok);
  });
}

}  // namespace cqlperf::measure
