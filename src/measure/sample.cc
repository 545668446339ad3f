#include "measure/sample.h"

#include <algorithm>
#include <chrono>

#include "core/check.h"
#include "core/clock.h"

namespace cqlperf::measure {

namespace {
// One in the worker's hands, and so many on their way to and from the collector.
constexpr size_t kSparesPerWorker = 2;
}  // namespace

CpuTimes CpuTimes::read() { return {core::thread_cpu_ns(), core::process_cpu_ns()}; }

void Counters::add(const Counters& other) {
  due += other.due;
  sent += other.sent;
  late += other.late;
  skipped += other.skipped;
  lag_max_ns = std::max(lag_max_ns, other.lag_max_ns);
  window_full_ns += other.window_full_ns;
  not_ready_ns += other.not_ready_ns;
}

void Latencies::add(const Latencies& other) {
  response.add(other.response);
  service.add(other.service);
}

void Latencies::reset() {
  response.reset();
  service.reset();
}

void Sample::add_values(const Sample& other) {
  for (size_t kind = 0; kind < kinds.size(); ++kind) kinds[kind].add(other.kinds[kind]);
  failed_response.add(other.failed_response);
  counters.add(other.counters);
  errors.merge(other.errors);
}

void Sample::reset_values() {
  for (Latencies& latencies : kinds) latencies.reset();
  failed_response.reset();
  counters = {};
  errors.clear();
}

SampleExchange::SampleExchange(size_t workers, size_t kind_count) : spares_(workers) {
  for (size_t worker = 0; worker < workers; ++worker) {
    for (size_t i = 0; i < 1 + kSparesPerWorker; ++i) {
      spares_[worker].push_back(std::make_unique<Sample>(worker, kind_count));
    }
  }
}

std::unique_ptr<Sample> SampleExchange::first(size_t worker) {
  const std::lock_guard lock(mutex_);
  auto& spares = spares_.at(worker);
  CQLPERF_CHECK(spares.size() == 1 + kSparesPerWorker, "a worker has one recorder");
  std::unique_ptr<Sample> sample = std::move(spares.back());
  spares.pop_back();
  return sample;
}

bool SampleExchange::hand_over(std::unique_ptr<Sample>& sample) {
  const std::lock_guard lock(mutex_);
  auto& spares = spares_[sample->worker];
  if (spares.empty()) return false;
  full_.push_back(std::move(sample));
  sample = std::move(spares.back());
  spares.pop_back();
  arrived_.notify_one();
  return true;
}

void SampleExchange::hand_over_last(std::unique_ptr<Sample> sample) {
  const std::lock_guard lock(mutex_);
  full_.push_back(std::move(sample));
  arrived_.notify_one();
}

std::unique_ptr<Sample> SampleExchange::take(int64_t timeout_ns) {
  std::unique_lock lock(mutex_);
  const auto has_some = [this] { return !full_.empty(); };
  if (!arrived_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), has_some)) return nullptr;
  std::unique_ptr<Sample> sample = std::move(full_.front());
  full_.pop_front();
  return sample;
}

void SampleExchange::give_back(std::unique_ptr<Sample> sample) {
  sample->reset_values();
  const std::lock_guard lock(mutex_);
  spares_[sample->worker].push_back(std::move(sample));
}

}  // namespace cqlperf::measure
