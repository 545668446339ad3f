#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/session.h"
#include "executor/completions.h"
#include "executor/operation.h"
#include "measure/distinct.h"
#include "net/event_loop.h"
#include "workload/workload.h"

namespace cqlperf::bench {

// The operations of one worker: those of a workload, executed on a session. It is where the
// executor, which knows no CQL, and the client meet.
// Owner thread: that of its loop; it may be handed over between runs.
class CqlSource final : public executor::OperationSource, private client::SessionClient {
 public:
  // `options` without statements: those of `kinds` are added, in that order. `window` is the
  // largest number of operations in flight.
  CqlSource(net::EventLoop& loop, client::SessionOptions options,
            std::vector<workload::PreparedText> statements, uint32_t window,
            protocol::Consistency consistency);

  client::Session& session() { return session_; }

  // What the next run does: its operation i is the workload's `first_index` + i. Every kind of its
  // operations has a statement in the session. The workload outlives the run. With `distinct`, the
  // keys of successful inserts are counted there.
  void set_workload(const workload::Workload& workload, uint64_t first_index,
                    measure::DistinctCounter* distinct);

  void begin(executor::Completions& completions) override;
  executor::StartResult start(const executor::Operation& operation) override;
  void flush() override { session_.flush(); }
  bool ready() override { return session_.ready_connections() > 0; }
  void end() override { completions_ = nullptr; }

 private:
  struct InFlight {
    int32_t key;
    uint8_t kind;  // position in the workload's statements
  };

  // Tokens hold the slot and, above it, the number of the run, so that a late answer to an
  // operation that an earlier run has abandoned is told from one of this run.
  static constexpr uint32_t kSlotBits = 20;
  static constexpr uint32_t kSlotMask = (1u << kSlotBits) - 1;
  uint32_t token_of(uint32_t slot) const { return run_ << kSlotBits | slot; }
  bool is_current(uint32_t token) const {
    return completions_ != nullptr && token >> kSlotBits == run_;
  }

  void write_values(uint16_t statement, uint32_t token, core::Buffer& out) override;
  void on_success(uint32_t token, const protocol::Frame& frame, int64_t received_ns) override;
  void on_failure(uint32_t token, const client::RequestFailure& failure,
                  int64_t received_ns) override;
  void finish_insert(uint32_t slot, protocol::ByteView body, int64_t received_ns);
  void finish_read(uint32_t slot, const protocol::Frame& frame, protocol::ByteView body,
                   int64_t received_ns);
  void fail(uint32_t slot, std::string_view kind, std::string_view message, int64_t received_ns);

  client::Session session_;
  std::vector<workload::PreparedText> statements_;
  const workload::Workload* workload_ = nullptr;
  uint64_t first_index_ = 0;
  measure::DistinctCounter* distinct_ = nullptr;
  std::vector<uint16_t> statement_of_kind_;
  std::vector<InFlight> in_flight_;  // by slot
  executor::Completions* completions_ = nullptr;
  uint32_t run_ = 0;
};

}  // namespace cqlperf::bench
