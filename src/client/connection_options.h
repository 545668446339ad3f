#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/clock.h"
#include "protocol/version.h"

namespace cqlperf::client {

struct Credentials {
  std::string user;
  std::string password;  // never part of any text that this room makes
};

// v3 and v4 count stream ids in a signed 16-bit number.
inline constexpr int kStreamIdsMax = 32'768;

struct ConnectionOptions {
  std::optional<Credentials> credentials = {};
  std::string keyspace = {};  // the exact name, not quoted; empty for none
  // For TCP, handshake, login and USE together.
  int64_t connect_timeout_ns = 5 * core::kNanosPerSecond;
  int64_t request_timeout_ns = 10 * core::kNanosPerSecond;
  protocol::Version version_max = protocol::Version::kV4;  // the first version that is tried
  int stream_ids = kStreamIdsMax;  // requests in flight, in [1, kStreamIdsMax]
  // New requests are held back while this much is written but not yet taken by the kernel.
  size_t backlog_max_bytes = size_t{16} << 20;
};

}  // namespace cqlperf::client
