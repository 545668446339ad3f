#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/run_config.h"
#include "client/connection_options.h"
#include "core/result.h"
#include "net/endpoint.h"

namespace cqlperf::bench {

// How a run's settings look to the client.
client::ConnectionOptions connection_options(const RunConfig& config);
core::Result<std::vector<net::Endpoint>> contact_points(const RunConfig& config);

// A list of servers as a user gives it, each as RunConfig::servers holds it: with its port. kUsage
// when one of them is none.
core::Result<std::vector<std::string>> parse_servers(std::string_view text);

}  // namespace cqlperf::bench
