#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "server/catalog.h"
#include "server/condition_locks.h"
#include "server/fault.h"
#include "server/handshake.h"
#include "server/prepared_cache.h"
#include "server/schema_changes.h"
#include "server/thrift_items.h"
#include "storage/engine.h"

namespace cqlperf::server {

// What all connections share: the data, the schema, the prepared statements, who may come in.
// Threads may share it; see the parts.
class Database {
 public:
  struct Options {
    bool null_storage = false;            // keeps nothing
    storage::EngineOptions storage = {};  // not for null_storage
    NodeDescription node = {};
    std::optional<Credentials> credentials;  // none: everybody is let in
    std::vector<FaultRule> faults = {};
    uint64_t fault_seed = 1;
  };

  static core::Result<std::unique_ptr<Database>> open(Options options);

  storage::Engine& engine() { return *engine_; }
  Catalog& catalog() { return *catalog_; }
  const Catalog& catalog() const { return *catalog_; }
  ConditionLocks& condition_locks() { return condition_locks_; }
  PreparedCache& prepared() { return prepared_; }
  ThriftItems& thrift_items() { return thrift_items_; }
  SchemaChanges& changes() { return changes_; }
  const Credentials* credentials() const {
    return options_.credentials ? &*options_.credentials : nullptr;
  }
  const Options& options() const { return options_; }

  // Grows with each change of the schema, before anybody is told of it.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Says that the schema has changed; for the catalog's listener.
  void count_change() { generation_.fetch_add(1, std::memory_order_release); }

  // The timestamp of a write without one: microseconds since 1970, but above any that was given
  // before, so that of two writes in the same microsecond the later one wins.
  int64_t next_timestamp_us(int64_t now_us) { return condition_locks_.next_timestamp_us(now_us); }

 private:
  explicit Database(Options options) : options_(std::move(options)) {}

  Options options_;
  std::unique_ptr<storage::Engine> engine_;
  std::unique_ptr<Catalog> catalog_;
  ConditionLocks condition_locks_;
  PreparedCache prepared_;
  ThriftItems thrift_items_;
  std::atomic<uint64_t> generation_{1};
  // Last, since what it still does uses the others.
  SchemaChanges changes_;
};

}  // namespace cqlperf::server
