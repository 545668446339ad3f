#include "server/write_turn.h"

#include <utility>

#include <fmt/format.h>

namespace cqlperf::server {

std::string_view write_type_name(WriteType type) {
  switch (type) {
    case WriteType::kSimple:
      return "SIMPLE";
    case WriteType::kBatch:
      return "BATCH";
    case WriteType::kUnloggedBatch:
      return "UNLOGGED_BATCH";
    case WriteType::kCounter:
      return "COUNTER";
    case WriteType::kConditional:
      return "CAS";
  }
  return "SIMPLE";
}

protocol::ErrorMessage write_failure(protocol::Consistency consistency, WriteType type,
                                     const core::Error& error) {
  return {static_cast<int32_t>(protocol::ErrorCode::kWriteFailure),
          fmt::format("Operation failed - received 0 responses and 1 failures: {}", error.message),
          protocol::WriteFailureDetails{consistency, 0, 1, 1, std::string(write_type_name(type))}};
}

WriteTurn::WriteTurn(storage::Engine& engine) : engine_(engine), batch_(engine.make_batch()) {}

void WriteTurn::commit() {
  core::Status status;
  if (batch_->count() > 0) status = engine_.commit(*batch_);
  batch_->clear();
  tables_.clear();
  std::swap(requests_, answering_);
  for (const Request& request : answering_) {
    if (status) {
      reply_void(request.to);
    } else {
      reply_error(request.to, write_failure(request.consistency, request.type, status.error()));
    }
  }
  answering_.clear();
}

}  // namespace cqlperf::server
