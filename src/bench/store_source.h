#pragma once

#include <cstdint>

#include "bench/store_task.h"
#include "client/session.h"
#include "executor/completions.h"
#include "executor/operation.h"
#include "net/event_loop.h"

namespace cqlperf::bench {

// The requests of one worker of the store suite: those of a task, executed on a session.
// Owner thread: that of its loop; it may be handed over between runs.
class StoreSource final : public executor::OperationSource, private client::SessionClient {
 public:
  // The loop outlives it; the options have the statements that tasks name.
  StoreSource(net::EventLoop& loop, client::SessionOptions options)
      : session_(loop, *this, std::move(options)) {}

  client::Session& session() { return session_; }

  // What the next run does. The task outlives the run.
  void set_task(StoreTask& task) { task_ = &task; }

  void begin(executor::Completions& completions) override;
  executor::StartResult start(const executor::Operation& operation) override;
  void flush() override { session_.flush(); }
  bool ready() override { return session_.ready_connections() > 0; }
  void end() override { completions_ = nullptr; }

 private:
  // Tokens hold the slot and, above it, the number of the run, so that a late answer to a request
  // that an earlier run has abandoned is told from one of this run.
  static constexpr uint32_t kSlotBits = 20;
  static constexpr uint32_t kSlotMask = (1u << kSlotBits) - 1;
  bool is_current(uint32_t token) const {
    return completions_ != nullptr && token >> kSlotBits == run_;
  }

  void write_values(uint16_t statement, uint32_t token, core::Buffer& out) override;
  protocol::ByteView value_tail(uint16_t statement, uint32_t token) override;
  client::PageRequest page_of(uint16_t statement, uint32_t token) override;
  void on_success(uint32_t token, const protocol::Frame& frame, int64_t received_ns) override;
  void on_failure(uint32_t token, const client::RequestFailure& failure,
                  int64_t received_ns) override;

  client::Session session_;
  StoreTask* task_ = nullptr;
  executor::Completions* completions_ = nullptr;
  uint32_t run_ = 0;
};

}  // namespace cqlperf::bench
