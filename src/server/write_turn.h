#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/consistency.h"
#include "protocol/error.h"
#include "server/request.h"
#include "server/schema.h"
#include "server/staged_updates.h"
#include "storage/engine.h"

namespace cqlperf::server {

// What the client calls the kind of a write that failed.
enum class WriteType : uint8_t { kSimple, kBatch, kUnloggedBatch, kCounter, kConditional };
std::string_view write_type_name(WriteType type);

// One turn's writes: an engine's batch and the requests that wait for it. One owner thread; kept.
class WriteTurn {
 public:
  // A turn that has more than this is committed before it ends, so that memory stays bounded.
  static constexpr size_t kBatchSizeMax = size_t{4} << 20;  // bytes
  static constexpr size_t kRequestsMax = 4096;

  explicit WriteTurn(storage::Engine& engine);

  // Adds updates; those to `table` or its indexes keep it until they are committed.
  void add(const StagedUpdates& updates) { updates.merge_into(*batch_); }
  void keep(const TablePtr& table) {
    if (tables_.empty() || tables_.back() != table) tables_.push_back(table);
  }
  // The request whose updates were added: commit() answers it.
  void answer(const ReplyTo& to, WriteType type, protocol::Consistency consistency) {
    requests_.push_back({to, consistency, type});
  }

  bool has_pending() const { return !requests_.empty(); }
  bool is_full() const {
    return requests_.size() >= kRequestsMax || batch_->size_bytes() >= kBatchSizeMax;
  }
  // Commits and answers all: Void, or 0x1500 for each.
  void commit();

 private:
  struct Request {
    ReplyTo to;
    protocol::Consistency consistency;
    WriteType type;
  };

  storage::Engine& engine_;
  std::unique_ptr<storage::Batch> batch_;
  std::vector<Request> requests_;
  std::vector<Request> answering_;
  // Keep the stores that the batch names, also when they are dropped meanwhile.
  std::vector<TablePtr> tables_;
};

// 0x1500 for one request.
protocol::ErrorMessage write_failure(protocol::Consistency consistency, WriteType type,
                                     const core::Error& error);

}  // namespace cqlperf::server
