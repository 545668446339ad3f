#include "client/topology.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cqlperf::client {
namespace {

using protocol::Rows;

std::string text_or_empty(const Rows& rows, size_t row, std::string_view column) {
  return rows.text(row, column).value_or("");
}

std::string uuid_or_empty(const Rows& rows, size_t row, std::string_view column) {
  const auto uuid = rows.uuid(row, column);
  return uuid ? uuid->to_string() : "";
}

NodeInfo read_node(const Rows& rows, size_t row, const net::SocketAddress& address) {
  return {address,
          text_or_empty(rows, row, "data_center"),
          text_or_empty(rows, row, "rack"),
          uuid_or_empty(rows, row, "host_id"),
          text_or_empty(rows, row, "release_version"),
          uuid_or_empty(rows, row, "schema_version")};
}

std::optional<net::SocketAddress> read_address(const Rows& rows, size_t row,
                                               std::string_view column, uint16_t port) {
  const auto inet = rows.inet(row, column);
  return inet ? net::SocketAddress::from_inet(inet->view(), port) : std::nullopt;
}

// Where clients reach the peer. A server that listens on all interfaces reports the unspecified
// address; its peers know it by another.
std::optional<net::SocketAddress> peer_address(const Rows& peers, size_t row, uint16_t port) {
  const auto own_port = peers.integer(row, "native_port");
  if (own_port && *own_port > 0 && *own_port <= 65535) port = static_cast<uint16_t>(*own_port);
  auto address = read_address(peers, row, "native_address", port);
  if (!address) address = read_address(peers, row, "rpc_address", port);
  if (address && address->is_unspecified()) return read_address(peers, row, "peer", port);
  return address;
}

std::string missing_parts(const NodeInfo& node, bool has_address) {
  std::string missing;
  const auto add = [&](bool is_missing, std::string_view what) {
    if (is_missing) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", what);
  };
  add(!has_address, "rpc_address");
  add(node.host_id.empty(), "host_id");
  add(node.data_center.empty(), "data_center");
  return missing;
}

void add_peer(Topology& topology, const net::SocketAddress& asked, const Rows& peers, size_t row) {
  const auto address = peer_address(peers, row, asked.port());
  NodeInfo node = read_node(peers, row, address.value_or(net::SocketAddress()));
  const std::string missing = missing_parts(node, address.has_value());
  if (!missing.empty()) {
    const auto peer = peers.inet(row, "peer");
    topology.skipped.push_back(fmt::format("peer {} is skipped: its row has no {}",
                                           peer ? peer->to_string() : "without an address",
                                           missing));
    return;
  }
  if (node.address != asked) topology.nodes.push_back(std::move(node));
}

}  // namespace

core::Result<Topology> make_topology(const net::SocketAddress& asked, const Rows& local,
                                     const Rows& peers) {
  if (local.empty())
    return core::fail(core::ErrorCode::kProtocol,
                      fmt::format("{} has no row in system.local", asked.to_string()));
  Topology topology;
  topology.cluster_name = text_or_empty(local, 0, "cluster_name");
  topology.release_version = text_or_empty(local, 0, "release_version");
  topology.partitioner = text_or_empty(local, 0, "partitioner");
  topology.nodes.push_back(read_node(local, 0, asked));
  for (size_t row = 0; row < peers.size(); row++) add_peer(topology, asked, peers, row);
  return topology;
}

std::map<std::string, std::vector<const NodeInfo*>> group_by_schema(
    const std::vector<NodeInfo>& nodes) {
  std::map<std::string, std::vector<const NodeInfo*>> groups;
  for (const NodeInfo& node : nodes)
    if (!node.schema_version.empty()) groups[node.schema_version].push_back(&node);
  return groups;
}

}  // namespace cqlperf::client
