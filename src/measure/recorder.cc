#include "measure/recorder.h"

#include <utility>

namespace cqlperf::measure {

void Recorder::start(int64_t now_ns, const CpuTimes& cpu) {
  sample_->reset_values();
  sample_->start_ns = now_ns;
  sample_->cpu_at_start = cpu;
}

void Recorder::end_interval(uint64_t interval, int64_t now_ns, uint64_t in_flight,
                            const CpuTimes& cpu) {
  close_sample(interval, now_ns, in_flight, cpu);
  if (!exchange_.hand_over(sample_)) return;
  sample_->start_ns = now_ns;
  sample_->cpu_at_start = cpu;
}

void Recorder::finish(uint64_t interval, int64_t now_ns, uint64_t in_flight, const CpuTimes& cpu) {
  close_sample(interval, now_ns, in_flight, cpu);
  sample_->final = true;
  exchange_.hand_over_last(std::move(sample_));
}

void Recorder::close_sample(uint64_t interval, int64_t now_ns, uint64_t in_flight,
                            const CpuTimes& cpu) {
  sample_->interval = interval;
  sample_->end_ns = now_ns;
  sample_->in_flight = in_flight;
  sample_->cpu_at_end = cpu;
}

}  // namespace cqlperf::measure
