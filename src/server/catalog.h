#pragma once

#include <atomic>
#include <cstdint>
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
  std::string cluster_name = "cqlperf embedded server";
  std::string data_center = "datacenter1";
  std::string rack = "rack1";
  protocol::InetAddress address;
  int port = 9042;
  protocol::Uuid host_id;    // kept in the metadata: the same after a restart
  int32_t started_at_s = 0;  // since 1970; set when the catalog is opened
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
  // as Cassandra's: 0x2000, 0x2100, 0x2200, 0x2300, 0x2400 with its details; 0x0000 when the disk
  // fails. Other statements are a broken invariant.
  cql::Result<Outcome> execute(const cql::Statement& statement, const std::string& keyspace);

  // Breaks off a CREATE INDEX that is at its rows, as an interrupt of the process does: its index
  // is forgotten. What an interrupt breaks off in open() (kInterrupted) is done by the next one.
  // Any thread.
  void stop() { stopping_.store(true); }

  // Returns when no thread uses a schema older than the present one; set once, before execute().
  // CREATE INDEX needs it, as from then on writers keep the index in step, and TRUNCATE, as from
  // then on no write goes to the old store.
  void set_barrier(std::function<void()> barrier) { barrier_ = std::move(barrier); }
  // Told of each change after it was published, in the thread of execute(), which it must not call.
  // Set once. TRUNCATE is no change to tell of.
  void set_listener(std::function<void(const protocol::SchemaChange&)> listener) {
    listener_ = std::move(listener);
  }

 private:
  Catalog(storage::Engine& engine, NodeDescription node);

  // Each runs one kind of statement, with the lock on changes held.
  cql::Result<Outcome> run(const cql::CreateKeyspace& statement, const std::string& keyspace);
  cql::Result<Outcome> run(const cql::AlterKeyspace& statement, const std::string& keyspace);
  cql::Result<Outcome> run(const cql::DropKeyspace& statement, const std::string& keyspace);
  cql::Result<Outcome> run(const cql::CreateTable& statement, const std::string& keyspace);
  cql::Result<Outcome> run(const cql::AlterTable& statement, const std::string& keyspace);
  cql::Result<Outcome> run(const cql::DropTable& statement, const std::string& keyspace);
  cql::Result<Outcome> run(const cql::CreateIndex& statement, const std::string& keyspace);
  cql::Result<Outcome> run(const cql::DropIndex& statement, const std::string& keyspace);
  cql::Result<Outcome> run(const cql::Truncate& statement, const std::string& keyspace);

  core::Status load();
  core::Status drop_orphans() const;
  core::Status finish_indexes();
  // Brings a table's index up to date, and says that it is built.
  core::Status finish_index(const Table& table, const std::string& index);
  void forget_index(const Table& table, const std::string& index);

  // Puts the schema, with a version of its own, on disk and in place of the present one.
  core::Status publish(Schema changed);
  // The same and the answer: the listener is told, the stores are dropped.
  cql::Result<Outcome> publish(Schema changed, protocol::SchemaChange change,
                               const std::vector<storage::StorePtr>& dropped = {});
  void drop_stores(const std::vector<storage::StorePtr>& stores) const;
  void wait_for_readers_of_old_schemas() const;

  storage::Engine& engine_;
  NodeDescription node_;
  mutable std::mutex schema_mutex_;
  SchemaPtr schema_;
  std::mutex change_mutex_;
  std::atomic<bool> stopping_ = false;
  std::function<void()> barrier_;
  std::function<void(const protocol::SchemaChange&)> listener_;
};

}  // namespace cqlperf::server
