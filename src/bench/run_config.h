#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/server_config.h"
#include "executor/plan.h"

namespace cqlperf::bench {

// Everything that `cqlperf run` can be told, validated. The defaults are the program's.
struct RunConfig : ServerConfig, OwnTable {
  RunConfig() : OwnTable{.keyspace = "test_keyspace", .table = "test_table"} {}

  std::string workload = "insert";  // insert, read or mixed
  std::string mix;                  // of mixed: "insert=1,read=3"

  std::optional<int64_t> keys;  // size of the key space; unset: the workload's default
  bool serial = false;          // keys in order instead of random
  uint64_t seed = 1;            // of keys and values

  double rate_limit = 0;  // operations per second in all; 0: as fast as it goes
  uint32_t parallelism = 100;
  uint32_t threads = 1;
  std::optional<uint64_t> runs;
  std::optional<int64_t> duration_ns;
  std::optional<uint64_t> count;
  int64_t warmup_ns = 0;
  executor::LatePolicy late = executor::LatePolicy::kKeep;
  int64_t late_after_ns = 1'000'000;
  int64_t interval_ns = 1'000'000'000;
  std::optional<int64_t> pacing_tick_ns;  // unset: chosen by the rate
  bool busy_poll = false;

  std::vector<double> percentiles;  // beside the usual ones
  std::optional<double> min_rate;   // achieved less than this: exit code 1
  std::string json_path;            // "-": standard output; empty: none
  std::string hdr_log_path;
  bool run_lines = false;  // the seed's line per one-second run instead of our table
};

}  // namespace cqlperf::bench
