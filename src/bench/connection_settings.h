#pragma once

#include <vector>

#include "bench/run_config.h"
#include "client/connection_options.h"
#include "core/result.h"
#include "net/endpoint.h"

namespace cqlperf::bench {

// How a run's settings look to the client.
client::ConnectionOptions connection_options(const RunConfig& config);
core::Result<std::vector<net::Endpoint>> contact_points(const RunConfig& config);

}  // namespace cqlperf::bench
