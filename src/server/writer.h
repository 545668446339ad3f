#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cql/statement.h"
#include "server/condition_locks.h"
#include "server/request.h"
#include "server/write_plan.h"
#include "storage/engine.h"

namespace cqlperf::server {

// Executes writes for one worker thread. What a turn of the worker's loop writes is one batch of
// the engine; the answers come when it is committed, so an answered write is a durable one.
class Writer {
 public:
  // `engine` and `locks` outlive the writer.
  Writer(storage::Engine& engine, ConditionLocks& locks);
  ~Writer();

  // Adds one statement to the turn. Errors are answered at once, and then nothing of the statement
  // is written. A conditional statement commits the turn first, then is answered at once.
  void execute(const WritePlan& plan, const Arguments& arguments, const ReplyTo& to);

  struct BatchItem {
    const WritePlan* plan = nullptr;
    std::span<const protocol::Value> values = {};
  };
  // Adds the statements of a BATCH: all or none. `arguments.values` is not used; `timestamp_us` of
  // `arguments` is that of all statements that do not name another.
  void execute_batch(cql::Batch::Kind kind, std::span<const BatchItem> items,
                     const Arguments& arguments, const ReplyTo& to);

  bool has_pending() const;
  // Commits what was added and answers it: Void, or 0x1500 for each when the disk has failed.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cqlperf::server
