#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/compression.h"
#include "protocol/consistency.h"

namespace cqlperf::bench {

inline constexpr uint16_t kDefaultPort = 9042;  // of the native protocol

// Which server a command measures, and how it talks to it. The defaults are the program's.
struct ServerConfig {
  std::vector<std::string> servers = {"localhost:9042"};
  std::string user;
  std::string password;      // never printed, logged or stored
  int protocol_max = 4;      // highest native protocol version to offer
  uint32_t connections = 1;  // per worker and node, at least
  protocol::Compression compression = protocol::Compression::kNone;
  protocol::Consistency consistency = protocol::Consistency::kQuorum;

  int64_t connect_timeout_ns = 5'000'000'000;
  int64_t request_timeout_ns = 10'000'000'000;
  int64_t schema_timeout_ns = 60'000'000'000;
};

// The keyspace and the table that a command works in, and what it may do with them.
struct OwnTable {
  std::string keyspace;
  std::string table;
  std::string replication = "1";   // a factor for SimpleStrategy, or a CQL map
  bool save = false;               // keep what this command made
  bool fresh = false;              // drop our own keyspace of an earlier run first
  bool existing_keyspace = false;  // use a keyspace that cqlperf did not make
};

}  // namespace cqlperf::bench
