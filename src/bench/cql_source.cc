#include "bench/cql_source.h"

#include <algorithm>

#include "core/check.h"
#include "protocol/envelope.h"
#include "protocol/result.h"
#include "protocol/rows.h"

namespace cqlperf::bench {
namespace {

client::SessionOptions with_statements(client::SessionOptions options,
                                       const std::vector<workload::PreparedText>& statements,
                                       protocol::Consistency consistency) {
  for (const auto& statement : statements)
    options.statements.push_back({statement.cql, {.consistency = consistency}});
  return options;
}

}  // namespace

CqlSource::CqlSource(net::EventLoop& loop, client::SessionOptions options,
                     std::vector<workload::PreparedText> statements, uint32_t window,
                     protocol::Consistency consistency)
    : session_(loop, *this, with_statements(std::move(options), statements, consistency)),
      statements_(std::move(statements)),
      in_flight_(window) {
  CQLPERF_CHECK(window <= kSlotMask + 1, "a window beyond what a token can hold");
}

void CqlSource::set_workload(const workload::Workload& workload, uint64_t first_index,
                             measure::DistinctCounter* distinct) {
  workload_ = &workload;
  first_index_ = first_index;
  distinct_ = distinct;
  statement_of_kind_.clear();
  for (const auto& wanted : workload.statements()) {
    const auto same_kind = [&](const auto& prepared) { return prepared.kind == wanted.kind; };
    const auto at = std::find_if(statements_.begin(), statements_.end(), same_kind);
    CQLPERF_CHECK(at != statements_.end(), "a kind of operation without a statement");
    statement_of_kind_.push_back(static_cast<uint16_t>(at - statements_.begin()));
  }
}

void CqlSource::begin(executor::Completions& completions) {
  completions_ = &completions;
  run_ = (run_ + 1) & (UINT32_MAX >> kSlotBits);
}

executor::StartResult CqlSource::start(const executor::Operation& operation) {
  const uint64_t index = first_index_ + operation.index;
  const size_t kind = workload_->kind_of(index);
  in_flight_[operation.slot] = {workload_->key_of(index), static_cast<uint8_t>(kind)};
  const auto status = session_.execute(statement_of_kind_[kind], token_of(operation.slot));
  return status == client::ExecuteStatus::kSent ? executor::StartResult::kStarted
                                                : executor::StartResult::kNotReady;
}

void CqlSource::write_values(uint16_t, uint32_t token, core::Buffer& out) {
  const InFlight& operation = in_flight_[token & kSlotMask];
  workload_->write_values(operation.kind, operation.key, out);
}

void CqlSource::on_success(uint32_t token, const protocol::Frame& frame, int64_t received_ns) {
  if (!is_current(token)) return;
  const uint32_t slot = token & kSlotMask;
  protocol::ByteView body = frame.body;
  if (frame.header.flags != 0) [[unlikely]] {
    const auto envelope = protocol::split_response(frame);
    if (!envelope) return fail(slot, "ProtocolError", envelope.error().message, received_ns);
    body = envelope->body;
  }
  if (workload_->statements()[in_flight_[slot].kind].kind == workload::OperationKind::kInsert)
    finish_insert(slot, body, received_ns);
  else
    finish_read(slot, frame, body, received_ns);
}

void CqlSource::finish_insert(uint32_t slot, protocol::ByteView body, int64_t received_ns) {
  if (protocol::peek_result_kind(body) != protocol::ResultKind::kVoid) [[unlikely]]
    return fail(slot, "UnexpectedResult", "an INSERT was answered by a result that is not Void",
                received_ns);
  const InFlight& operation = in_flight_[slot];
  if (distinct_ != nullptr) distinct_->add(static_cast<uint64_t>(operation.key));
  completions_->succeeded(slot, received_ns, operation.kind);
}

void CqlSource::finish_read(uint32_t slot, const protocol::Frame& frame, protocol::ByteView body,
                            int64_t received_ns) {
  const InFlight& operation = in_flight_[slot];
  const auto rows = protocol::RowsView::decode(frame.header.version, body);
  if (!rows) [[unlikely]]
    return fail(slot, "UnexpectedResult", rows.error().message, received_ns);
  const auto state = workload_->check_rows(operation.key, *rows);
  if (state == workload::RowState::kOk) [[likely]]
    return completions_->succeeded(slot, received_ns, operation.kind);
  fail(slot, state == workload::RowState::kMissing ? "MissingRow" : "WrongRow",
       workload_->describe_rows(operation.key, *rows), received_ns);
}

void CqlSource::fail(uint32_t slot, std::string_view kind, std::string_view message,
                     int64_t received_ns) {
  completions_->failed(slot, {.kind = kind, .message = message}, received_ns);
}

void CqlSource::on_failure(uint32_t token, const client::RequestFailure& failure,
                           int64_t received_ns) {
  if (!is_current(token)) return;
  completions_->failed(token & kSlotMask,
                       {.kind = failure.kind,
                        .message = failure.message,
                        .overloaded = failure.overloaded,
                        .answered = failure.frame != nullptr},
                       received_ns);
}

}  // namespace cqlperf::bench
