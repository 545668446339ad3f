#include "bench/store_load.h"

#include "bench/connection_settings.h"
#include "core/check.h"
#include "core/clock.h"

namespace cqlperf::bench {
namespace {

// How many of `window` requests in flight one worker has at the most.
uint32_t share(uint32_t window, uint32_t workers) { return (window + workers - 1) / workers; }

std::vector<client::StatementSpec> specs(const std::vector<std::string>& statements,
                                         protocol::Consistency consistency) {
  std::vector<client::StatementSpec> specs;
  for (const std::string& cql : statements)
    specs.push_back({.cql = cql, .settings = {.consistency = consistency, .skip_metadata = true}});
  specs[static_cast<size_t>(StoreStatement::kInsert)].tail = true;
  specs[static_cast<size_t>(StoreStatement::kSelect)].paged = true;
  return specs;
}

}  // namespace

struct StoreLoad::Worker {
  explicit Worker(client::SessionOptions options) : source(loop, std::move(options)) {}

  net::EventLoop loop;
  StoreSource source;
};

StoreLoad::StoreLoad(const StoreConfig& config, const std::vector<net::SocketAddress>& nodes,
                     protocol::Version version, const std::vector<std::string>& statements,
                     uint32_t window, uint32_t workers, Listener& listener)
    : config_(config), listener_(listener) {
  client::SessionOptions options =
      session_options(config, nodes, version, connections_per_node(config, share(window, workers)));
  options.statements = specs(statements, config.consistency);
  options.log = [this](std::string note) { notes_.add(std::move(note)); };
  for (uint32_t i = 0; i < workers; ++i) {
    options.seed = config.seed + i;
    workers_.push_back(std::make_unique<Worker>(options));
  }
}

StoreLoad::~StoreLoad() = default;

size_t StoreLoad::descriptors(const StoreConfig& config, uint32_t window, uint32_t workers,
                              size_t nodes) {
  constexpr size_t kOfALoop = 2;
  return workers * (kOfALoop + nodes * connections_per_node(config, share(window, workers)));
}

core::Status StoreLoad::connect() {
  for (const auto& worker : workers_) worker->source.session().start();
  const int64_t deadline_ns = core::steady_clock().now_ns() + config_.connect_timeout_ns;
  for (const auto& worker : workers_)
    if (auto status = worker->source.session().wait_until_ready(deadline_ns); !status)
      return status;
  notes_.tell(listener_);
  return {};
}

core::Result<StoreLoad::PhaseResult> StoreLoad::run_phase(Phase phase) {
  CQLPERF_CHECK(phase.tasks.size() <= workers_.size(), "more tasks than workers");
  measure::CollectorConfig config;
  config.workers = phase.tasks.size();
  config.kinds = {phase.name};
  config.log_prefix = phase.name + "-";
  config.asked_rate = phase.plan.rate;
  config.parallelism = phase.plan.parallelism;
  config.wall_offset_ns = measure::current_wall_offset_ns();
  config.hdr_log = std::move(phase.hdr_log);
  config.on_row = [this, &phase](const measure::IntervalRow& row) {
    notes_.tell(listener_);
    phase.on_row(row);
  };
  phase.plan.count = 0;
  std::vector<executor::WorkerParts> parts;
  for (size_t i = 0; i < phase.tasks.size(); ++i) {
    workers_[i]->source.set_task(*phase.tasks[i]);
    parts.push_back({&workers_[i]->loop, &workers_[i]->source});
    phase.plan.count = *phase.plan.count + phase.tasks[i]->operations();
  }
  auto collector = std::make_unique<measure::Collector>(std::move(config));
  auto outcome = executor::run(phase.plan, parts, *collector);
  notes_.tell(listener_);
  if (!outcome) return std::unexpected(outcome.error());
  return PhaseResult{std::move(collector), std::move(*outcome)};
}

}  // namespace cqlperf::bench
