#include "bench/form_load.h"

#include <algorithm>
#include <utility>

#include "bench/connection_settings.h"
#include "core/clock.h"

namespace cqlperf::bench {
namespace {

// How many of the operations in flight one worker has.
uint32_t share(const FormsConfig& config, uint32_t worker) {
  const executor::Plan plan = form_plan(config);
  return executor::window_share(plan.parallelism, {worker, executor::worker_count(plan)});
}

client::RpcSessionOptions rpc_options(const FormsConfig& config, const FormServers& servers,
                                      uint32_t window) {
  client::RpcSessionOptions options;
  options.nodes = servers.rpc_nodes;
  options.connections = window;
  options.connection = connection_options(config);
  options.connection.keyspace = config.keyspace;
  return options;
}

}  // namespace

executor::Plan form_plan(const FormsConfig& config) {
  executor::Plan plan;
  plan.rate = config.rate_limit;
  plan.parallelism = config.parallelism;
  plan.threads = config.threads;
  plan.count = config.count;
  plan.duration_ns = config.duration_ns;
  plan.interval_ns = config.interval_ns;
  plan.drain_timeout_ns = config.request_timeout_ns + core::kNanosPerSecond;
  plan.stall_timeout_ns = config.stall_timeout_ns;
  return plan;
}

FormLoad::FormLoad(const FormsConfig& config, const FormServers& servers, measure::Form form,
                   const FormWorkload& workload, const std::string& table, Listener& listener)
    : config_(config), form_(form), listener_(listener) {
  const auto log = [this](std::string note) { notes_.add(std::move(note)); };
  const uint32_t workers = executor::worker_count(form_plan(config));
  for (uint32_t i = 0; i < workers; ++i) {
    Worker worker{std::make_unique<net::EventLoop>(), nullptr};
    const uint32_t window = share(config, i);
    if (measure::is_rpc(form)) {
      client::RpcSessionOptions options = rpc_options(config, servers, window);
      options.seed = config.rows.seed + i;
      options.log = log;
      worker.source = rpc_form_source(*worker.loop, form, workload, window, std::move(options),
                                      table, config.consistency);
    } else {
      client::SessionOptions options = session_options(config, servers.nodes, servers.version,
                                                       connections_per_node(config, window));
      options.seed = config.rows.seed + i;
      options.log = log;
      worker.source = native_form_source(*worker.loop, form, workload, window, std::move(options),
                                         config.consistency);
    }
    workers_.push_back(std::move(worker));
  }
}

FormLoad::~FormLoad() = default;

size_t FormLoad::descriptors(const FormsConfig& config, const FormServers& servers) {
  constexpr size_t kOfALoop = 2;
  const size_t workers = executor::worker_count(form_plan(config));
  const size_t native =
      workers * servers.nodes.size() * connections_per_node(config, share(config, 0));
  const size_t rpc = servers.rpc_nodes.empty() ? 0 : config.parallelism;
  return workers * kOfALoop + std::max(native, rpc);
}

core::Status FormLoad::connect() {
  for (const Worker& worker : workers_) worker.source->start_to_connect();
  const int64_t deadline_ns = core::steady_clock().now_ns() + config_.connect_timeout_ns;
  for (const Worker& worker : workers_)
    if (auto status = worker.source->wait_until_ready(deadline_ns); !status) return status;
  notes_.tell(listener_);
  return {};
}

net::TcpStream::Counters FormLoad::counters() const {
  net::TcpStream::Counters sum;
  for (const Worker& worker : workers_) sum += worker.source->counters();
  return sum;
}

core::Result<FormLoad::Phase> FormLoad::run(
    const executor::Plan& plan, std::function<void(const measure::IntervalRow&)> on_row) {
  measure::CollectorConfig config;
  config.workers = workers_.size();
  config.kinds = {measure::form_name(form_)};
  config.asked_rate = plan.rate;
  config.parallelism = plan.parallelism;
  config.wall_offset_ns = measure::current_wall_offset_ns();
  config.on_row = [&](const measure::IntervalRow& row) {
    notes_.tell(listener_);
    if (on_row) on_row(row);
  };
  uint64_t first_index = 0;
  std::vector<executor::WorkerParts> parts;
  for (const Worker& worker : workers_) {
    parts.push_back({worker.loop.get(), worker.source.get()});
    first_index = std::max(first_index, worker.source->task().next_index());
  }
  for (const Worker& worker : workers_) worker.source->task().set_first_index(first_index);
  const net::TcpStream::Counters before = counters();
  auto collector = std::make_unique<measure::Collector>(std::move(config));
  auto outcome = executor::run(plan, parts, *collector);
  notes_.tell(listener_);
  if (!outcome) return std::unexpected(outcome.error());
  const net::TcpStream::Counters after = counters();
  return Phase{std::move(collector), std::move(*outcome), after.bytes_sent - before.bytes_sent,
               after.bytes_received - before.bytes_received};
}

}  // namespace cqlperf::bench
