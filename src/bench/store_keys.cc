#include "bench/store_keys.h"

#include <fmt/format.h>

#include "core/check.h"
#include "protocol/result.h"

namespace cqlperf::bench {

KeyTask::KeyTask(Kind kind, uint16_t statement, int64_t first, int64_t step, int64_t keys,
                 const workload::StoreValues* values, uint32_t window, StoreTally& tally)
    : kind_(kind),
      statement_(statement),
      step_(step),
      keys_(keys),
      values_(values),
      tally_(tally),
      operations_(first < keys ? static_cast<uint64_t>((keys - first + step - 1) / step) : 0),
      next_key_(first),
      slots_(window) {}

void KeyTask::take(uint32_t slot) {
  if (!again_.empty()) [[unlikely]] {
    slots_[slot] = again_.front();
    again_.pop_front();
    return;
  }
  CQLPERF_CHECK(next_key_ < keys_, "a request without a key");
  slots_[slot] = {next_key_, 0};
  next_key_ += step_;
}

void KeyTask::write_values(uint32_t slot, core::Buffer& out) {
  const int64_t key = slots_[slot].key;
  out.append_i32(sizeof key);
  out.append_i64(key);
  if (kind_ == Kind::kDelete) return;
  out.append_i32(static_cast<int32_t>(values_->value_bytes()));
  values_->append_head(key, out);
}

void KeyTask::on_success(uint32_t slot, const protocol::Frame& frame, int64_t received_ns,
                         executor::Completions& completions) {
  if (protocol::peek_result_kind(frame.body) != protocol::ResultKind::kVoid) [[unlikely]]
    return on_failure(slot,
                      {.kind = "UnexpectedResult",
                       .message = "a change was answered by a result that is not Void",
                       .frame = &frame},
                      received_ns, completions);
  tally_.add(1, values_ == nullptr ? 0 : values_->value_bytes());
  completions.succeeded(slot, received_ns);
}

void KeyTask::on_failure(uint32_t slot, const client::RequestFailure& failure, int64_t received_ns,
                         executor::Completions& completions) {
  Request request = slots_[slot];
  completions.failed(slot, to_executor(failure), received_ns);
  if (!is_connection_lost(failure)) ++request.attempts;
  if (is_final(failure) || request.attempts >= kStoreAttemptsMax) {
    if (problem_.empty())
      problem_ =
          fmt::format("key {} could not be {}: {}: {}", request.key,
                      kind_ == Kind::kWrite ? "written" : "deleted", failure.kind, failure.message);
    return completions.stop();
  }
  tally_.add_retry();
  again_.push_back(request);
  completions.add_operation();
}

}  // namespace cqlperf::bench
