#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bench/form_task.h"
#include "client/rpc_session.h"
#include "client/session.h"
#include "core/result.h"
#include "executor/completions.h"
#include "executor/operation.h"
#include "measure/forms_result.h"
#include "net/event_loop.h"
#include "net/tcp_stream.h"

namespace cqlperf::bench {

// One worker's connections in one form, and its operations on them. Owner thread: the worker's, and
// between two phases the caller's.
class FormSource : public executor::OperationSource {
 public:
  FormSource(const FormWorkload& workload, uint32_t window) : task_(workload, window) {}

  virtual void start_to_connect() = 0;
  virtual core::Status wait_until_ready(int64_t deadline_ns) = 0;
  virtual net::TcpStream::Counters counters() const = 0;
  FormTask& task() { return task_; }

  void begin(executor::Completions& completions) override {
    completions_ = &completions;
    run_ = (run_ + 1) & (UINT32_MAX >> kSlotBits);
  }
  void end() override { completions_ = nullptr; }

 protected:
  // Tokens hold the slot and, above it, the number of the phase, so that a late answer to an
  // operation that an earlier phase has abandoned is told from one of this phase.
  static constexpr uint32_t kSlotBits = 20;
  uint32_t token_of(uint32_t slot) const { return run_ << kSlotBits | slot; }
  static uint32_t slot_of(uint32_t token) { return token & ((1u << kSlotBits) - 1); }
  bool is_current(uint32_t token) const {
    return completions_ != nullptr && token >> kSlotBits == run_;
  }

  void succeed(uint32_t slot, int64_t received_ns) {
    task_.acknowledged(slot);
    completions_->succeeded(slot, received_ns);
  }
  // `in_doubt`: it may have been applied all the same.
  void fail(uint32_t slot, const executor::Failure& failure, bool in_doubt, int64_t received_ns) {
    if (in_doubt) task_.failed_in_doubt(slot);
    completions_->failed(slot, failure, received_ns);
  }
  // A row that was read is missing, or other than it was written.
  void fail_read(uint32_t slot, size_t rows, int64_t received_ns);

 private:
  FormTask task_;
  executor::Completions* completions_ = nullptr;
  uint32_t run_ = 0;
};

// `cql`, `cql-bound`, `prepared-strings`, `prepared`.
std::unique_ptr<FormSource> native_form_source(net::EventLoop& loop, measure::Form form,
                                               const FormWorkload& workload, uint32_t window,
                                               client::SessionOptions options,
                                               protocol::Consistency consistency);

// The forms over Thrift. `table` is the name of the column family, as it is.
std::unique_ptr<FormSource> rpc_form_source(net::EventLoop& loop, measure::Form form,
                                            const FormWorkload& workload, uint32_t window,
                                            client::RpcSessionOptions options, std::string table,
                                            protocol::Consistency consistency);

}  // namespace cqlperf::bench
