#include "bench/connection_settings.h"

#include <algorithm>

#include <fmt/format.h>

namespace cqlperf::bench {
namespace {

// A part of the stream ids is left for requests that have timed out and hold theirs still.
constexpr uint32_t kWindowPerConnection = client::kStreamIdsMax / 2;

}  // namespace

client::ConnectionOptions connection_options(const ServerConfig& config) {
  client::ConnectionOptions options;
  if (!config.user.empty()) options.credentials = {config.user, config.password};
  options.connect_timeout_ns = config.connect_timeout_ns;
  options.request_timeout_ns = config.request_timeout_ns;
  options.version_max = static_cast<protocol::Version>(config.protocol_max);
  options.compression = config.compression;
  return options;
}

core::Result<std::vector<net::Endpoint>> contact_points(const ServerConfig& config) {
  std::vector<net::Endpoint> points;
  for (const std::string& server : config.servers) {
    auto point = net::parse_endpoint(server, kDefaultPort);
    if (!point) return std::unexpected(point.error());
    points.push_back(std::move(*point));
  }
  return points;
}

core::Result<client::SetupClient> connect_setup(const ServerConfig& config) {
  const auto points = contact_points(config);
  if (!points) return std::unexpected(points.error());
  return client::SetupClient::connect(connection_options(config), *points);
}

core::Result<client::SetupClient> connect_first(const ServerConfig& config, Listener& listener) {
  auto client = connect_setup(config);
  if (!client) {
    if (client.error().code == core::ErrorCode::kConnect)
      client.error().message += "\nName a server with --server.";
    return client;
  }
  for (const auto& dead : client->dead_contact_points())
    listener.on_note("a contact point is left out: " + dead.error.message);
  return client;
}

uint32_t connections_per_node(const ServerConfig& config, uint32_t window) {
  const uint32_t needed = (window + kWindowPerConnection - 1) / kWindowPerConnection;
  return std::max(config.connections, needed);
}

client::SessionOptions session_options(const ServerConfig& config,
                                       const std::vector<net::SocketAddress>& nodes,
                                       protocol::Version version, uint32_t connections) {
  client::SessionOptions options;
  options.nodes = nodes;
  options.connections_per_node = static_cast<int>(connections);
  options.connection = connection_options(config);
  options.connection.version_max = version;
  return options;
}

ServerInfo describe_server(const client::Topology& topology, protocol::Version version,
                           const ServerConfig& config) {
  ServerInfo info;
  info.cluster = topology.cluster_name;
  info.release = topology.release_version;
  info.protocol = static_cast<int>(version);
  info.compression = config.compression;
  for (const client::NodeInfo& node : topology.nodes)
    info.nodes.push_back(
        fmt::format("{} ({}, {})", node.address.to_string(), node.data_center, node.rack));
  return info;
}

core::Result<std::vector<std::string>> parse_servers(std::string_view text) {
  const auto endpoints = net::parse_endpoints(text, kDefaultPort);
  if (!endpoints) return std::unexpected(endpoints.error());
  std::vector<std::string> servers;
  for (const net::Endpoint& endpoint : *endpoints)
    servers.push_back(net::format_endpoint(endpoint));
  return servers;
}

}  // namespace cqlperf::bench
