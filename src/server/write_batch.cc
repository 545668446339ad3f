#include "server/write_batch.h"

#include <algorithm>

namespace cqlperf::server {
namespace {

using Plans = std::span<const WritePlan* const>;

cql::Status check_counters(cql::Batch::Kind kind, Plans plans) {
  const auto is_counter = [](const WritePlan* plan) { return plan->is_counter(); };
  const bool has_counters = std::ranges::any_of(plans, is_counter);
  const bool has_others = !std::ranges::all_of(plans, is_counter);
  if (kind == cql::Batch::Kind::kCounter && has_others) {
    return cql::invalid("Cannot include non-counter statement in a counter batch");
  }
  if (has_counters && has_others) {
    return cql::invalid("Counter and non-counter mutations cannot exist in the same batch");
  }
  if (kind == cql::Batch::Kind::kLogged && has_counters) {
    return cql::invalid("Cannot include a counter statement in a logged batch");
  }
  return {};
}

}  // namespace

cql::Status check_batch(cql::Batch::Kind kind, Plans plans, bool has_timestamp) {
  const bool has_conditions =
      std::ranges::any_of(plans, [](const WritePlan* plan) { return plan->is_conditional(); });
  const bool has_own_timestamp =
      std::ranges::any_of(plans, [](const WritePlan* plan) { return plan->has_timestamp(); });
  if (has_timestamp && kind == cql::Batch::Kind::kCounter) {
    return cql::invalid("Cannot provide custom timestamp for counter BATCH");
  }
  if (has_timestamp && has_conditions) {
    return cql::invalid("Cannot provide custom timestamp for conditional BATCH");
  }
  if (has_timestamp && has_own_timestamp) {
    return cql::invalid("Timestamp must be set either on BATCH or individual statements");
  }
  return check_counters(kind, plans);
}

}  // namespace cqlperf::server
