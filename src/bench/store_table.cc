#include "bench/store_table.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/units.h"

namespace cqlperf::bench {

core::Result<workload::Schema> store_schema(const StoreConfig& config) {
  return workload::Schema::create(config.keyspace, config.table, config.replication,
                                  "key bigint PRIMARY KEY, value blob", config.table_options);
}

std::vector<std::string> store_statements(const workload::Schema& schema) {
  const std::string table = schema.qualified_table();
  return {
      fmt::format("INSERT INTO {} (key, value) VALUES (?, ?)", table),
      fmt::format("SELECT key, value FROM {} WHERE token(key) > ? AND token(key) <= ?", table),
      fmt::format("DELETE FROM {} WHERE key = ?", table),
  };
}

std::string store_contents(const StoreConfig& config, uint64_t keys) {
  return fmt::format("{} keys of {} bytes, seed {}, {} compressible", keys, config.value_bytes,
                     config.seed, config.compressible);
}

uint64_t disk_bytes_needed(uint64_t db_bytes, uint64_t keys) {
  // What a server writes beside a value: key, timestamps, index, filter.
  constexpr uint64_t kPerKey = 64;
  // Half of what is written waits in the log at the most, up to Cassandra's default of 8 GiB.
  constexpr uint64_t kLogMax = uint64_t{8} << 30;
  const uint64_t data = db_bytes + keys * kPerKey;
  return 2 * data + std::min(data / 2, kLogMax);
}

core::Status check_disk(const std::string& directory, uint64_t needed_bytes) {
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  if (error)
    return core::fail(core::ErrorCode::kSetup,
                      fmt::format("--data-directory {}: {}", directory, error.message()));
  if (space.available >= needed_bytes) return {};
  return core::fail(
      core::ErrorCode::kSetup,
      fmt::format("the server's disk has {} free in {}, and up to {} are needed: ask for a smaller "
                  "--db-size, or go on all the same with --no-disk-check",
                  core::format_byte_size(static_cast<int64_t>(space.available)), directory,
                  core::format_byte_size(static_cast<int64_t>(needed_bytes))));
}

}  // namespace cqlperf::bench
