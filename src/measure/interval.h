#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/result.h"

namespace cqlperf::measure {

// Latencies in one interval; none of them when nothing was done in it.
struct IntervalLatency {
  std::optional<double> mean_ns;
  std::optional<int64_t> p50_ns;
  std::optional<int64_t> p99_ns;
  std::optional<int64_t> p99_9_ns;
  std::optional<int64_t> max_ns;
};

// All workers together over one interval.
struct IntervalRow {
  double start_s = 0;   // since the measured time began
  double length_s = 0;  // as it really was: the last one is mostly shorter
  uint64_t done = 0;    // successful operations
  uint64_t errors = 0;
  double rate = 0;         // done per second of the real length
  double target_rate = 0;  // 0: none
  IntervalLatency response;
  IntervalLatency service;
  uint64_t in_flight = 0;  // at the end
  uint64_t sent = 0;
  uint64_t late = 0;
  uint64_t skipped = 0;
  int64_t process_cpu_ns = 0;     // CPU time of the whole program in this interval
  double busiest_worker_cpu = 0;  // share of one core that the busiest worker used, 0 to 1
  int64_t lag_max_ns = 0;
};
static_assert(std::is_trivially_copyable_v<IntervalRow>);

// The rows of a run, in order. Memory is fixed: rows beyond `rows_in_memory` are kept in a
// temporary file that has no name, in $TMPDIR or /tmp. One owner thread.
class IntervalSpool {
 public:
  static constexpr size_t kDefaultRowsInMemory = 4096;

  explicit IntervalSpool(size_t rows_in_memory = kDefaultRowsInMemory)
      : rows_in_memory_(rows_in_memory) {}
  ~IntervalSpool();
  IntervalSpool(IntervalSpool&& other) noexcept;
  IntervalSpool& operator=(IntervalSpool&& other) noexcept;

  core::Status append(const IntervalRow& row);
  core::Status for_each(const std::function<void(const IntervalRow&)>& visit) const;
  uint64_t size() const { return memory_.size() + rows_in_file_; }

 private:
  core::Status append_to_file(const IntervalRow& row);

  size_t rows_in_memory_;
  std::vector<IntervalRow> memory_;
  int file_ = -1;
  uint64_t rows_in_file_ = 0;
};

}  // namespace cqlperf::measure
