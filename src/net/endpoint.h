#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/socket.h>

#include "core/clock.h"
#include "core/result.h"

namespace cqlperf::net {

// The address of one TCP peer, IPv4 or IPv6, with its port.
class SocketAddress {
 public:
  SocketAddress() = default;
  SocketAddress(const sockaddr* address, socklen_t length);

  // From the 4 or 16 bytes of an [inet] value on the CQL wire; empty for any other size.
  static std::optional<SocketAddress> from_inet(std::span<const uint8_t> bytes, uint16_t port);
  // From a numeric address such as `127.0.0.1`, `::1` or `fe80::1%eth0`; empty for anything else.
  static std::optional<SocketAddress> from_numeric(const std::string& host, uint16_t port);

  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t length() const { return length_; }
  int family() const { return storage_.ss_family; }
  uint16_t port() const;
  SocketAddress with_port(uint16_t port) const;
  // 0.0.0.0 or ::, which a server that listens everywhere reports as its own address.
  bool is_unspecified() const;
  bool is_loopback() const;

  // `127.0.0.1`, `::1`.
  std::string host() const;
  // `127.0.0.1:9042`, `[::1]:9042`.
  std::string to_string() const;

  friend bool operator==(const SocketAddress& a, const SocketAddress& b);

 private:
  sockaddr_storage storage_{};
  socklen_t length_ = 0;
};

// A server as the user names it; the host is a name or a numeric address without brackets.
struct Endpoint {
  std::string host;
  uint16_t port = 0;

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// Reads `host`, `host:port`, `1.2.3.4:port`, `[v6]`, `[v6]:port` or a bare IPv6 address. A text
// that is an IPv6 address as a whole is one: `::1:9042` has no port. kUsage when it is none of
// these.
core::Result<Endpoint> parse_endpoint(std::string_view text, uint16_t default_port);
// The same for a comma-separated list of at least one; blanks around the commas are allowed.
core::Result<std::vector<Endpoint>> parse_endpoints(std::string_view text, uint16_t default_port);
// `host:port`, with brackets around an IPv6 address.
std::string format_endpoint(const Endpoint& endpoint);

inline constexpr int64_t kResolveTimeoutNs = 10 * core::kNanosPerSecond;

// All addresses of the host, in the resolver's order. A numeric host never waits; for a name it
// waits at most `timeout_ns` and looks at core::interrupted() every 100 ms. kConnect with the
// resolver's reason, kTimeout or kInterrupted. Any thread.
core::Result<std::vector<SocketAddress>> resolve(const Endpoint& endpoint,
                                                 int64_t timeout_ns = kResolveTimeoutNs);

// The same for each of them, all at the same time.
std::vector<core::Result<std::vector<SocketAddress>>> resolve_all(
    const std::vector<Endpoint>& endpoints, int64_t timeout_ns = kResolveTimeoutNs);

}  // namespace cqlperf::net
