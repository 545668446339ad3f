#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "measure/errors.h"
#include "measure/histogram.h"

namespace cqlperf::measure {

// CPU time used so far by the calling thread and by the process.
struct CpuTimes {
  int64_t thread_ns = 0;
  int64_t process_ns = 0;

  static CpuTimes read();
};

// What a worker counts besides latencies, over one interval.
struct Counters {
  uint64_t due = 0;  // operations that came due (closed loop: that were started)
  uint64_t sent = 0;
  uint64_t late = 0;           // of those sent: later than the threshold after they were due
  uint64_t skipped = 0;        // due, and given up without being sent (late policy "drop")
  int64_t lag_max_ns = 0;      // the worst delay of the worker's loop
  int64_t window_full_ns = 0;  // time in which something was due but the window was full
  int64_t not_ready_ns = 0;    // time in which something was due but no connection was ready

  // Sums, and the larger of the lags.
  void add(const Counters& other);
};

// Latencies of the successful operations of one kind.
struct Latencies {
  Histogram response;  // from the due time to the answer
  Histogram service;   // from the send to the answer

  void add(const Latencies& other);
  void reset();
};

// What one worker recorded in [start_ns, end_ns). Times are those of the monotonic clock.
struct Sample {
  Sample(size_t worker_index, size_t kind_count) : worker(worker_index), kinds(kind_count) {}

  size_t worker;
  uint64_t interval = 0;  // number of the last interval that it covers, from 0
  bool final = false;     // the worker's last one
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  CpuTimes cpu_at_start;
  CpuTimes cpu_at_end;
  uint64_t in_flight = 0;        // at the end
  std::vector<Latencies> kinds;  // by kind of operation
  Histogram failed_response;     // failed operations, all kinds, from the due time
  Counters counters;
  ErrorCounts errors;

  // Adds latencies, counters and errors; leaves times and identity alone.
  void add_values(const Sample& other);
  // Empties latencies, counters and errors.
  void reset_values();
};

// Hands full samples from the workers to the collector, and empty ones back: one lock per interval.
// All samples are made at the start, three for each worker, so memory does not grow when the
// collector is slow: the worker then goes on recording into the sample that it has.
class SampleExchange {
 public:
  SampleExchange(size_t workers, size_t kind_count);

  // The sample that a worker starts with. Once for each worker.
  std::unique_ptr<Sample> first(size_t worker);

  // Worker: gives a full sample and gets an empty one in its place. False, with the sample left as
  // it is, when the collector has none to give back yet.
  bool hand_over(std::unique_ptr<Sample>& sample);
  // Worker: gives the last sample.
  void hand_over_last(std::unique_ptr<Sample> sample);

  // Collector: the next full sample, in the order of arrival; null when there is none within
  // timeout_ns (0: does not wait).
  std::unique_ptr<Sample> take(int64_t timeout_ns);
  // Collector: empties a sample and makes it available to its worker again.
  void give_back(std::unique_ptr<Sample> sample);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::unique_ptr<Sample>> full_;
  std::vector<std::vector<std::unique_ptr<Sample>>> spares_;  // by worker
};

}  // namespace cqlperf::measure
