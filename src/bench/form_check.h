#pragma once

#include <cstdint>

#include "bench/form_task.h"
#include "client/setup_client.h"
#include "core/result.h"
#include "measure/forms_result.h"

namespace cqlperf::bench {

// Reads the whole table of a cell, part by part of the token ring, and compares it with what the
// ledger says: of inserts every row's bytes, of counters the sum of each column. An error when the
// table could not be read; kInterrupted soon after core::interrupted().
core::Result<measure::CellVerification> check_form_table(client::SetupClient& client,
                                                         const FormWorkload& workload);

}  // namespace cqlperf::bench
