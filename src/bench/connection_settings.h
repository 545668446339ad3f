#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/listener.h"
#include "bench/server_config.h"
#include "client/connection_options.h"
#include "client/session.h"
#include "client/setup_client.h"
#include "client/topology.h"
#include "core/result.h"
#include "net/endpoint.h"

namespace cqlperf::bench {

// How a run's settings look to the client.
client::ConnectionOptions connection_options(const ServerConfig& config);
core::Result<std::vector<net::Endpoint>> contact_points(const ServerConfig& config);

// A connection for set-up, to the first contact point that answers.
core::Result<client::SetupClient> connect_setup(const ServerConfig& config);
// The first one of a command: tells the listener which contact points are left out, and an error
// says how to name a server.
core::Result<client::SetupClient> connect_first(const ServerConfig& config, Listener& listener);

// Connections per node that a worker needs to have `window` operations in flight on one node: at
// least those that the settings ask for.
uint32_t connections_per_node(const ServerConfig& config, uint32_t window);
// How a worker's session connects to `nodes`. `version` is what the set-up has agreed on.
client::SessionOptions session_options(const ServerConfig& config,
                                       const std::vector<net::SocketAddress>& nodes,
                                       protocol::Version version, uint32_t connections);

ServerInfo describe_server(const client::Topology& topology, protocol::Version version,
                           const ServerConfig& config);

// A list of servers as a user gives it, each as ServerConfig::servers holds it: with its port.
// kUsage when one of them is none.
core::Result<std::vector<std::string>> parse_servers(std::string_view text);

}  // namespace cqlperf::bench
