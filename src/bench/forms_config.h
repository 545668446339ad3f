#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/server_config.h"
#include "measure/forms_result.h"
#include "workload/form_rows.h"

namespace cqlperf::bench {

inline constexpr uint16_t kDefaultThriftPort = 9160;

// Everything that `cqlperf forms` can be told, validated. The defaults are the program's.
struct FormsConfig : ServerConfig, OwnTable {
  FormsConfig() : OwnTable{.keyspace = "cqlperf_forms", .table = "forms"} {
    consistency = protocol::Consistency::kOne;
  }

  // In the order of measure::kFormScenarios and kForms.
  std::vector<measure::FormScenario> scenarios = {measure::kFormScenarios.begin(),
                                                  measure::kFormScenarios.end()};
  std::vector<measure::Form> forms = {measure::kForms.begin(), measure::kForms.end()};

  workload::FormRowsConfig rows = {};
  uint32_t cardinality = 50;  // different values of the indexed column
  workload::FormKeys::Order read_order = workload::FormKeys::Order::kGaussian;

  uint32_t parallelism = 50;
  uint32_t threads = 1;
  double rate_limit = 0;  // operations per second in all; 0: as fast as it goes
  uint32_t rounds = 3;
  // Of each cell in each round: a time, or a number of operations, or whichever comes first.
  std::optional<int64_t> duration_ns = 5'000'000'000;
  std::optional<uint64_t> count;
  int64_t warm_up_ns = 2'000'000'000;
  int64_t settle_ns = 1'000'000'000;  // between two cells
  int64_t interval_ns = 250'000'000;
  int64_t stall_timeout_ns = 30'000'000'000;  // of a count: nothing was answered so long

  // Unset: kDefaultThriftPort, and a server without Thrift is no error.
  std::optional<uint16_t> thrift_port;

  std::string out_directory;  // empty: none
  bool jira = false;          // print the tables in the markup of JIRA
  std::string json_path;      // "-": standard output; empty: none
};

}  // namespace cqlperf::bench
