#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/store_task.h"
#include "executor/completions.h"
#include "measure/recorder.h"
#include "protocol/error.h"
#include "protocol/result.h"
#include "protocol/rows.h"

namespace cqlperf::bench {

// Drives a task as the executor and the session would, one request at a time.
class StoreTaskTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kWindow = 4;

  // What the next request has as its values, and takes a slot for it.
  uint32_t start(StoreTask& task) {
    const uint32_t slot = completions_.next_slot();
    task.take(slot);
    completions_.started({started_++, slot, 0}, 0);
    return slot;
  }
  core::Buffer values(StoreTask& task, uint32_t slot) {
    core::Buffer out;
    task.write_values(slot, out);
    out.append(task.value_tail(slot));
    return out;
  }
  // Requests that are left to be started.
  uint64_t left(const StoreTask& task) const {
    return task.operations() + completions_.added() - started_;
  }

  void succeed(StoreTask& task, uint32_t slot, std::span<const uint8_t> body) {
    task.on_success(slot, {{.version = protocol::Version::kV4, .is_response = true}, body}, 1,
                    completions_);
  }
  void fail(StoreTask& task, uint32_t slot, std::string_view kind, bool answered = true) {
    const protocol::Frame frame{};
    task.on_failure(slot, {.kind = kind, .message = "no", .frame = answered ? &frame : nullptr}, 1,
                    completions_);
  }

  static std::vector<uint8_t> void_result() { return {0, 0, 0, 1}; }

  measure::SampleExchange exchange_{1, 1};
  measure::Recorder recorder_{exchange_, 0};
  executor::Completions completions_{kWindow, recorder_, nullptr};
  uint64_t started_ = 0;
};

}  // namespace cqlperf::bench
