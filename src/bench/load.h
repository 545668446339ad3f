#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/cql_source.h"
#include "bench/note_relay.h"
#include "bench/run.h"
#include "bench/run_config.h"
#include "core/result.h"
#include "executor/executor.h"
#include "executor/plan.h"
#include "measure/collector.h"
#include "measure/distinct.h"
#include "net/endpoint.h"
#include "workload/workload.h"

namespace cqlperf::bench {

// The workers of a run with their loops and sessions, and the phases that they go through.
// Owner thread: the one that calls run(); worker threads exist only within run_phase().
class Load {
 public:
  // `plan`: that of the measured phase; every phase has as many workers and no larger window.
  // `statements`: all that any phase needs. Config and listener outlive it.
  Load(const RunConfig& config, const executor::Plan& plan,
       const std::vector<net::SocketAddress>& nodes, protocol::Version version,
       std::vector<workload::PreparedText> statements, RunListener& listener);
  ~Load();

  // How many files and sockets such a load opens at the most.
  static size_t descriptors(const RunConfig& config, const executor::Plan& plan, size_t nodes);

  // Connects and prepares, for all workers. See client::Session::wait_until_ready().
  core::Status connect();

  struct Phase {
    std::string name;
    executor::Plan plan;
    const workload::Workload* workload = nullptr;
    uint64_t first_index = 0;  // added to the index of each operation
    bool measured = false;     // with extra percentiles and run lines
    std::optional<measure::HdrLogWriter> hdr_log = {};
  };
  // The collector holds what was measured. Distinct keys of inserts are counted over all phases.
  struct PhaseResult {
    std::unique_ptr<measure::Collector> collector;
    executor::Outcome outcome;
  };
  core::Result<PhaseResult> run_phase(Phase phase);

  // Different keys that were written so far, by all phases; empty when nothing was to be counted.
  std::optional<measure::DistinctCount> distinct_keys();

 private:
  struct Worker;

  client::SessionOptions worker_session_options(const std::vector<net::SocketAddress>& nodes,
                                                protocol::Version version, uint32_t connections,
                                                size_t worker);
  measure::CollectorConfig collector_config(Phase& phase);

  const RunConfig& config_;
  RunListener& listener_;
  NoteRelay notes_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace cqlperf::bench
