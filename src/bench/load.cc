#include "bench/load.h"

#include <algorithm>

#include <fmt/format.h>

#include "bench/connection_settings.h"
#include "core/clock.h"

namespace cqlperf::bench {
namespace {

using core::Result;
using core::Status;

// Memory for distinct keys, per worker: exact for key spaces up to 2^26, and for about 700,000
// random keys of a larger one. More would be exact for longer, but each key that does not find its
// place in the processor's caches costs as much as the rest of the operation's bookkeeping.
constexpr size_t kDistinctLimitBytes = size_t{8} << 20;

// The first worker's share of the window, than which no other is larger.
uint32_t largest_window(const executor::Plan& plan) {
  return executor::window_share(plan.parallelism, {0, executor::worker_count(plan)});
}

}  // namespace

struct Load::Worker {
  Worker(client::SessionOptions options, std::vector<workload::PreparedText> statements,
         uint32_t window, protocol::Consistency consistency)
      : source(loop, std::move(options), std::move(statements), window, consistency) {}

  net::EventLoop loop;
  CqlSource source;
  std::optional<measure::DistinctCounter> distinct;
};

Load::Load(const RunConfig& config, const executor::Plan& plan,
           const std::vector<net::SocketAddress>& nodes, protocol::Version version,
           std::vector<workload::PreparedText> statements, RunListener& listener)
    : config_(config), listener_(listener) {
  const uint32_t workers = executor::worker_count(plan);
  const uint32_t connections = connections_per_node(config, largest_window(plan));
  if (workers < config.threads)
    listener_.on_note(fmt::format("{} threads instead of {}: no more than --parallelism", workers,
                                  config.threads));
  for (uint32_t i = 0; i < workers; ++i)
    workers_.push_back(
        std::make_unique<Worker>(worker_session_options(nodes, version, connections, i), statements,
                                 largest_window(plan), config.consistency));
}

Load::~Load() = default;

size_t Load::descriptors(const RunConfig& config, const executor::Plan& plan, size_t nodes) {
  constexpr size_t kOfALoop = 2;
  return executor::worker_count(plan) *
         (kOfALoop + nodes * connections_per_node(config, largest_window(plan)));
}

client::SessionOptions Load::worker_session_options(const std::vector<net::SocketAddress>& nodes,
                                                    protocol::Version version, uint32_t connections,
                                                    size_t worker) {
  client::SessionOptions options = session_options(config_, nodes, version, connections);
  options.seed = config_.seed + worker;
  options.log = [this](std::string note) { notes_.add(std::move(note)); };
  return options;
}

Status Load::connect() {
  for (const auto& worker : workers_) worker->source.session().start();
  const int64_t deadline_ns = core::steady_clock().now_ns() + config_.connect_timeout_ns;
  for (const auto& worker : workers_)
    if (auto status = worker->source.session().wait_until_ready(deadline_ns); !status)
      return status;
  notes_.tell(listener_);
  return {};
}

measure::CollectorConfig Load::collector_config(Phase& phase) {
  measure::CollectorConfig config;
  config.workers = workers_.size();
  config.kinds = phase.workload->kind_names();
  config.asked_rate = phase.plan.rate;
  config.parallelism = phase.plan.parallelism;
  config.busy_polling = phase.plan.busy_poll;
  config.wall_offset_ns = measure::current_wall_offset_ns();
  config.on_row = [this](const measure::IntervalRow& row) {
    notes_.tell(listener_);
    listener_.on_row(row);
  };
  if (phase.measured) config.extra_percentiles = config_.percentiles;
  config.hdr_log = std::move(phase.hdr_log);
  return config;
}

Result<Load::PhaseResult> Load::run_phase(Phase phase) {
  auto collector = std::make_unique<measure::Collector>(collector_config(phase));
  std::vector<executor::WorkerParts> parts;
  for (const auto& worker : workers_) {
    if (!worker->distinct)
      worker->distinct = measure::DistinctCounter::for_key_space(
          static_cast<uint64_t>(phase.workload->keys()), kDistinctLimitBytes);
    worker->source.set_workload(*phase.workload, phase.first_index, &*worker->distinct);
    parts.push_back({&worker->loop, &worker->source});
  }
  const uint64_t total = executor::total_operations(phase.plan);
  listener_.on_phase(
      {.name = phase.name,
       .operations = total < executor::kOperationsMax ? total : 0,
       .seconds = static_cast<double>(phase.plan.duration_ns.value_or(0)) / core::kNanosPerSecond});
  executor::RunOptions options;
  options.track_runs = phase.measured && config_.run_lines;
  options.on_run_line = [this](const executor::RunLine& line) { listener_.on_run_line(line); };
  auto outcome = executor::run(phase.plan, parts, *collector, options);
  notes_.tell(listener_);
  if (!outcome) return std::unexpected(outcome.error());
  return PhaseResult{std::move(collector), std::move(*outcome)};
}

std::optional<measure::DistinctCount> Load::distinct_keys() {
  std::optional<measure::DistinctCounter> all;
  for (const auto& worker : workers_) {
    if (!worker->distinct) continue;
    if (all)
      all->merge(*worker->distinct);
    else
      all = *worker->distinct;
  }
  if (!all) return std::nullopt;
  return all->result();
}

}  // namespace cqlperf::bench
