#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/form_source.h"
#include "bench/forms_config.h"
#include "bench/listener.h"
#include "bench/note_relay.h"
#include "core/result.h"
#include "executor/executor.h"
#include "executor/plan.h"
#include "measure/collector.h"
#include "net/endpoint.h"

namespace cqlperf::bench {

// Where the forms are sent.
struct FormServers {
  std::vector<net::SocketAddress> nodes;      // of the native protocol
  std::vector<net::SocketAddress> rpc_nodes;  // of Thrift; none where there is none
  protocol::Version version = protocol::Version::kV4;
};

// The workers of one cell with their loops and connections; its phases run on them one after the
// other. Owner thread: the one that runs the matrix; worker threads exist only within run().
class FormLoad {
 public:
  // `table` is the bare name. Config, servers, listener and what the workload points to outlive it.
  FormLoad(const FormsConfig& config, const FormServers& servers, measure::Form form,
           const FormWorkload& workload, const std::string& table, Listener& listener);
  ~FormLoad();

  // How many files and sockets such a load opens at the most.
  static size_t descriptors(const FormsConfig& config, const FormServers& servers);

  // Connects, and prepares where the form does.
  core::Status connect();

  struct Phase {
    std::unique_ptr<measure::Collector> collector;
    executor::Outcome outcome;
    uint64_t bytes_sent = 0;
    uint64_t bytes_received = 0;
  };
  // Runs `plan`, from the operation on that the phase before has ended with.
  core::Result<Phase> run(const executor::Plan& plan,
                          std::function<void(const measure::IntervalRow&)> on_row);

 private:
  struct Worker {
    std::unique_ptr<net::EventLoop> loop;
    std::unique_ptr<FormSource> source;
  };

  net::TcpStream::Counters counters() const;

  const FormsConfig& config_;
  const measure::Form form_;
  Listener& listener_;
  NoteRelay notes_;
  std::vector<Worker> workers_;
};

// The plan of the measured phase of a cell.
executor::Plan form_plan(const FormsConfig& config);

}  // namespace cqlperf::bench
