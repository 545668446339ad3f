#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "net/endpoint.h"
#include "protocol/rows.h"

namespace cqlperf::client {

struct NodeInfo {
  net::SocketAddress address;  // where clients connect
  std::string data_center;
  std::string rack;
  std::string host_id;
  std::string release_version;
  std::string schema_version;
};

struct Topology {
  std::string cluster_name;
  std::string release_version;
  std::string partitioner;
  std::vector<NodeInfo> nodes;       // the one that was asked comes first
  std::vector<std::string> skipped;  // rows that name no usable node, each with the reason
};

// The statements whose answers make_topology() reads. A server before Cassandra 4, and ScyllaDB,
// has no peers_v2; any error there means that kPeersQuery is to be asked.
inline constexpr const char* kLocalQuery =
    "SELECT cluster_name, release_version, partitioner, data_center, rack, host_id, schema_version "
    "FROM system.local WHERE key='local'";
inline constexpr const char* kPeersV2Query =
    "SELECT peer, native_address, native_port, data_center, rack, host_id, release_version, "
    "schema_version FROM system.peers_v2";
inline constexpr const char* kPeersQuery =
    "SELECT peer, rpc_address, data_center, rack, host_id, release_version, schema_version "
    "FROM system.peers";

// The nodes that the system tables name. `asked` is the address of the server that answered; peers
// whose table has no port are at the same port. A peer row without an address, host id or data
// center is skipped (servers write such rows while a node joins or leaves), as is one that repeats
// the server itself. kProtocol when system.local has no row.
core::Result<Topology> make_topology(const net::SocketAddress& asked, const protocol::Rows& local,
                                     const protocol::Rows& peers);

// The nodes by the schema version that they report; nodes that report none are left out.
std::map<std::string, std::vector<const NodeInfo*>> group_by_schema(
    const std::vector<NodeInfo>& nodes);

}  // namespace cqlperf::client
