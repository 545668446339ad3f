#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "measure/hdr_log.h"
#include "measure/interval.h"
#include "measure/result.h"
#include "measure/sample.h"

namespace cqlperf::measure {

struct CollectorConfig {
  size_t workers = 1;
  std::vector<std::string> kinds = {"operation"};  // names of the kinds of operation
  double asked_rate = 0;                           // 0: none
  uint64_t parallelism = 0;
  bool busy_polling = false;
  std::vector<double> extra_percentiles = {};
  std::optional<HdrLogWriter> hdr_log = {};             // none: no log
  std::string log_prefix = {};                          // of its tags: the phase that this is
  std::function<void(const IntervalRow&)> on_row = {};  // called in collect(), may be empty
  // What to add to the workers' monotonic time to get wall-clock time, for the log.
  int64_t wall_offset_ns = 0;
};

// wall_clock_ns() less steady_clock().now_ns(), now.
int64_t current_wall_offset_ns();

// Gathers the samples of all workers, makes the row of each interval, writes the interval log and
// keeps the totals. A row is made when every worker has handed over that interval; a worker that
// was held up for several intervals makes them one longer row. Memory does not grow with the length
// of the run. One owner thread, except for exchange(), which the workers share.
class Collector {
 public:
  explicit Collector(CollectorConfig config);

  SampleExchange& exchange() { return exchange_; }

  // Takes in what the workers handed over, waiting up to timeout_ns for the first of it. After an
  // error of a file the counts are still right, and collecting may go on; a log is then given up.
  core::Status collect(int64_t timeout_ns);

  // Every worker has handed over its last sample.
  bool finished() const { return finished_workers_ == config_.workers; }

  // Ends collecting, with what there is, should a worker not have finished.
  core::Status close();
  // After close(): the log, to be closed, or to be gone on with by the next phase's collector. None
  // when there was none, or when it could not be written.
  std::optional<HdrLogWriter> take_hdr_log() { return std::exchange(config_.hdr_log, {}); }

  // After close().
  Summary summary(bool interrupted = false,
                  std::optional<DistinctCount> distinct_keys = std::nullopt,
                  bool gave_up = false) const;
  const IntervalSpool& intervals() const { return intervals_; }
  // All kinds of operation together.
  const Latencies& total_latencies() const { return total_all_; }

 private:
  struct WorkerState {
    std::deque<std::unique_ptr<Sample>> pending;  // handed over, and not yet part of a row
    std::optional<uint64_t> reached;              // the last interval that is part of a row
    bool finished = false;
    uint64_t in_flight = 0;
    int64_t end_ns = 0;
    // In the row in progress, and in all rows before it: time measured, CPU time used.
    bool in_row = false;
    int64_t row_ns = 0;
    int64_t row_cpu_ns = 0;
    int64_t total_ns = 0;
    int64_t total_cpu_ns = 0;

    void end_row();
  };

  core::Status add_to_rows(std::unique_ptr<Sample> sample);
  bool take_in_pending();
  void add_to_row(const Sample& sample, WorkerState& worker);
  bool row_is_complete() const;
  int64_t row_end_ns() const;
  core::Status end_row();
  core::Status publish_row(int64_t end_ns);
  IntervalRow make_row(int64_t end_ns) const;
  core::Status write_log(int64_t end_ns);
  void add_counters(Summary& summary) const;
  ShortfallInput shortfall_input(const Summary& summary) const;

  CollectorConfig config_;
  SampleExchange exchange_;
  std::vector<WorkerState> workers_;
  size_t finished_workers_ = 0;
  IntervalSpool intervals_;
  uint64_t rows_made_ = 0;

  int64_t measured_start_ns_ = INT64_MAX;
  int64_t process_cpu_start_ns_ = INT64_MAX;
  int64_t process_cpu_end_ns_ = 0;
  std::optional<uint64_t> row_interval_;  // the last interval of the row in progress
  int64_t row_start_ns_ = 0;              // the end of the row before
  int64_t row_cpu_start_ns_ = 0;
  Sample row_;         // values of the row in progress
  Latencies row_all_;  // its kinds together
  Sample total_;       // values of all rows
  Latencies total_all_;
};

}  // namespace cqlperf::measure
