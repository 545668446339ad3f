#include "report/store_json.h"

#include <string>

#include "report/json_document.h"

namespace cqlperf::report {
namespace {

using measure::RowFault;
using measure::StorePhase;
using measure::StorePhaseResult;
using nlohmann::ordered_json;

ordered_json fault_json(const RowFault& fault) {
  return {{"count", fault.count}, {"first_keys", fault.first_keys}};
}

ordered_json verification_json(const StorePhaseResult& phase) {
  const measure::Verification& found = phase.verification;
  return {{"ok", found.ok()},
          {"values_compared", phase.verified},
          {"missing", fault_json(found.missing)},
          {"short", fault_json(found.short_row)},
          {"wrong", fault_json(found.wrong)},
          {"extra", fault_json(found.extra)}};
}

ordered_json ranges_json(const StorePhaseResult& phase) {
  ordered_json list = ordered_json::array();
  for (const measure::TokenRange& range : phase.missing_ranges)
    list.push_back({{"after", std::to_string(range.after)},
                    {"up_to", std::to_string(range.up_to)},
                    {"reason", range.reason}});
  return list;
}

ordered_json per_second(double amount, double seconds) {
  return seconds > 0 ? ordered_json(amount / seconds) : ordered_json(nullptr);
}

}  // namespace

ordered_json store_phase_json(const StorePhaseResult& phase) {
  const bool is_read = phase.phase == StorePhase::kRead;
  const bool is_truncate = phase.phase == StorePhase::kTruncate;
  ordered_json json;
  json["phase"] = measure::store_phase_name(phase.phase);
  json["complete"] = phase.complete;
  json["problem"] = phase.problem ? ordered_json(*phase.problem) : ordered_json(nullptr);
  json["keys_expected"] = phase.keys_expected;
  json["keys"] = phase.keys;
  json["payload_bytes"] = phase.payload_bytes;
  json["seconds"] = phase.seconds;
  json["keys_per_second"] = is_truncate
                                ? ordered_json(nullptr)
                                : per_second(static_cast<double>(phase.keys), phase.seconds);
  json["bytes_per_second"] = per_second(static_cast<double>(phase.payload_bytes), phase.seconds);
  json["retried"] = phase.retried;
  json["ranges"] = is_read ? ordered_json(phase.ranges) : ordered_json(nullptr);
  json["pages"] = is_read ? ordered_json(phase.pages) : ordered_json(nullptr);
  json["verification"] = is_read ? verification_json(phase) : ordered_json(nullptr);
  json["missing_ranges"] = is_read ? ranges_json(phase) : ordered_json(nullptr);
  json["requests"] = phase.requests ? summary_json(*phase.requests) : ordered_json(nullptr);
  return json;
}

ordered_json store_suite_json(const measure::StoreSuiteResult& suite) {
  ordered_json json;
  json["db_bytes"] = suite.db_bytes;
  json["value_bytes"] = suite.value_bytes;
  json["keys"] = suite.keys;
  json["ok"] = suite.ok();
  json["interrupted"] = suite.interrupted;
  json["phases"] = ordered_json::array();
  for (const StorePhaseResult& phase : suite.phases)
    json["phases"].push_back(store_phase_json(phase));
  return json;
}

}  // namespace cqlperf::report
