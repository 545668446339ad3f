#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"
#include "cql/error.h"
#include "cql/statement.h"
#include "protocol/inet.h"
#include "protocol/result.h"
#include "protocol/schema_change.h"
#include "protocol/uuid.h"
#include "server/schema.h"
#include "storage/engine.h"

namespace cqlperf::server {

// What system.local says of this node.
struct NodeDescription {
  std::string cluster_name = "cqlperf";
  std::string data_center = "datacenter1";
  std::string rack = "rack1";
  protocol::InetAddress address;
  int port = 9042;
  protocol::Uuid host_id;  // kept in the metadata: the same after a restart
};

// The keyspaces and tables: what there is, how it changes, and that it is there after a restart.
// schema() may be called from any thread; execute() from any thread, one at a time (it locks).
class Catalog {
 public:
  // Reads the schema from the engine's metadata, drops stores that belong to no table, and makes
  // what a new directory lacks. The engine outlives the catalog.
  static core::Result<std::unique_ptr<Catalog>> open(storage::Engine& engine, NodeDescription node);

  SchemaPtr schema() const;
  const NodeDescription& node() const { return node_; }

  using Outcome = std::variant<protocol::VoidResult, protocol::SchemaChange>;
  // Runs CREATE, ALTER, DROP and TRUNCATE; `keyspace` is the connection's. Blocks until the change
  // is on disk and published, and for CREATE INDEX until the rows that are there are in it. Errors
  // as Cassandra's: 0x2200, 0x2300, 0x2400 with its details; 0x0000 when the disk fails.
  cql::Result<Outcome> execute(const cql::Statement& statement, const std::string& keyspace);

  // Returns when no thread uses a schema older than the present one; set once, before execute().
  // CREATE INDEX needs it: from then on writers keep the index in step.
  void set_barrier(std::function<void()> barrier) { barrier_ = std::move(barrier); }
  // Told of each change after it was published, in the thread of execute(). Set once.
  void set_listener(std::function<void(const protocol::SchemaChange&)> listener) {
    listener_ = std::move(listener);
  }

 private:
  Catalog(storage::Engine& engine, NodeDescription node);

  storage::Engine& engine_;
  NodeDescription node_;
  mutable std::mutex schema_mutex_;
  SchemaPtr schema_;
  std::mutex change_mutex_;
  std::function<void()> barrier_;
  std::function<void(const protocol::SchemaChange&)> listener_;
};

}  // namespace cqlperf::server
