#pragma once

#include <cstdint>

#include "client/session.h"
#include "core/buffer.h"
#include "executor/completions.h"
#include "protocol/frame.h"

namespace cqlperf::bench {

// What one worker does in one phase of the store suite: which requests, and what their answers
// mean. Slots are the executor's. Owner thread: the worker's, and between phases the caller's.
class StoreTask {
 public:
  virtual ~StoreTask() = default;

  // How many requests there are before anything is answered; others are added as answers come.
  virtual uint64_t operations() const = 0;
  // Which of the session's statements the requests execute.
  virtual uint16_t statement() const = 0;

  // The next request gets this slot.
  virtual void take(uint32_t slot) = 0;
  // It could not be sent: it is the next one again.
  virtual void put_back(uint32_t slot) = 0;

  // As those of client::SessionClient; the views live as long as the slot is taken.
  virtual void write_values(uint32_t slot, core::Buffer& out) = 0;
  virtual protocol::ByteView value_tail(uint32_t /*slot*/) { return {}; }
  virtual client::PageRequest page_of(uint32_t /*slot*/) { return {}; }

  // The answer to the request in `slot`: reports it to `completions`, and adds what is left to do.
  virtual void on_success(uint32_t slot, const protocol::Frame& frame, int64_t received_ns,
                          executor::Completions& completions) = 0;
  virtual void on_failure(uint32_t slot, const client::RequestFailure& failure, int64_t received_ns,
                          executor::Completions& completions) = 0;
};

// A failed request is sent again this often at the most, lost connections not counted: those are
// bounded by the time in which nothing is answered (executor::Plan::stall_timeout_ns).
inline constexpr uint32_t kStoreAttemptsMax = 10;

// Sending the request again, or others like it, is of no use: the server says that it is wrong.
bool is_final(const client::RequestFailure& failure);
// The connection ended before an answer came: the request itself may be right.
bool is_connection_lost(const client::RequestFailure& failure);
// The failure as the executor counts it.
executor::Failure to_executor(const client::RequestFailure& failure);

}  // namespace cqlperf::bench
