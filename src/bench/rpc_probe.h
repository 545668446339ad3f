#pragma once

#include <string>

#include "client/connection_options.h"
#include "core/result.h"
#include "net/endpoint.h"

namespace cqlperf::bench {

// Asks the server at `address` for the version of its Thrift interface (describe_version), within
// the connect timeout. Errors say what is there instead, or that nothing is.
core::Result<std::string> probe_rpc(const net::SocketAddress& address,
                                    const client::ConnectionOptions& options);

}  // namespace cqlperf::bench
