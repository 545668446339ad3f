#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/clock.h"
#include "protocol/compression.h"
#include "protocol/version.h"

namespace cqlperf::client {

struct Credentials {
  std::string user;
  std::string password;  // never part of any text that this room makes
};

// All versions count stream ids in a signed 16-bit number.
inline constexpr int kStreamIdsMax = 32'768;

struct ConnectionOptions {
  std::optional<Credentials> credentials = {};
  std::string keyspace = {};  // the exact name, not quoted; empty for none
  // For TCP, handshake, login and USE together.
  int64_t connect_timeout_ns = 5 * core::kNanosPerSecond;
  int64_t request_timeout_ns = 10 * core::kNanosPerSecond;
  // The first version that is tried. v4 is the cheapest: its frames travel as they are, while v5
  // copies and checksums all bytes once more on both sides, for nothing that a load needs.
  protocol::Version version_max = protocol::Version::kV4;
  // Must be available in version_max. A server that does not offer it is an error, not a reason to
  // measure something else.
  protocol::Compression compression = protocol::Compression::kNone;
  int stream_ids = kStreamIdsMax;  // requests in flight, in [1, kStreamIdsMax]
  // New requests are held back while this much is written but not yet taken by the kernel.
  size_t backlog_max_bytes = size_t{16} << 20;
};

}  // namespace cqlperf::client
