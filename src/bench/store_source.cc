#include "bench/store_source.h"

#include "protocol/envelope.h"

namespace cqlperf::bench {

void StoreSource::begin(executor::Completions& completions) {
  completions_ = &completions;
  run_ = (run_ + 1) & (UINT32_MAX >> kSlotBits);
}

executor::StartResult StoreSource::start(const executor::Operation& operation) {
  task_->take(operation.slot);
  const uint32_t token = run_ << kSlotBits | operation.slot;
  if (session_.execute(task_->statement(), token) == client::ExecuteStatus::kSent)
    return executor::StartResult::kStarted;
  task_->put_back(operation.slot);
  return executor::StartResult::kNotReady;
}

void StoreSource::write_values(uint16_t, uint32_t token, core::Buffer& out) {
  task_->write_values(token & kSlotMask, out);
}

protocol::ByteView StoreSource::value_tail(uint16_t, uint32_t token) {
  return task_->value_tail(token & kSlotMask);
}

client::PageRequest StoreSource::page_of(uint16_t, uint32_t token) {
  return task_->page_of(token & kSlotMask);
}

void StoreSource::on_success(uint32_t token, const protocol::Frame& frame, int64_t received_ns) {
  if (!is_current(token)) return;
  const uint32_t slot = token & kSlotMask;
  if (frame.header.flags == 0) [[likely]]
    return task_->on_success(slot, frame, received_ns, *completions_);
  const auto envelope = protocol::split_response(frame);
  if (!envelope) return on_failure(token, {"ProtocolError", envelope.error().message}, received_ns);
  task_->on_success(slot, {frame.header, envelope->body}, received_ns, *completions_);
}

void StoreSource::on_failure(uint32_t token, const client::RequestFailure& failure,
                             int64_t received_ns) {
  if (is_current(token)) task_->on_failure(token & kSlotMask, failure, received_ns, *completions_);
}

}  // namespace cqlperf::bench
