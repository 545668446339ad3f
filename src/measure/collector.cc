#include "measure/collector.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"

namespace cqlperf::measure {

namespace {

using core::Status;

double seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Keeps the first of two errors.
void keep_first(Status& status, Status next) {
  if (status && !next) status = std::move(next);
}

IntervalLatency interval_latency(const Histogram& histogram) {
  const LatencyStats stats = latency_stats(histogram, {});
  return {stats.mean_ns, stats.p50_ns, stats.p99_ns, stats.p99_9_ns, stats.max_ns};
}

}  // namespace

int64_t current_wall_offset_ns() { return core::wall_clock_ns() - core::steady_clock().now_ns(); }

Collector::Collector(CollectorConfig config)
    : config_(std::move(config)),
      exchange_(config_.workers, config_.kinds.size()),
      workers_(config_.workers),
      row_(0, config_.kinds.size()),
      total_(0, config_.kinds.size()) {}

Status Collector::collect(int64_t timeout_ns) {
  Status status;
  std::unique_ptr<Sample> sample = exchange_.take(timeout_ns);
  while (sample) {
    keep_first(status, add_to_rows(std::move(sample)));
    sample = exchange_.take(0);
  }
  return status;
}

// Adds a sample to the row that it belongs to, and ends each row that is complete by it.
Status Collector::add_to_rows(std::unique_ptr<Sample> sample) {
  workers_[sample->worker].pending.push_back(std::move(sample));
  Status status;
  while (take_in_pending()) {
    if (row_is_complete()) keep_first(status, end_row());
  }
  return status;
}

// Takes in one sample of each worker that has one for the row in progress. A worker that was held
// up hands over a sample of several intervals: the row then covers all of these, and what the
// others have for them goes into it too. So no worker ever waits for another to get a spare back.
bool Collector::take_in_pending() {
  bool any = false;
  for (WorkerState& worker : workers_) {
    const bool has_row = row_interval_ && worker.reached && *worker.reached >= *row_interval_;
    if (worker.pending.empty() || has_row) continue;
    std::unique_ptr<Sample> sample = std::move(worker.pending.front());
    worker.pending.pop_front();
    add_to_row(*sample, worker);
    exchange_.give_back(std::move(sample));
    any = true;
  }
  return any;
}

void Collector::add_to_row(const Sample& sample, WorkerState& worker) {
  row_interval_ = std::max(row_interval_.value_or(0), sample.interval);
  row_.add_values(sample);
  worker.reached = sample.interval;
  worker.in_row = true;
  worker.end_ns = sample.end_ns;
  worker.in_flight = sample.in_flight;
  worker.row_ns += sample.end_ns - sample.start_ns;
  worker.row_cpu_ns += sample.cpu_at_end.thread_ns - sample.cpu_at_start.thread_ns;
  process_cpu_end_ns_ = std::max(process_cpu_end_ns_, sample.cpu_at_end.process_ns);
  if (sample.final) {
    worker.finished = true;
    ++finished_workers_;
  }
  if (rows_made_ > 0) return;
  // The measured time begins with the first worker that starts.
  measured_start_ns_ = std::min(measured_start_ns_, sample.start_ns);
  process_cpu_start_ns_ = std::min(process_cpu_start_ns_, sample.cpu_at_start.process_ns);
}

bool Collector::row_is_complete() const {
  return row_interval_ && std::ranges::all_of(workers_, [this](const WorkerState& worker) {
           return worker.finished || (worker.reached && *worker.reached >= *row_interval_);
         });
}

// Rows follow each other without gap or overlap, or operations would be divided by a time that is
// not theirs. Workers that go on end an interval within a loop turn of each other: the mean is the
// best value for all. When all have finished, the last of them says when the time was over.
int64_t Collector::row_end_ns() const {
  int64_t last_end_ns = 0;
  int64_t offset_sum_ns = 0;
  int64_t going_on = 0;
  for (const WorkerState& worker : workers_) {
    if (!worker.in_row) continue;
    last_end_ns = std::max(last_end_ns, worker.end_ns);
    if (worker.finished) continue;
    offset_sum_ns += worker.end_ns - measured_start_ns_;
    ++going_on;
  }
  return going_on > 0 ? measured_start_ns_ + offset_sum_ns / going_on : last_end_ns;
}

Status Collector::end_row() {
  if (rows_made_ == 0) {
    row_start_ns_ = measured_start_ns_;
    row_cpu_start_ns_ = process_cpu_start_ns_;
  }
  const int64_t end_ns = std::max(row_end_ns(), row_start_ns_);
  for (const Latencies& latencies : row_.kinds) row_all_.add(latencies);
  Status status;
  // A worker that finishes on the very end of an interval leaves an empty one behind.
  const bool has_values = row_.counters.sent > 0 || row_.counters.skipped > 0 ||
                          row_.errors.total() > 0 || row_all_.response.count() > 0;
  if (end_ns > row_start_ns_ || has_values) {
    status = publish_row(end_ns);
  }
  total_.add_values(row_);
  total_all_.add(row_all_);
  row_.reset_values();
  row_all_.reset();
  row_interval_.reset();
  row_start_ns_ = end_ns;
  row_cpu_start_ns_ = process_cpu_end_ns_;
  for (WorkerState& worker : workers_) worker.end_row();
  return status;
}

Status Collector::publish_row(int64_t end_ns) {
  const IntervalRow row = make_row(end_ns);
  if (config_.on_row) config_.on_row(row);
  Status status = intervals_.append(row);
  if (config_.hdr_log) {
    Status logged = write_log(end_ns);
    // A log that cannot be written is given up, so that the error is told once.
    if (!logged) config_.hdr_log.reset();
    keep_first(status, std::move(logged));
  }
  ++rows_made_;
  return status;
}

void Collector::WorkerState::end_row() {
  total_ns += std::exchange(row_ns, 0);
  total_cpu_ns += std::exchange(row_cpu_ns, 0);
  in_row = false;
}

IntervalRow Collector::make_row(int64_t end_ns) const {
  IntervalRow row;
  row.start_s = seconds(row_start_ns_ - measured_start_ns_);
  row.length_s = seconds(end_ns - row_start_ns_);
  row.done = row_all_.response.count();
  row.errors = row_.errors.total();
  row.rate = ratio(static_cast<double>(row.done), row.length_s);
  row.target_rate = config_.asked_rate;
  row.response = interval_latency(row_all_.response);
  row.service = interval_latency(row_all_.service);
  row.sent = row_.counters.sent;
  row.late = row_.counters.late;
  row.skipped = row_.counters.skipped;
  row.process_cpu_ns = process_cpu_end_ns_ - row_cpu_start_ns_;
  row.lag_max_ns = row_.counters.lag_max_ns;
  for (const WorkerState& worker : workers_) {
    row.in_flight += worker.in_flight;
    const double cpu =
        ratio(static_cast<double>(worker.row_cpu_ns), static_cast<double>(worker.row_ns));
    row.busiest_worker_cpu = std::max(row.busiest_worker_cpu, cpu);
  }
  return row;
}

Status Collector::write_log(int64_t end_ns) {
  Status status;
  HdrLogWriter& log = *config_.hdr_log;
  if (!log.base_wall_ns())
    status = log.write_base_time(measured_start_ns_ + config_.wall_offset_ns);
  const int64_t start_ns = row_start_ns_ + config_.wall_offset_ns - *log.base_wall_ns();
  const auto write = [&](const std::string& tag, const Histogram& histogram) {
    if (status)
      status =
          log.write_interval(config_.log_prefix + tag, start_ns, end_ns - row_start_ns_, histogram);
  };
  write("response", row_all_.response);
  write("service", row_all_.service);
  for (size_t kind = 0; kind < row_.kinds.size() && row_.kinds.size() > 1; ++kind) {
    write("response-" + config_.kinds[kind], row_.kinds[kind].response);
    write("service-" + config_.kinds[kind], row_.kinds[kind].service);
  }
  if (!row_.failed_response.empty()) write("failed-response", row_.failed_response);
  return status;
}

Status Collector::close() {
  Status status = collect(0);
  while (take_in_pending() || row_interval_) keep_first(status, end_row());
  return status;
}

Summary Collector::summary(bool interrupted, std::optional<DistinctCount> distinct_keys,
                           bool gave_up) const {
  Summary summary;
  summary.interrupted = interrupted;
  summary.gave_up = gave_up;
  summary.distinct_keys = distinct_keys;
  summary.asked_rate = config_.asked_rate;
  summary.measured_seconds = rows_made_ > 0 ? seconds(row_start_ns_ - measured_start_ns_) : 0;
  summary.response = latency_stats(total_all_.response, config_.extra_percentiles);
  summary.service = latency_stats(total_all_.service, config_.extra_percentiles);
  summary.failed_response = latency_stats(total_.failed_response, config_.extra_percentiles);
  for (size_t kind = 0; kind < config_.kinds.size(); ++kind) {
    const Latencies& latencies = total_.kinds[kind];
    summary.kinds.push_back({config_.kinds[kind],
                             latency_stats(latencies.response, config_.extra_percentiles),
                             latency_stats(latencies.service, config_.extra_percentiles)});
  }
  summary.operations = total_all_.response.count();
  summary.achieved_rate = ratio(static_cast<double>(summary.operations), summary.measured_seconds);
  summary.errors = total_.errors.total();
  summary.errors_by_kind = total_.errors.kinds();
  add_counters(summary);
  summary.shortfall = explain_shortfall(shortfall_input(summary));
  return summary;
}

void Collector::add_counters(Summary& summary) const {
  const Counters& counters = total_.counters;
  summary.due = counters.due;
  summary.sent = counters.sent;
  summary.late = counters.late;
  summary.skipped = counters.skipped;
  const uint64_t settled = counters.sent + counters.skipped;
  summary.unsent = counters.due > settled ? counters.due - settled : 0;
  summary.lag_max_ns = counters.lag_max_ns;
  summary.process_cpu_ns = rows_made_ > 0 ? process_cpu_end_ns_ - process_cpu_start_ns_ : 0;
  if (summary.operations > 0) {
    summary.client_cpu_us_per_operation =
        static_cast<double>(summary.process_cpu_ns) / 1e3 / static_cast<double>(summary.operations);
  }
  for (const WorkerState& worker : workers_) {
    summary.in_flight_at_end += worker.in_flight;
    const double cpu =
        ratio(static_cast<double>(worker.total_cpu_ns), static_cast<double>(worker.total_ns));
    summary.busiest_worker_cpu = std::max(summary.busiest_worker_cpu, cpu);
  }
}

ShortfallInput Collector::shortfall_input(const Summary& summary) const {
  double workers_ns = 0;
  for (const WorkerState& worker : workers_) workers_ns += static_cast<double>(worker.total_ns);
  ShortfallInput input;
  input.gave_up = summary.gave_up;
  input.asked_rate = summary.asked_rate;
  input.achieved_rate = summary.achieved_rate;
  input.measured_seconds = summary.measured_seconds;
  input.errors = summary.errors;
  input.skipped = summary.skipped;
  input.in_flight_at_end = summary.in_flight_at_end;
  input.parallelism = config_.parallelism;
  input.mean_service_ns = summary.service.mean_ns;
  input.window_full_share = ratio(static_cast<double>(total_.counters.window_full_ns), workers_ns);
  input.not_ready_share = ratio(static_cast<double>(total_.counters.not_ready_ns), workers_ns);
  input.busiest_worker_cpu = summary.busiest_worker_cpu;
  input.busy_polling = config_.busy_polling;
  input.lag_max_ns = summary.lag_max_ns;
  return input;
}

}  // namespace cqlperf::measure
