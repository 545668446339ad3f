#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/server_config.h"
#include "measure/store_result.h"

namespace cqlperf::bench {

inline constexpr uint64_t kStoreValueBytesMax = uint64_t{64} << 20;
inline constexpr uint64_t kStoreKeysMax = uint64_t{1} << 31;

// Everything that `cqlperf store` can be told, validated. The defaults are the program's.
struct StoreConfig : ServerConfig, OwnTable {
  StoreConfig() : OwnTable{.keyspace = "cqlperf_store", .table = "store"} {}

  std::vector<uint64_t> db_sizes = {uint64_t{1} << 30};  // bytes; the suite runs for each
  uint64_t value_bytes = 64 << 10;                       // the batch size
  std::vector<measure::StorePhase> phases = {
      measure::StorePhase::kWrite, measure::StorePhase::kRead, measure::StorePhase::kTruncate};
  double compressible = 0;    // share of each value that compresses away, [0, 1]
  std::string table_options;  // CQL, after WITH: compression = {...} AND ...
  uint64_t seed = 1;          // of the values

  std::optional<uint32_t> parallelism;  // unset: chosen by the phase and the value size
  uint32_t threads = 1;
  double rate_limit = 0;              // requests per second in all; 0: as fast as it goes
  uint64_t page_bytes = 1 << 20;      // that a page of the bulk read aims at
  std::optional<uint32_t> page_rows;  // this many rows a page instead
  bool verify = true;                 // compare the values that are read

  int64_t truncate_timeout_ns = 600'000'000'000;  // of TRUNCATE, and of DROP
  int64_t stall_timeout_ns = 60'000'000'000;      // a phase ends when nothing was answered so long
  int64_t interval_ns = 1'000'000'000;

  std::string data_directory;  // the server's, when it is local and known; empty: unknown
  bool disk_check = true;
  bool seed_block_only = false;  // called as cassandra_store_stress: its block and nothing else
  std::string json_path;         // "-": standard output; empty: none
  std::string hdr_log_path;
};

}  // namespace cqlperf::bench
