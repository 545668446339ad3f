#pragma once

#include <string>
#include <vector>

#include "protocol/compression.h"

namespace cqlperf::bench {

// The servers that a command talked to, as they describe themselves.
struct ServerInfo {
  std::string cluster;
  std::string release;
  int protocol = 0;  // the native protocol version that was agreed on
  protocol::Compression compression = protocol::Compression::kNone;
  std::vector<std::string> nodes;  // those that get load: `127.0.0.1:9042 (datacenter1, rack1)`
};

// What every command tells while it runs. Every call comes from the thread that called it.
class Listener {
 public:
  virtual ~Listener() = default;
  // A line for people: what is being done, what was found, what went wrong and is gone around.
  virtual void on_note(const std::string& line) = 0;
  virtual void on_server(const ServerInfo& server) = 0;
};

}  // namespace cqlperf::bench
