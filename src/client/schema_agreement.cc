#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "client/setup_client.h"
#include "client/setup_state.h"
#include "core/units.h"
#include "net/tcp_stream.h"

namespace cqlperf::client {
namespace {

using core::ErrorCode;
using core::Result;
using core::Status;

constexpr int64_t kPollIntervalNs = 100 * core::kNanosPerMilli;
// Nodes differ for a moment after each change; what differs for longer is looked at.
constexpr int64_t kPatienceNs = core::kNanosPerSecond;
constexpr int64_t kProbeTimeoutNs = core::kNanosPerSecond;

// Finds out whether a server takes a TCP connection.
class Probe final : public net::TcpStream::Handler {
 public:
  Probe(net::EventLoop& loop, const net::SocketAddress& address) : stream_(loop, *this) {
    stream_.connect(address, loop.now_ns() + kProbeTimeoutNs);
  }
  bool is_done() const { return reached_ || failed_; }
  bool is_reached() const { return reached_; }

  void on_connected() override { reached_ = true; }
  void on_bytes(core::Buffer&) override {}
  void on_closed(const core::Error&) override { failed_ = true; }

 private:
  net::TcpStream stream_;
  bool reached_ = false;
  bool failed_ = false;
};

using Groups = std::map<std::string, std::vector<const NodeInfo*>>;

core::Error disagreement_error(const Groups& groups, int64_t timeout_ns) {
  std::string text = fmt::format(
      "the nodes have {} schema versions after {}; look for nodes that are down or overloaded:",
      groups.size(), core::format_duration_ns(static_cast<double>(timeout_ns)));
  for (const auto& [version, nodes] : groups) {
    text += fmt::format("\n  {}:", version);
    for (const NodeInfo* node : nodes) text += ' ' + node->address.to_string();
  }
  return {ErrorCode::kTimeout, std::move(text)};
}

}  // namespace

void SetupClient::State::note(std::string text) {
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
}

Result<std::vector<bool>> SetupClient::State::probe(
    const std::vector<net::SocketAddress>& addresses) {
  std::vector<std::unique_ptr<Probe>> probes;
  const int64_t deadline_ns = loop.refresh_now() + 2 * kProbeTimeoutNs;
  for (const net::SocketAddress& address : addresses)
    probes.push_back(std::make_unique<Probe>(loop, address));
  const Status waited = wait_until(
      [&] { return std::ranges::all_of(probes, [](const auto& p) { return p->is_done(); }); },
      deadline_ns);
  if (!waited && waited.error().code != ErrorCode::kTimeout) return std::unexpected(waited.error());
  std::vector<bool> reached;
  for (const auto& probe : probes) reached.push_back(probe->is_reached());
  return reached;
}

// A node that is down keeps its old version in the tables of the others for as long as it is down.
// It gets the schema from them before it takes connections again, so nobody needs to wait for it.
Status SetupClient::State::leave_out_unreachable(const std::vector<NodeInfo>& nodes) {
  std::vector<net::SocketAddress> addresses;
  for (const NodeInfo& node : nodes)
    if (node.address != connection->address()) addresses.push_back(node.address);
  const auto reached = probe(addresses);
  if (!reached) return std::unexpected(reached.error());
  for (size_t i = 0; i < addresses.size(); i++) {
    if ((*reached)[i]) continue;
    const std::string name = addresses[i].to_string();
    unreachable.insert(name);
    note(fmt::format("node {} takes no connection: its schema version is not waited for", name));
  }
  return {};
}

Result<Topology> SetupClient::read_topology(int64_t timeout_ns) {
  const auto local = query(kLocalQuery, timeout_ns);
  if (!local) return std::unexpected(local.error());
  auto peers = query(state_->has_peers_v2 ? kPeersV2Query : kPeersQuery, timeout_ns);
  if (!peers && last_error_code() && state_->has_peers_v2) {
    state_->has_peers_v2 = false;
    peers = query(kPeersQuery, timeout_ns);
  }
  if (!peers) return std::unexpected(peers.error());
  return make_topology(address(), local->rows, peers->rows);
}

Result<Topology> SetupClient::discover_topology() {
  return read_topology(state_->query_timeout_ns);
}

// The versions of the nodes that count, with their nodes; `nodes` must outlive them.
Groups SetupClient::State::schema_groups(std::vector<NodeInfo>& nodes) {
  std::erase_if(
      nodes, [&](const NodeInfo& node) { return unreachable.contains(node.address.to_string()); });
  for (const NodeInfo& node : nodes)
    if (node.schema_version.empty())
      note(fmt::format("node {} reports no schema_version: it is not waited for",
                       node.address.to_string()));
  return group_by_schema(nodes);
}

Status SetupClient::await_schema_agreement(int64_t timeout_ns) {
  State& state = *state_;
  const int64_t start_ns = state.loop.refresh_now();
  const int64_t deadline_ns = start_ns + timeout_ns;
  bool looked = false;
  for (;;) {
    const int64_t left_ns = std::max(deadline_ns - state.loop.now_ns(), kPollIntervalNs);
    auto topology = read_topology(std::min(left_ns, state_->query_timeout_ns));
    if (!topology) return std::unexpected(topology.error());
    for (const std::string& skipped : topology->skipped) state.note(skipped);
    const Groups groups = state.schema_groups(topology->nodes);
    if (groups.size() <= 1) return {};

    const int64_t now_ns = state.loop.refresh_now();
    if (now_ns >= deadline_ns) return std::unexpected(disagreement_error(groups, timeout_ns));
    if (!looked && now_ns >= start_ns + kPatienceNs) {
      looked = true;
      if (Status left_out = state.leave_out_unreachable(topology->nodes); !left_out)
        return left_out;
      continue;
    }
    const int64_t next_ns = std::min(deadline_ns, now_ns + kPollIntervalNs);
    const Status waited = state.wait_until([] { return false; }, next_ns);
    if (waited.error().code != ErrorCode::kTimeout) return waited;
  }
}

}  // namespace cqlperf::client
