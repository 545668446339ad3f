#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "measure/sample.h"

namespace cqlperf::measure {

// What one worker measures. All times are nanoseconds of the monotonic clock. Nothing here
// allocates per operation, except the first error of a kind. One owner thread; the exchange
// outlives it.
class Recorder {
 public:
  static constexpr int64_t kDefaultLateThresholdNs = 1'000'000;

  Recorder(SampleExchange& exchange, size_t worker,
           int64_t late_threshold_ns = kDefaultLateThresholdNs)
      : exchange_(exchange),
        sample_(exchange.first(worker)),
        late_threshold_ns_(late_threshold_ns) {}

  // The measured time begins: forgets all that was recorded before (a warm-up).
  void start(int64_t now_ns, const CpuTimes& cpu);

  void record_due(uint64_t count) { sample_->counters.due += count; }
  void record_sent(int64_t due_ns, int64_t sent_ns) {
    ++sample_->counters.sent;
    if (sent_ns - due_ns > late_threshold_ns_) ++sample_->counters.late;
  }
  void record_skipped(uint64_t count) { sample_->counters.skipped += count; }

  // An operation was answered. `kind` is an index into the collector's list of kinds. The times are
  // when the operation was due, sent, and done.
  void record_success(size_t kind, int64_t due_ns, int64_t sent_ns, int64_t done_ns) {
    Latencies& latencies = sample_->kinds[kind];
    latencies.response.record(done_ns - due_ns);
    latencies.service.record(done_ns - sent_ns);
  }
  // An operation failed. Its time goes to a histogram of its own, so that a timeout is seen but
  // never mixed with answers. `error_kind` is a short name from a small set; no secret may be in
  // either text.
  void record_failure(std::string_view error_kind, std::string_view message, int64_t due_ns,
                      int64_t done_ns) {
    sample_->failed_response.record(done_ns - due_ns);
    sample_->errors.add(error_kind, message);
  }

  // The loop came to something `lag_ns` later than it should have.
  void record_lag(int64_t lag_ns) {
    if (lag_ns > sample_->counters.lag_max_ns) sample_->counters.lag_max_ns = lag_ns;
  }
  void add_window_full_ns(int64_t duration_ns) { sample_->counters.window_full_ns += duration_ns; }
  void add_not_ready_ns(int64_t duration_ns) { sample_->counters.not_ready_ns += duration_ns; }

  // Interval number `interval` (from 0, the same for all workers) is over: hands the sample to the
  // collector. When that is far behind, recording goes on in the same sample, and the interval's
  // numbers go with the next one; nothing is lost.
  void end_interval(uint64_t interval, int64_t now_ns, uint64_t in_flight, const CpuTimes& cpu);

  // The measured time is over. Nothing may be recorded after it.
  void finish(uint64_t interval, int64_t now_ns, uint64_t in_flight, const CpuTimes& cpu);

  // What was recorded since the last end_interval().
  const Sample& current() const { return *sample_; }

 private:
  void close_sample(uint64_t interval, int64_t now_ns, uint64_t in_flight, const CpuTimes& cpu);

  SampleExchange& exchange_;
  std::unique_ptr<Sample> sample_;
  int64_t late_threshold_ns_;
};

}  // namespace cqlperf::measure
