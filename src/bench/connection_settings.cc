#include "bench/connection_settings.h"

namespace cqlperf::bench {

client::ConnectionOptions connection_options(const RunConfig& config) {
  client::ConnectionOptions options;
  if (!config.user.empty()) options.credentials = {config.user, config.password};
  options.connect_timeout_ns = config.connect_timeout_ns;
  options.request_timeout_ns = config.request_timeout_ns;
  options.version_max = static_cast<protocol::Version>(config.protocol_max);
  options.compression = config.compression;
  return options;
}

core::Result<std::vector<net::Endpoint>> contact_points(const RunConfig& config) {
  std::vector<net::Endpoint> points;
  for (const std::string& server : config.servers) {
    auto point = net::parse_endpoint(server, kDefaultPort);
    if (!point) return std::unexpected(point.error());
    points.push_back(std::move(*point));
  }
  return points;
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
