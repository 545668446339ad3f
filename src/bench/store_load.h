#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/note_relay.h"
#include "bench/store_config.h"
#include "bench/store_keys.h"
#include "bench/store_source.h"
#include "core/result.h"
#include "executor/executor.h"
#include "executor/plan.h"
#include "measure/collector.h"
#include "net/endpoint.h"

namespace cqlperf::bench {

// The statements of the suite, by their place in a session.
enum class StoreStatement : uint16_t { kInsert, kSelect, kDelete };

// The workers of a store suite with their loops and sessions; phases run on them one after the
// other. Owner thread: the one that runs the suite; worker threads exist only within run_phase().
class StoreLoad {
 public:
  // `window`: the largest that any phase has. `workers`: at least 1. `statements` in the order of
  // StoreStatement. Config and listener outlive it.
  StoreLoad(const StoreConfig& config, const std::vector<net::SocketAddress>& nodes,
            protocol::Version version, const std::vector<std::string>& statements, uint32_t window,
            uint32_t workers, Listener& listener);
  ~StoreLoad();

  // How many files and sockets such a load opens at the most.
  static size_t descriptors(const StoreConfig& config, uint32_t window, uint32_t workers,
                            size_t nodes);

  // Connects and prepares, for all workers.
  core::Status connect();

  struct Phase {
    std::string name;
    executor::Plan plan;            // without a count: the tasks say how many requests there are
    std::vector<StoreTask*> tasks;  // one for each worker of the plan; they outlive the call
    std::function<void(const measure::IntervalRow&)> on_row;
    std::optional<measure::HdrLogWriter> hdr_log = {};
  };
  struct PhaseResult {
    std::unique_ptr<measure::Collector> collector;
    executor::Outcome outcome;
  };
  core::Result<PhaseResult> run_phase(Phase phase);

 private:
  struct Worker;

  const StoreConfig& config_;
  Listener& listener_;
  NoteRelay notes_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace cqlperf::bench
