#pragma once

#include <string>

#include "measure/forms_result.h"

namespace cqlperf::bench {

// Why there is no such form: `no_rpc` says why the server has no Thrift, and is empty when it has.
// Empty when the form can be sent.
std::string why_not_available(measure::FormScenario scenario, measure::Form form,
                              const std::string& no_rpc);

// Why a server of this release, at which nothing speaks Thrift, has none; `error` is what the
// attempt met.
std::string why_no_rpc(const std::string& release, const std::string& error);

}  // namespace cqlperf::bench
