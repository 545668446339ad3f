#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executor/plan.h"
#include "protocol/compression.h"
#include "protocol/consistency.h"

namespace cqlperf::bench {

inline constexpr uint16_t kDefaultPort = 9042;  // of the native protocol

// Everything that `cqlperf run` can be told, validated. The defaults are the program's.
struct RunConfig {
  std::string workload = "insert";  // insert, read or mixed
  std::string mix;                  // of mixed: "insert=1,read=3"

  std::vector<std::string> servers = {"localhost:9042"};
  std::string user;
  std::string password;  // never printed, logged or stored
  int protocol_max = 4;  // highest native protocol version to offer
  protocol::Compression compression = protocol::Compression::kNone;
  protocol::Consistency consistency = protocol::Consistency::kQuorum;

  std::string keyspace = "test_keyspace";
  std::string table = "test_table";
  std::string replication = "1";   // a factor for SimpleStrategy, or a CQL map
  bool save = false;               // keep what this run made
  bool fresh = false;              // drop our own keyspace of an earlier run first
  bool existing_keyspace = false;  // use a keyspace that cqlperf did not make

  std::optional<int64_t> keys;  // size of the key space; unset: the workload's default
  bool serial = false;          // keys in order instead of random
  uint64_t seed = 1;            // of keys and values

  double rate_limit = 0;  // operations per second in all; 0: as fast as it goes
  uint32_t parallelism = 100;
  uint32_t threads = 1;
  uint32_t connections = 1;  // per worker and node
  std::optional<uint64_t> runs;
  std::optional<int64_t> duration_ns;
  std::optional<uint64_t> count;
  int64_t warmup_ns = 0;
  executor::LatePolicy late = executor::LatePolicy::kKeep;
  int64_t late_after_ns = 1'000'000;
  int64_t interval_ns = 1'000'000'000;
  std::optional<int64_t> pacing_tick_ns;  // unset: chosen by the rate
  bool busy_poll = false;

  int64_t connect_timeout_ns = 5'000'000'000;
  int64_t request_timeout_ns = 10'000'000'000;
  int64_t schema_timeout_ns = 60'000'000'000;

  std::vector<double> percentiles;  // beside the usual ones
  std::optional<double> min_rate;   // achieved less than this: exit code 1
  std::string json_path;            // "-": standard output; empty: none
  std::string hdr_log_path;
  bool run_lines = false;  // the seed's line per one-second run instead of our table
};

}  // namespace cqlperf::bench
