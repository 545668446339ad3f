#pragma once

#include <memory>

#include "server/catalog.h"
#include "server/request.h"
#include "server/select_plan.h"
#include "storage/engine.h"

namespace cqlperf::server {

// Executes SELECTs for one worker thread. Reads of single rows that come in one turn of the
// worker's loop are made together; scans go on for a slice of time per turn, so that a long one
// does not hold up the other connections.
class Reader {
 public:
  // `engine` and `catalog` outlive the reader.
  Reader(storage::Engine& engine, const Catalog& catalog);
  ~Reader();

  // Evaluates the terms and queues the read: nothing of `arguments` is used afterwards, the plan is
  // kept as long as it is needed. Errors are answered at once.
  void execute(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
               const ReplyTo& to);

  // True while there is something for run_turn() to do. Reads whose connection has no room for
  // their answers wait, and count as nothing to do.
  bool has_work() const;
  // Makes the queued reads and continues the scans for a slice of time. Call it after the writes of
  // the turn were committed.
  void run_turn();
  // Forgets the reads of a connection that has ended.
  void forget(const ReplyTarget& target);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cqlperf::server
