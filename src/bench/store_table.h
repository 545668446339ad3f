#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/store_config.h"
#include "core/result.h"
#include "workload/schema.h"

namespace cqlperf::bench {

// The table of the store suite: `key bigint PRIMARY KEY, value blob`, with the user's options.
core::Result<workload::Schema> store_schema(const StoreConfig& config);
// Its statements, in the order of StoreStatement.
std::vector<std::string> store_statements(const workload::Schema& schema);
// What is noted in the comment of a table that is kept (Keyspace::set_contents): once all keys are
// written, once all are gone, and while a phase changes it.
std::string store_contents(const StoreConfig& config, uint64_t keys);
inline constexpr const char* kNoRows = "no rows";
inline constexpr const char* kUnfinished = "what a phase left that was not completed";

// What the data of `db_bytes` takes on the server's disk, at the most: what is written, once more
// for the compaction of all of it, and the commit log's share.
uint64_t disk_bytes_needed(uint64_t db_bytes, uint64_t keys);
// kSetup when `directory` has less room than that, with what to change. The directory must exist.
core::Status check_disk(const std::string& directory, uint64_t needed_bytes);

}  // namespace cqlperf::bench
