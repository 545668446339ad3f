#include "measure/store_result.h"

#include <algorithm>

#include "core/check.h"

namespace cqlperf::measure {

const char* store_phase_name(StorePhase phase) {
  switch (phase) {
    case StorePhase::kWrite:
      return "write";
    case StorePhase::kRead:
      return "read";
    case StorePhase::kDelete:
      return "delete";
    case StorePhase::kTruncate:
      return "truncate";
  }
  CQLPERF_CHECK(false, "a phase that is none");
}

bool StoreSuiteResult::ok() const {
  return !interrupted && std::ranges::all_of(phases, [](const StorePhaseResult& phase) {
    return phase.complete && phase.verification.ok();
  });
}

}  // namespace cqlperf::measure
